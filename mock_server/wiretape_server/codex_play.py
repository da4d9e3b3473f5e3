"""One play of a Codex cassette: its app-server processes on one home, its transcript, what was not played."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from wiretape.cassette.model import Cassette, CassetteError, ModelCall, Step
from wiretape.codex.tool_specs import refusal
from wiretape.faults import KINDS, FaultError, demand_hits, unstruck
from wiretape.faults.codex import Aim
from wiretape.transcript import Side, Struck, Transcript, Transport
from wiretape_server import ws_auth
from wiretape_server.codex.appserver import AppServer
from wiretape_server.codex.home import Home
from wiretape_server.codex.process import CallLater
from wiretape_server.codex.profiles import DEFAULT, PROFILES
from wiretape_server.codex.provider import Model, ProviderRequest, ScriptedModel
from wiretape_server.codex_command import read_options
from wiretape_server.codex_faults import LATE, Outlet, Overlay, Unnoted
from wiretape_server.codex_outputs import expected_outputs
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.pacing import Wheel
from wiretape_server.play import World
from wiretape_server.recorder import Recorder

Abort = Callable[[], object]


class PlayedModel(Model, Protocol):
    """A model that notes what it was asked beyond its script."""

    overruns: list[str]


_LOG: Final = logging.getLogger("wiretape_server")
THINKING: Final = 0.1
"""Seconds that the model takes for an answer at the recorded pace, so that a client which leaves before its
turn has ended can be told from one that reads on."""
_UNDECLARED: Final = "did not come to the client: its thread/start has no such tool in dynamicTools"
_TAIL: Final = 3
"""Lines of an app-server's stderr that the transcript keeps."""


class CodexPlay:
    """A namespace on the server in which one cassette is played, to any number of clients at once.

    Also the model of its app-servers. Raises OptionError, and CassetteError for a cassette without a model or
    with tools that the demanded profile refuses.
    """

    def __init__(self, key: str, cassette: Cassette, options: PlayOptions, world: World) -> None:
        if options.profile and (why_not := refusal(cassette.expect.tools, options.profile)):
            raise CassetteError(f"{cassette.source or cassette.name}: {why_not}; play a later profile")
        try:
            demand_hits(options.faults, cassette)
        except FaultError as error:
            raise OptionError(str(error)) from None
        self.key = key
        self.cassette = cassette
        self.options = options
        self.world = world
        self.profile = PROFILES[options.profile or cassette.profile or DEFAULT]
        if options.app_server and not self.profile.locks:
            unknown = f"--ws-auth is unknown to app-server {self.profile.name}"
            raise OptionError(f"{unknown}; leave it out, or play a later profile")
        self.lock = ws_auth.read_lock(read_options(options.app_server), Path.cwd())
        self.recorder = Recorder(world.clock)
        self.errors: list[str] = []
        self.provider_requests: Counter[str] = Counter()
        """How many a real app-server sent for each thread."""
        self.idle = asyncio.Event()
        self.idle.set()
        self._aim = Aim(options.faults)
        self._home = Home()
        self._model = self.make_model(cassette)
        self._asked: set[int] = set()
        self._played: set[int] = set()
        self._open: list[Abort] = []
        self.lines: list[Line] = []
        """The connections that are open."""
        self._connections = 0
        self.closed = False
        """Whether the server ended what clients held."""
        self._shared: AppServer | None = None

    def make_model(self, cassette: Cassette) -> PlayedModel:
        """The model that is played. Raises CassetteError when the cassette has none."""
        if not cassette.model:
            name = cassette.source or cassette.name
            raise CassetteError(f"{name}: no model steps; there is nothing to play")
        return ScriptedModel(cassette.model)

    @property
    def shared(self) -> AppServer:
        """The process behind the play's websocket: one for all its connections."""
        if self._shared is None:
            self._shared = self.start(_unread)
        return self._shared

    def start(self, stderr: Callable[[str], None]) -> AppServer:
        """Start an app-server process on this play's home. Call it in the server's loop."""
        return AppServer(
            profile=self.profile,
            model=self,
            home=self._home,
            wall=self.world.wall,
            mint=self.world.mint,
            call_later=_later(self.world.wheel),
            recorder=Unnoted() if self.options.faults else self.recorder,
            stderr=stderr,
            thinking=THINKING * self.options.scale,
        )

    def crash(self, server: AppServer) -> None:
        """A process dies with all its connections; who comes to the play's websocket next finds a new one."""
        server.exit()
        for line in [each for each in self.lines if each.server is server]:
            line.drop()
        if server is self._shared:
            self._shared = None

    def overlay(self, name: str, outlet: Outlet) -> Overlay | None:
        """The faults of a connection; None in a play without any."""
        if not self.options.faults:
            return None
        patience = LATE * max(self.options.scale, 1)
        later = _later(self.world.wheel)
        return Overlay(name, self._aim, self.recorder, outlet, later, patience=patience)

    def next_step(self, request: ProviderRequest) -> Step:
        """What the model does with a request; noted as played when its calls can come to the client."""
        self._asked.add(request.number)
        step = self._model.next_step(request)
        results = self.cassette.expect.results
        calls = [item for item in step.items if isinstance(item, ModelCall) and item.tool in results]
        if request.declares(calls, self.profile):
            self._played.add(request.number)
        return step

    def name_connection(self) -> str:
        """A new connection's name."""
        self._connections += 1
        return f"c{self._connections}"

    def opened(self, abort: Abort) -> None:
        """Something a client holds has begun; ``abort`` breaks it when the play closes."""
        self._open.append(abort)
        self.idle.clear()

    def ended(self, abort: Abort) -> None:
        """What began with this ``abort`` has ended."""
        self._open.remove(abort)
        if not self._open:
            self.idle.set()

    def close(self) -> None:
        """Break whatever clients hold. Call it in the server's loop."""
        self.closed = True
        for abort in list(self._open):
            abort()
        if self._shared is not None:
            self._shared.exit()

    @property
    def unplayed(self) -> tuple[str, ...]:
        """The model's steps that no request reached, or that did not reach the client, one line each."""
        steps = self.cassette.model
        return tuple(
            f"model step {number + 1} of {len(steps)} ({describe(step)}) "
            + (_UNDECLARED if number in self._asked else "was not asked for")
            for number, step in enumerate(steps)
            if number not in self._played
        )

    def transcript(self) -> Transcript:
        """What happened so far. May be called from any thread."""
        entries = self.recorder.entries()
        struck = {entry.fault.partition("@")[0] for entry in entries if isinstance(entry, Struck)}
        given_up = any(KINDS[kind].may_end for kind in struck)
        outputs = expected_outputs(self.cassette, self.profile) if self.provider_requests else {}
        return Transcript(
            protocol="codex",
            name=self.cassette.name,
            entries=entries,
            live=True,
            pace=self.options.pace,
            profile=self.profile.name,
            expect={"results": self.cassette.expect.results} | ({"outputs": outputs} if outputs else {}),
            faults=tuple(map(str, self.options.faults)),
            unplayed=() if given_up else self.unplayed,
            errors=(*self.errors, *self._model.overruns, *unstruck(self.options.faults, entries)),
        )


