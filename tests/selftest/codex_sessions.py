"""Sessions of a broken codex client, in memory, and the ways in which it can be broken at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from tests.conformance.codex_playing import MemoryWire, Session
from tests.conformance.codex_reference import (
    CONFORMING,
    ClientError,
    CodexClient,
    Hooks,
    LeftError,
    Message,
)
from tests.selftest.mutants import Mutant
from wiretape.cassette import Cassette, Step, load_cassette
from wiretape.codex.environment import client_steps, tool_results
from wiretape.faults import parse
from wiretape.transcript import Transcript

TEXT: Final = "dynamic_tool_text"
CALLING: Final = (TEXT, "two_texts", "parallel_calls", "namespaced_tool", "dynamic_tool_image")
ALL: Final = (*CALLING, "plain_turn", "success_false", "history_resume", "auth_refresh")


def play(
    cassette: Cassette,
    hooks: Hooks = CONFORMING,
    *,
    leaves: int | None = None,
    fault: str = "",
    behind: bool = False,
) -> Transcript:
    """The transcript of a session, also of one that comes to no end.

    ``leaves``: how many messages the client reads before it hangs up. ``behind`` a real app-server only what
    the model is told is in it.
    """
    faults = (parse(fault),) if fault else ()
    session, patience = Session(cassette, "0.171", faults, behind=behind), Patience(leaves)
    client = CodexClient(
        connect=lambda: LeavingWire(session.connect(), patience),
        steps=client_steps(cassette, profile="0.171"),
        tools=cassette.expect.tools,
        results=tool_results(cassette),
        hooks=hooks,
    )
    with suppress(ClientError):  # both wait for the other one, or the server refused what is wrong
        client.run()
    return session.finished()


@dataclass(slots=True)
class Patience:
    """How many messages a client goes on reading, whatever connection they come on; None for ever."""

    left: int | None

    def read(self) -> None:
        """Raises LeftError when it is enough."""
        if self.left == 0:
            raise LeftError
        self.left = None if self.left is None else self.left - 1


@dataclass(slots=True)
class LeavingWire:
    """A connection whose client hangs up when it has read enough."""

    wire: MemoryWire
    patience: Patience

    def send(self, data: bytes) -> None:
        self.wire.send(data)

    def receive(self) -> bytes:
        self.patience.read()
        return self.wire.receive()

    def wait(self, seconds: float) -> None:
        self.wire.wait(seconds)

    def close(self) -> None:
        self.wire.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """A reply that is made from the right answer; two of them are one reply."""

    before: tuple[Callable[[Message], Message], ...] = ()
    """Messages that are sent first."""
    edits: tuple[Callable[[Message], object], ...] = ()
    """Changes of the answer itself."""
    times: int = 1
    """How often it is sent."""
    leaves: bool = False
    """Whether the client hangs up then."""

    def __call__(self, client: CodexClient, _request: Message, right: Message) -> None:
        for make in self.before:
            client.send(make(right))
        for edit in self.edits:
            edit(right)
        for _ in range(self.times):
            client.send(right)
        if self.leaves:
            client.leave()

    def and_(self, other: Answering) -> Answering:
        return Answering(
            before=self.before + other.before,
            edits=self.edits + other.edits,
            times=self.times * other.times,
            leaves=self.leaves or other.leaves,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A way to be wrong, and the cassettes in which it shows. ``rule``, ``also``: without the protocol."""

    rule: str
    name: str
    hooks: Hooks = CONFORMING
    cassettes: tuple[str, ...] = (TEXT,)
    also: tuple[str, ...] = ()
    busy: bool = False
    """Whether the model never comes to its last answer."""
    free: bool = False
    """Whether nobody says what the tools give."""
    leaves: int | None = None
    fault: str = ""
    """What goes wrong on purpose, so that it shows."""
    behind: bool = False
    """Whether only what a real app-server tells its model is seen."""

    def mutant(self, cassette: str) -> Mutant:
        return Mutant(
            name=f"{self.rule}: {self.name} [{cassette}]",
            rules=(self.rule,),
            play=lambda: play(
                self.played(cassette),
                self.hooks,
                leaves=self.leaves,
                fault=self.fault,
                behind=self.behind,
            ),
            also=self.also,
        )

    def played(self, name: str) -> Cassette:
        cassette = load_cassette(f"codex/{name}")
        if self.busy:
            cassette = replace(cassette, model=(*cassette.model[:-1], Step(wait="until_interrupt")))
        if self.free:
            cassette = replace(cassette, expect=replace(cassette.expect, results={}))
        return cassette


def both(one: Hooks, other: Hooks) -> Hooks | None:
    """A client that is broken in both ways; None where no client can be."""
    merged: dict[str, Any] = {}
    for each in fields(Hooks):
        right, first, second = (getattr(hooks, each.name) for hooks in (CONFORMING, one, other))
        if first is right or second is right:
            merged[each.name] = second if first is right else first
        elif isinstance(first, Answering) and isinstance(second, Answering):
            merged[each.name] = first.and_(second)
        elif each.name in ("initialize", "thread_start"):
            merged[each.name] = lambda params, first=first, second=second: (first(params), second(params))
        else:
            return None
    return Hooks(**merged)


def answered(*edits: Callable[[Message], object], **more: Any) -> Hooks:
    """The answer to a call, changed."""
    return Hooks(call=Answering(edits=edits, **more))


def with_members(members: Message) -> Callable[[Message], object]:
    """Make it an answer that has these members beside its id."""

    def edit(answer: Message) -> None:
        number = answer["id"]
        answer.clear()
        answer.update({"id": number} | deepcopy(members))

    return edit
