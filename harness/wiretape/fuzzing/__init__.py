"""Attacks on decoders, judged by the reference, and on clients, judged by the rules; finds are made small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wiretape.fuzzing.campaign import Campaign, Kind, Tally
from wiretape.fuzzing.codex_sessions import CODEX_KINDS
from wiretape.fuzzing.finds import Find, cassette, session_cassettes, vector
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
from wiretape.fuzzing.session_kinds import FLOW_A_KINDS
from wiretape.fuzzing.trials import DIFFERS, UNPLAYED, Examiner, Misdeed, Played, Player, Trial

CLIENT_KINDS: Final[Mapping[str, tuple[Kind[Trial], ...]]] = {"flow_a": FLOW_A_KINDS, "codex": CODEX_KINDS}
"""The kinds of sessions, by protocol; the simplest session is the first one's."""

__all__ = [
    "CLIENT_KINDS",
    "CONTRACTS",
    "DIFFERS",
    "KINDS",
    "UNPLAYED",
    "Campaign",
    "Contract",
    "CrashedError",
    "Decoder",
    "Difference",
    "Examiner",
    "Find",
    "Kind",
    "Misdeed",
    "Played",
    "Player",
    "RefusedError",
    "Tally",
    "Trial",
    "cassette",
    "difference",
    "session_cassettes",
    "vector",
]
