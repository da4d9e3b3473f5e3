"""Lays faults over one recorded answer: the same bytes and times where nothing strikes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from wiretape.faults.delivery import ENDINGS, PAUSES
from wiretape.faults.edits import Edit
from wiretape.faults.model import Fault, FaultError
from wiretape.faults.strikes import Strike, strikes
from wiretape.transcript import EndHow


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A body and how it comes: chunk ``i`` is the body up to ``stops[i]``, ``delays[i]`` seconds after the
    one before."""

    body: bytes
    stops: tuple[int, ...]
    delays: tuple[float, ...]
    how: EndHow = "complete"
    until: int | None = None
    """The first byte that does not come; None: all come."""
    tail: bytes | None = None
    """What is written where the end of a chunked body would be; None: what belongs there."""
    gap: tuple[int, int] | None = None
    """Bytes that belong to the first answer only: a resume goes on behind them."""
    struck: tuple[Fault, ...] = ()
    """The faults that strike here."""


Draw = Callable[[int], float]
"""Gives a number between 0 and 1 for a place; the same one each time."""


def overlay(faults: Iterable[Fault], recorded: Delivery, draw: Draw) -> Delivery:
    """Lay faults over an answer. Raises FaultError when two of them change the same bytes.

    Places count in what was recorded, whatever other faults do. Of several that end it the first one does.
    """
    found = [strike for fault in faults for strike in strikes(fault, recorded.body)]
    if not found:
        return recorded
    edits = _ordered([strike for strike in found if strike.edit is not None])
    delivery = _spliced(recorded, edits)
    for strike in found:
        delivery = _struck(strike, delivery, edits, draw)
    return replace(delivery, struck=tuple(dict.fromkeys(strike.fault for strike in found)))


def _ordered(strikes: Sequence[Strike]) -> list[Edit]:
    edits = sorted((strike.edit for strike in strikes if strike.edit), key=lambda edit: edit[:2])
    for before, after in pairwise(edits):
        if before.stop > after.start:
            texts = " and ".join(dict.fromkeys(str(strike.fault) for strike in strikes))
            raise FaultError(f"{texts}: two of them change the same bytes; give them different events")
    return edits


def _spliced(recorded: Delivery, edits: Sequence[Edit]) -> Delivery:
    pieces, at = [], 0
    for edit in edits:
        pieces += [recorded.body[at : edit.start], edit.data]
        at = edit.stop
    body = b"".join([*pieces, recorded.body[at:]])
    stops, delays, owed = [0], [], 0.0
    for stop, delay in zip(recorded.stops, recorded.delays, strict=True):
        owed += delay
        moved = _moved(stop, edits)
        if moved > stops[-1] and not any(edit.start < stop < edit.stop for edit in edits):
            stops.append(moved)
            delays.append(owed)
            owed = 0.0
    return replace(recorded, body=body, stops=tuple(stops[1:]), delays=tuple(delays))


def _moved(offset: int, edits: Iterable[Edit], *, behind: bool = False) -> int:
    """Where a byte of the recorded body is in the new one; ``behind`` what was put in before it."""
    moved = offset
    for edit in edits:
        if edit.stop < offset or (edit.stop == offset and (behind or edit.start < edit.stop)):
            moved += len(edit.data) - (edit.stop - edit.start)
        elif edit.start < offset < edit.stop:
            moved -= max(0, offset - edit.start - len(edit.data))
    return moved


def _struck(strike: Strike, delivery: Delivery, edits: Sequence[Edit], draw: Draw) -> Delivery:
    kind = strike.fault.kind
    if kind in PAUSES:
        place = _moved(strike.place, edits)
        number = strike.event.number if strike.event and strike.fault.where.unit != "byte" else place
        return _paused(delivery, place, PAUSES[kind](draw(number)))
    behind = _moved(strike.place, edits, behind=True)
    if delivery.until is not None and delivery.until <= behind:
        return delivery
    if kind in ENDINGS:
        ending = ENDINGS[kind]
        return replace(delivery, until=behind, how=ending.how, tail=ending.tail, gap=None)
    if kind in ("handoff", "resume") and strike.edit is not None:
        begin = behind - len(strike.edit.data)
        gap = (begin, behind)
        return replace(delivery, until=behind, how="complete", tail=None, gap=gap)
    return delivery


def _paused(delivery: Delivery, place: int, seconds: float) -> Delivery:
    """Be silent for so long before the byte at ``place``; what comes before it is not held back."""
    stops, delays = list(delivery.stops), list(delivery.delays)
    index = bisect_left(stops, place)
    if place and (index == len(stops) or stops[index] != place):
        stops.insert(index, place)
        delays.insert(index + 1, 0.0)
    delays[index + 1 if place else 0] += seconds
    return replace(delivery, stops=tuple(stops), delays=tuple(delays))
