"""What a client gave back for each call, beside what the protocol asks for, and every rule about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from wiretape.comparison import codex, flow_a
from wiretape.comparison.side import Comparison, blamed
from wiretape.transcript import Transcript

__all__ = ["Comparison", "blamed", "comparisons"]

_OF: Final[Mapping[str, Callable[[Transcript], list[Comparison]]]] = {
    "flow_a": flow_a.comparisons,
    "codex": codex.comparisons,
}


def comparisons(transcript: Transcript) -> list[Comparison]:
    """Compare each return or answer with the required one; a call without any is compared with nothing.

    Raises KeyError for a protocol that has no calls.
    """
    return _OF[transcript.protocol](transcript)
