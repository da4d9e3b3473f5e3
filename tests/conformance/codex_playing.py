"""How the conformance tests play a codex cassette to the reference client without any process or socket."""

from __future__ import annotations

from collections import deque
from typing import Literal

from tests.conformance.codex_reference import CONFORMING, ClientError, CodexClient, Hooks
from tests.server.codex_client import Clock, Minter, Timers
from wiretape import verify
from wiretape.cassette import Cassette
from wiretape.codex.environment import client_steps, tool_results
from wiretape.contract import Report
from wiretape.transcript import Frame, Link, Side, Transcript
from wiretape_server.codex.appserver import AppServer
from wiretape_server.codex.home import Home
from wiretape_server.codex.profiles import PROFILES
from wiretape_server.codex.provider import ScriptedModel


def judged(cassette: Cassette, hooks: Hooks = CONFORMING, *, profile: str = "0.171") -> Report:
    """Play a cassette to the reference client, broken by ``hooks``, and give the verdict."""
    session = Session(cassette, profile)
    CodexClient(
        connect=session.connect,
        steps=client_steps(cassette, profile=profile),
        tools=cassette.expect.tools,
        results=tool_results(cassette),
        hooks=hooks,
    ).run()
    return verify(session.finished())


class Session:
    """The app-server's side of one cassette: each connection is a process on the same home."""

    def __init__(self, cassette: Cassette, profile: str) -> None:
        self.model = ScriptedModel(cassette.model)
        self.profile = PROFILES[profile]
        self.home, self.clock, self.mint, self.timers = Home(), Clock(), Minter(), Timers()
        self.connections = 0
        self.transcript = Transcript(
            protocol="codex",
            name=cassette.name,
            live=True,
            pace="instant",
            expect={"results": cassette.expect.results},
        )

    def connect(self) -> MemoryWire:
        self.connections += 1
        return MemoryWire(self, f"c{self.connections}")

    def process(self) -> AppServer:
        return AppServer(
            profile=self.profile,
            model=self.model,
            home=self.home,
            wall=self.clock,
            mint=self.mint,
            call_later=self.timers,
            recorder=self,
            stderr=lambda _line: None,
        )

    def frame(self, direction: Side, data: bytes, connection: str) -> None:
        at = self.clock()
        self.transcript.entries.append(Frame(direction=direction, data=data, connection=connection, at=at))

    def link(self, connection: str, what: Literal["opened", "closed"]) -> None:
        at = self.clock()
        self.transcript.entries.append(Link(connection=connection, what=what, transport="stdio", at=at))

    def finished(self) -> Transcript:
        self.transcript.errors = tuple(self.model.overruns)
        return self.transcript


class MemoryWire:
    """A connection whose server speaks as soon as it is spoken to, or when its next timer rings."""

    def __init__(self, session: Session, name: str) -> None:
        self.session, self.name = session, name
        self.heard: deque[bytes] = deque()
        session.link(name, "opened")
        self.connection = session.process().connect(self.heard.append, name=name)

    def send(self, data: bytes) -> None:
        self.connection.receive(data)

    def receive(self) -> bytes:
        if not self.heard:
            self.session.timers.ring()
        if not self.heard:
            raise ClientError("both sides wait for the other one")
        return self.heard.popleft()

    def close(self) -> None:
        self.session.link(self.name, "closed")
        self.connection.close()
