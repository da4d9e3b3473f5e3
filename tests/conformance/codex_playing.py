"""How the conformance tests play a codex cassette to the reference client without any process or socket."""

from __future__ import annotations

import contextlib
import json
from collections import deque
from typing import Literal

from tests.conformance.codex_reference import CONFORMING, ClientError, CodexClient, Hooks
from tests.server.codex_client import Clock, Minter, Timers
from wiretape import verify
from wiretape.cassette import Cassette, Step
from wiretape.codex.environment import client_steps, tool_results
from wiretape.contract import Report
from wiretape.faults import Fault, parse
from wiretape.faults.codex import Aim
from wiretape.transcript import Frame, Link, Request, Side, Struck, Transcript
from wiretape_server.codex.appserver import AppServer
from wiretape_server.codex.home import Home
from wiretape_server.codex.profiles import PROFILES
from wiretape_server.codex.provider import ProviderRequest, ScriptedModel
from wiretape_server.codex_faults import Overlay, Unnoted
from wiretape_server.codex_outputs import expected_outputs

FOR_EVER = 30.0
"""Seconds until a client that waits is ended."""


def judged(
    cassette: Cassette,
    hooks: Hooks = CONFORMING,
    *,
    profile: str = "0.171",
    fault: str = "",
    behind: bool = False,
) -> Report:
    """Play a cassette to the reference client, broken by ``hooks``, and give the verdict.

    With a fault the client may end with a ClientError. ``behind`` a real app-server only what the model is
    told is seen.
    """
    session = Session(cassette, profile, tuple(map(parse, filter(None, [fault]))), behind=behind)
    with contextlib.suppress(ClientError) if fault else contextlib.nullcontext():
        client_of(session, hooks).run()
    return verify(session.finished())


def client_of(session: Session, hooks: Hooks = CONFORMING) -> CodexClient:
    """The reference client at a session."""
    return CodexClient(
        connect=session.connect,
        steps=client_steps(session.cassette, profile=session.profile.name),
        tools=session.cassette.expect.tools,
        results=tool_results(session.cassette),
        hooks=hooks,
    )


class Session:
    """The app-server's side of one cassette: each connection is a process on the same home."""

    def __init__(
        self, cassette: Cassette, profile: str, faults: tuple[Fault, ...] = (), *, behind: bool = False
    ) -> None:
        self.cassette, self.behind = cassette, behind
        self.faults, self.aim = faults, Aim(faults)
        self.script = ScriptedModel(cassette.model)
        self.profile = PROFILES[profile]
        self.home, self.clock, self.mint, self.timers = Home(), Clock(), Minter(), Timers()
        self.connections = 0
        self.transcript = Transcript(
            protocol="codex",
            name=cassette.name,
            live=True,
            pace="instant",
            expect={"results": cassette.expect.results}
            | ({"outputs": expected_outputs(cassette, self.profile)} if behind else {}),
        )

    def connect(self) -> MemoryWire:
        self.connections += 1
        return MemoryWire(self, f"c{self.connections}")

    def process(self) -> AppServer:
        return AppServer(
            profile=self.profile,
            model=self,
            home=self.home,
            wall=self.clock,
            mint=self.mint,
            call_later=self.timers,
            recorder=Unnoted() if self.faults else self,
            stderr=lambda _line: None,
        )

    def next_step(self, request: ProviderRequest) -> Step:
        """Be the model, and note what it is told, if that is what is seen."""
        if self.behind:
            asked = {"prompt_cache_key": request.thread_id, "input": request.body["input"]}
            number = len(self.transcript.entries) + 1
            self.transcript.entries.append(
                Request(
                    number=number,
                    method="POST",
                    path="/v1/responses",
                    headers=(),
                    body=json.dumps(asked).encode(),
                    at=self.clock(),
                )
            )
        return self.script.next_step(request)

    def frame(self, direction: Side, data: bytes, connection: str) -> None:
        if self.behind:
            return
        at = self.clock()
        self.transcript.entries.append(Frame(direction=direction, data=data, connection=connection, at=at))

    def struck(self, connection: str, fault: str) -> None:
        self.transcript.entries.append(Struck(connection=connection, fault=fault, at=self.clock()))

    def link(self, connection: str, what: Literal["opened", "closed"], by: Side = "client") -> None:
        if self.behind:
            return
        at = self.clock()
        self.transcript.entries.append(
            Link(connection=connection, what=what, transport="stdio", at=at, by=by)
        )

    def finished(self) -> Transcript:
        self.transcript.errors = tuple(self.script.overruns)
        return self.transcript


class MemoryWire:
    """A connection whose server speaks as soon as it is spoken to, or when its next timer rings."""

    def __init__(self, session: Session, name: str) -> None:
        self.session, self.name = session, name
        self.heard: deque[bytes] = deque()
        self.gone = self.closed = False
        self.overlay: Overlay | None = None
        if session.faults:
            self.overlay = Overlay(name, session.aim, session, MemoryOutlet(self), session.timers)
        session.link(name, "opened")
        self.process = session.process()
        hear = self.overlay.hear if self.overlay else self.heard.append
        self.connection = self.process.connect(hear, name=name)

    def send(self, data: bytes) -> None:
        if self.overlay is not None:
            self.overlay.take(data, self.connection.receive)
        else:
            self.connection.receive(data)

    def receive(self) -> bytes:
        if not self.heard and not self.gone:
            self.session.timers.ring()
        if not self.heard and self.gone:
            raise ClientError("the app-server has ended")
        if not self.heard:
            self.wait(FOR_EVER)
            raise ClientError("both sides wait for the other one")
        return self.heard.popleft()

    def wait(self, seconds: float) -> None:
        self.session.clock.now += seconds

    def close(self) -> None:
        if not self.closed:
            self.end("client")

    def end(self, by: Side) -> None:
        self.closed = True
        self.session.link(self.name, "closed", by)
        self.connection.close()


class MemoryOutlet:
    """The server's side of a connection with faults."""

    def __init__(self, wire: MemoryWire) -> None:
        self.wire = wire

    def send(self, data: bytes) -> None:
        self.wire.heard.append(data)

    def end_by(self, kind: str) -> None:
        self.wire.gone = True
        if kind == "child-exit":
            self.wire.process.exit()
        if kind != "eof":
            self.wire.end("server")

    def drop(self) -> None:
        """Nobody else is connected."""
