"""Attacks on decoders, judged by the reference, and on clients, judged by the rules; finds are made small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wiretape.fuzzing.campaign import Campaign, Kind, Tally
from wiretape.fuzzing.codex_sessions import CODEX_KINDS, playable
from wiretape.fuzzing.finds import Find, cassette, session_cassettes, vector
from wiretape.fuzzing.judging import (
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


def client_kinds(protocol: str, profile: str = "") -> tuple[Kind[Trial], ...]:
    """The kinds of sessions of a protocol, without those that the profile can't play."""
    return tuple(kind for kind in CLIENT_KINDS[protocol] if protocol != "codex" or playable(kind, profile))


__all__ = [
    "CLIENT_KINDS",
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
    "client_kinds",
    "difference",
    "session_cassettes",
    "vector",
]
