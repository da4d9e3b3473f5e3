"""Drift: what changed on the wire between two recordings of the same scenario.

Ids, tokens and times differ in every session; here an id is the same when it stands for the same thing all
through, and times are not compared. How answers were cut and how long they took is not compared either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from wiretape.drift import codex, flow_a
from wiretape.drift.align import Drifts
from wiretape.drift.parts import Drift, Exchange
from wiretape.transcript import Transcript

__all__ = ["Drift", "compare"]

_EXCHANGES: Final[Mapping[str, Callable[[Transcript], list[Exchange]]]] = {
    "flow_a": flow_a.exchanges,
    "codex": codex.exchanges,
}


def compare(old: Transcript, new: Transcript, *, shape: bool = False) -> list[Drift]:
    """Tell what differs, in the order of the sessions; nothing when there is no drift.

    ``shape`` compares which members there are and of what type, not what they say: two sessions with a real
    model never say the same. Raises ValueError for sessions of two protocols, or of an unknown one.
    """
    if old.protocol != new.protocol or old.protocol not in _EXCHANGES:
        raise ValueError(f"expected two sessions of one protocol, got {old.protocol!r} and {new.protocol!r}")
    read = _EXCHANGES[old.protocol]
    return Drifts(shape=shape).of(read(old), read(new))
