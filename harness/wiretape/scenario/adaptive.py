"""The scenario that nobody recorded: it follows from the tools that the client declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from wiretape.cassette.model import Cassette, Expect, Provenance

Protocol: TypeAlias = Literal["flow_a", "codex"]

_PROTOCOLS: Final[tuple[Protocol, ...]] = ("flow_a", "codex")
NAME: Final = "auto"
USER_MESSAGE: Final = "Call each of your tools once, and then tell me what they gave."
TITLE: Final = "Made up: one call of each tool that the client declared"
_BASIS: Final = "The tools that a client declared."
_GAP: Final = "All else is made up: what the tools are called with, what they give, every id and time."
ANSWER_PIECES: Final = ("Every tool", " that was called", " has given", " something: olá ", "🌀")
"""What the model says in the end, as it grows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive(Cassette):
    """Stands for a cassette until a client has declared its tools. It has nothing to play by itself."""


def adaptive(protocol: Protocol = "flow_a", *, name: str = NAME) -> Adaptive:
    """The adaptive scenario of a protocol."""
    return Adaptive(
        protocol=protocol,
        provenance=provenance(),
        title=TITLE,
        expect=expectation(()),
        name=name,
    )


def expectation(declared: object) -> Expect:
    """What a client of a made-up session is told: what to say, and the tools that it declares anyway."""
    tools = declared if isinstance(declared, list) else []
    return Expect(user_message=USER_MESSAGE, tools=tuple(each for each in tools if isinstance(each, dict)))


def provenance(*more: str) -> Provenance:
    """Where a made-up session comes from; ``more`` is what it does not try."""
    return Provenance(kind="synthetic", basis=(_BASIS,), gaps=(_GAP, *more))


def named(name: str, protocol: str = "flow_a") -> Adaptive | None:
    """The adaptive scenario that is asked for: ``auto``, ``flow_a/auto`` or ``codex/auto``; else None."""
    for known in _PROTOCOLS:
        if name == f"{known}/{NAME}" or (name == NAME and protocol == known):
            return adaptive(known, name=name)
    return None
