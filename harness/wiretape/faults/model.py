"""What a fault is: a kind of trouble, and the place where it strikes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from wiretape.contract import Evidence

Unit: TypeAlias = Literal["event", "byte", "type", "request"]
EVERY: Final = "*"


class FaultError(ValueError):
    """A fault means nothing, or hits nothing. The text says what was expected, what came, what to do next."""


@dataclass(frozen=True, slots=True)
class Where:
    """A place: an event, byte or type of event within each stream, or a request of the session."""

    unit: Unit
    value: int | str
    """A number from 1 on, the name of a type, or ``*`` for every one."""

    def __str__(self) -> str:
        return f"{self.unit}:{self.value}"

    def holds(self, value: int | str) -> bool:
        """Whether this number or name is the place."""
        return self.value == EVERY or self.value == value


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong; ``str`` of it is the text that ``parse`` reads."""

    kind: str
    where: Where

    def __str__(self) -> str:
        return f"{self.kind}@{self.where}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of fault, as data: what it does, where it can, and what the right client does about it."""

    name: str
    protocol: str
    title: str
    """What happens on the wire."""
    units: tuple[Unit, ...]
    """The units of place that it takes."""
    right_client: str
    evidence: Evidence
    """How that is known."""
    source: str = ""
    """Where it is said: a document and its section; empty when nobody says it."""
    may_end: bool = True
    """Whether the right client may give the session up after it."""
    fails_turn: bool = False
    """Whether a stream that comes whole is no answer after it."""
    hides: bool = False
    """Whether nobody can know after it what the stream would have said: a client may refuse it."""
    rules: tuple[str, ...] = ()
    """Ids of the rules that judge it."""

    @property
    def spoils(self) -> bool:
        """Whether no client has to act on a stream after it, however well it decodes."""
        return self.fails_turn or self.hides


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One place that a fault strikes, for people. None: does not apply. Numbers count from 1."""

    fault: Fault
    at: str = ""
    """The place in words."""
    interaction: int | None = None
    """Of the cassette."""
    request: int | None = None
    """Of the session, when the client sends what clients usually send."""
    event: int | None = None
    start: int | None = None
    """Bytes of the answer's body, counted from 0: from here …"""
    stop: int | None = None
    """… to here."""
    excerpt: str = ""
