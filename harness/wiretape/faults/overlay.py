"""Lays faults over one recorded answer: the same bytes and times where nothing strikes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from wiretape.faults.delivery import ENDINGS, PAUSES, Delivery
from wiretape.faults.edits import Edit
from wiretape.faults.model import Fault, FaultError
from wiretape.faults.strikes import HANDING_OFF, Strike, strikes

Draw = Callable[[int], float]
"""Gives a number between 0 and 1 for a place; the same one each time."""


def overlay(faults: Iterable[Fault], recorded: Delivery, draw: Draw) -> Delivery:
    """Lay faults over an answer. Raises FaultError when two of them change the same bytes.

    Places count in what was recorded, whatever other faults do. Of several that end it the first one does.
    """
    found = [strike for fault in faults for strike in strikes(fault, recorded.body)]
    if not found:
        return recorded
    moves = _Moves(_ordered([strike for strike in found if strike.edit is not None]))
    delivery = _paused(_spliced(recorded, moves), _pauses(found, moves, draw))
    for strike in found:
        delivery = _ended(strike, delivery, moves)
    return replace(delivery, struck=tuple(dict.fromkeys(strike.fault for strike in found)))


def _ordered(strikes: Sequence[Strike]) -> list[Edit]:
    edits = sorted((strike.edit for strike in strikes if strike.edit), key=lambda edit: edit[:2])
    for before, after in pairwise(edits):
        if before.stop > after.start:
            texts = " and ".join(dict.fromkeys(str(strike.fault) for strike in strikes))
            raise FaultError(f"{texts}: two of them change the same bytes; give them different events")
    return edits


class _Moves:
    """Where the bytes of a recorded body are after edits, which are in order and do not overlap."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = edits
        self._starts = [edit.start for edit in edits]
        self._stops = [edit.stop for edit in edits]
        grown = (len(edit.data) - (edit.stop - edit.start) for edit in edits)
        self._shifts = list(accumulate(grown, initial=0))

    def of(self, offset: int, *, behind: bool = False) -> int:
        """The new place of a byte: before what was put in there, or ``behind`` it."""
        edit = self.around(offset)
        if edit is not None:
            before = bisect_left(self._starts, edit.start)
            return edit.start + self._shifts[before] + min(offset - edit.start, len(edit.data))
        over = bisect_right(self._stops, offset) if behind else bisect_left(self._starts, offset)
        return offset + self._shifts[over]

    def around(self, offset: int) -> Edit | None:
        """The edit that replaces both the byte before ``offset`` and the one at it."""
        index = bisect_left(self._starts, offset) - 1
        return self.edits[index] if index >= 0 and offset < self._stops[index] else None


def _spliced(recorded: Delivery, moves: _Moves) -> Delivery:
    pieces, at = [], 0
    for edit in moves.edits:
        pieces += [recorded.body[at : edit.start], edit.data]
        at = edit.stop
    body = b"".join([*pieces, recorded.body[at:]])
    stops, delays, owed = [0], [], 0.0
    for stop, delay in zip(recorded.stops, recorded.delays, strict=True):
        owed += delay
        moved = moves.of(stop)
        if moved > stops[-1] and moves.around(stop) is None:
            stops.append(moved)
            delays.append(owed)
            owed = 0.0
    return replace(recorded, body=body, stops=tuple(stops[1:]), delays=tuple(delays))


def _pauses(found: Iterable[Strike], moves: _Moves, draw: Draw) -> dict[int, float]:
    """Seconds of silence by the byte that they come before."""
    pauses: dict[int, float] = {}
    for strike in found:
        pause = PAUSES.get(strike.fault.kind)
        if pause is not None:
            place = moves.of(strike.place)
            number = strike.event.number if strike.event and strike.fault.where.unit != "byte" else place
            pauses[place] = pauses.get(place, 0.0) + pause(draw(number))
    return pauses


def _paused(delivery: Delivery, pauses: Mapping[int, float]) -> Delivery:
    """Be silent before some bytes; what comes before them is not held back."""
    if not pauses:
        return delivery
    recorded = dict(zip((0, *delivery.stops), delivery.delays, strict=False))
    stops = sorted({*delivery.stops, *pauses} - {0})
    delays = (recorded.get(start, 0.0) + pauses.get(start, 0.0) for start in (0, *stops[:-1]))
    return replace(delivery, stops=tuple(stops), delays=tuple(delays))


def _ended(strike: Strike, delivery: Delivery, moves: _Moves) -> Delivery:
    """End the answer where a strike does, if nothing has ended it before."""
    kind, ending = strike.fault.kind, ENDINGS.get(strike.fault.kind)
    if ending is None and kind not in HANDING_OFF:
        return delivery
    until = moves.of(strike.place, behind=True)
    if delivery.until is not None and delivery.until <= until:
        return delivery
    if ending is not None:
        return replace(delivery, until=until, how=ending.how, tail=ending.tail, gap=None)
    added = len(strike.edit.data) if strike.edit else 0
    return replace(delivery, until=until, how="complete", tail=None, gap=(until - added, until))
