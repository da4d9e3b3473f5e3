"""How an answer comes, and the faults that change when it does and how it ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from wiretape.faults.events import Event
from wiretape.faults.model import Fault
from wiretape.transcript import EndHow

PlaceOf: TypeAlias = Callable[[Event], "int | None"]
"""Gives the offset in the body; None when the event has no such place."""

DELAY: Final = 1.0
"""Seconds of the silence that ``delay`` makes."""
JITTER: Final = 0.1
"""Seconds of the longest pause that ``jitter`` makes."""
_BAD_CHUNK: Final = b"ZZ\r\n"
"""What comes in place of a chunk's size."""

_CHARACTER: Final = re.compile(rb"[\xc2-\xf4](?=[\x80-\xbf])|\\u[0-9a-fA-F]{2}(?=[0-9a-fA-F]{2})")
"""A character's first byte, or the first half of an escape."""


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


class Ending(NamedTuple):
    """How a kind ends an answer, and where: ``place`` is the first byte that does not come."""

    place: PlaceOf
    how: EndHow
    tail: bytes | None = None
    """What is written where the end of a chunked body would be; None: what belongs there."""


def start_of(event: Event) -> int:
    """The place of faults that come before an event."""
    return event.start


def _middle(event: Event) -> int:
    return (event.start + event.stop) // 2


def _in_character(event: Event) -> int | None:
    found = _CHARACTER.search(event.block)
    return event.start + found.end() if found else None


ENDINGS: Final[Mapping[str, Ending]] = {
    "stall": Ending(start_of, "hang"),
    "cut": Ending(start_of, "cut", b""),
    "cut-inside": Ending(_middle, "cut", b""),
    "cut-character": Ending(_in_character, "cut", b""),
    "reset": Ending(start_of, "reset"),
    "early-end": Ending(start_of, "complete"),
    "bad-chunk": Ending(start_of, "cut", _BAD_CHUNK),
}

PAUSES: Final[Mapping[str, Callable[[float], float]]] = {
    "delay": lambda _drawn: DELAY,
    "jitter": lambda drawn: drawn * JITTER,
}
"""Seconds of silence, from a number that was drawn between 0 and 1."""
