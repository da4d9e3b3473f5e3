"""A recorded session as rows for people: what came when, from whom, and what it says once it is decoded.

``wire`` gives the very bytes instead, ``final`` only what stood there when all was over. The text of a row is
as it was on the wire: whoever shows it escapes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from wiretape.timeline import codex, flow_a
from wiretape.timeline.row import Row
from wiretape.timeline.wire import wire
from wiretape.transcript import Transcript

__all__ = ["Row", "final", "rows", "wire"]

_ROWS: Final[Mapping[str, Callable[[Transcript], Iterator[Row]]]] = {
    "flow_a": flow_a.rows,
    "codex": codex.rows,
}
_FINAL: Final[Mapping[str, Callable[[Transcript], Iterator[Row]]]] = {
    "flow_a": flow_a.final,
    "codex": codex.final,
}


def rows(transcript: Transcript) -> Iterator[Row]:
    """What came, decoded, in order. Raises KeyError for a protocol that has no timeline."""
    return _ROWS[transcript.protocol](transcript)


def final(transcript: Transcript) -> Iterator[Row]:
    """Every message or item in its last state. Raises KeyError for a protocol that has no timeline."""
    return _FINAL[transcript.protocol](transcript)
