"""Attacks on decoders: streams of every kind, judged by the reference; the smallest that fail are kept."""

from __future__ import annotations

from wiretape.fuzzing.campaign import Campaign, Kind, Tally
from wiretape.fuzzing.finds import Find, cassette, vector
from wiretape.fuzzing.judging import (
    CONTRACTS,
    Contract,
    CrashedError,
    Decoder,
    Difference,
    RefusedError,
    difference,
)
from wiretape.fuzzing.kinds import KINDS

__all__ = [
    "CONTRACTS",
    "KINDS",
    "Campaign",
    "Contract",
    "CrashedError",
    "Decoder",
    "Difference",
    "Find",
    "Kind",
    "RefusedError",
    "Tally",
    "cassette",
    "difference",
    "vector",
]