class Line:
    """A client's connection to an app-server, noted in the transcript from its begin to its end."""

    def __init__(self, play: CodexPlay, server: AppServer, outlet: Outlet, *, transport: Transport) -> None:
        self.server = server
        self._play = play
        self._outlet = outlet
        self._transport: Transport = transport
        self._name = play.name_connection()
        self._overlay = play.overlay(self._name, outlet)
        play.recorder.opened(self._name, transport)
        send = self._overlay.hear if self._overlay else outlet.send
        self._connection = server.connect(send, name=self._name, transport=transport)
        play.lines.append(self)

    def receive(self, data: bytes) -> None:
        """Take a message. A fault of the server's own is noted, and the next message is taken too."""
        try:
            if self._overlay is not None:
                self._overlay.take(data, self._connection.receive)
            else:
                self._connection.receive(data)
        except Exception as error:
            _LOG.debug("a fault while taking a message of %s", self._name, exc_info=error)
            self._play.errors.append(
                f"{self._name}: the server failed at {data[:80]!r}: {type(error).__name__}: {error}"
            )

    def ignore(self, data: bytes) -> None:
        """Note a binary message, which an app-server never takes."""
        self._play.recorder.frame("client", data, self._name, binary=True)

    def drop(self) -> None:
        """Its process has died."""
        if self._overlay is not None:
            self._overlay.ended = "child-exit"
        self._outlet.drop()

    def close(self, detail: str) -> None:
        """The connection has ended."""
        self._play.lines.remove(self)
        cut = self._overlay is not None and self._overlay.ended not in ("", "eof")
        by: Side = "server" if self._play.closed or cut else "client"
        self._play.recorder.closed(self._name, self._transport, detail, by)
        self._connection.close()


class Stderr:
    """The last lines of an app-server's stderr, for people."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._lines: list[str] = []

    def __call__(self, line: str) -> None:
        self._lines = [*self._lines, line][-_TAIL:]
        self._write(line)

    def after(self, text: str) -> str:
        """A text, and what stderr said last."""
        return "; ".join([text, *(f"stderr: {line}" for line in self._lines)])


def describe(step: Step) -> str:
    """What the model does, in words."""
    if step.error is not None:
        return f"HTTP {step.error.status}"
    if step.wait:
        return "no answer"
    return ", ".join(f"call of {item.tool}" if isinstance(item, ModelCall) else "text" for item in step.items)


def _unread(_line: str) -> None:
    """Drop a line of the shared process: no client started it."""


class _Alarm:
    """A callback that can be called off."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callbacks: Sequence[Callable[[], None]] = [callback]

    def ring(self) -> None:
        for callback in self._callbacks:
            callback()

    def cancel(self) -> None:
        self._callbacks = ()


def _later(wheel: Wheel) -> CallLater:
    def call_later(seconds: float, callback: Callable[[], None]) -> _Alarm:
        alarm = _Alarm(callback)
        wheel.at(wheel.now() + seconds, alarm.ring)
        return alarm

    return call_later
