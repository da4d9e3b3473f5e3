"""A recorded session as rows for people: what came when, from whom, and what it says once it is decoded.

``wire`` gives the very bytes instead, ``final`` only what stood there when all was over. The text of a row is
as it was on the wire: whoever shows it escapes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Final, TypeAlias

from wiretape.timeline import codex, flow_a
from wiretape.timeline.row import Row
from wiretape.timeline.wire import wire
from wiretape.transcript import Entry, Transcript

__all__ = ["Row", "Take", "final", "reader", "rows", "wire"]

Take: TypeAlias = Callable[[Entry], Iterator[Row]]
"""Gives the rows of an entry; called with each one, in order."""

_READERS: Final[Mapping[str, Callable[[], Take]]] = {
    "flow_a": lambda: flow_a.Reading().take,
    "codex": lambda: codex.Reading().take,
}
_FINAL: Final[Mapping[str, Callable[[Transcript], Iterator[Row]]]] = {
    "flow_a": flow_a.final,
    "codex": codex.final,
}


def rows(transcript: Transcript) -> Iterator[Row]:
    """What came, decoded, in order. Raises KeyError for a protocol that has no timeline."""
    return chain.from_iterable(map(reader(transcript.protocol), transcript.entries))


def reader(protocol: str) -> Take:
    """Begin to read a session entry by entry. Raises KeyError for a protocol that has no timeline."""
    return _READERS[protocol]()


def final(transcript: Transcript) -> Iterator[Row]:
    """Every message or item in its last state. Raises KeyError for a protocol that has no timeline."""
    return _FINAL[transcript.protocol](transcript)
