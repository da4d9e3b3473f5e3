"""One app-server process and its connections: the door of this package.

server = AppServer(profile=PROFILES[DEFAULT], model=ScriptedModel(steps), home=Home(), …)
connection = server.connect(write, name="c1", transport="stdio")
connection.receive(b'{"id":1,"method":"initialize",…}')    # answers come through ``write``
connection.close()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from wiretape import jsonrpc
from wiretape.jsonrpc import Answer, Call, Failure, Unreadable
from wiretape.transcript import Side, Transport
from wiretape_server.codex import handshake, methods
from wiretape_server.codex.errors import RefusedError, invalid
from wiretape_server.codex.handshake import Client
from wiretape_server.codex.home import Home
from wiretape_server.codex.outbox import Outbox
from wiretape_server.codex.process import CallLater, Process
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.provider import Model
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.serde import UnreadableError
from wiretape_server.codex.serde_syntax import syntax_complaint
from wiretape_server.minting import IdSource

Send = Callable[[bytes], None]
"""Takes one message, without a newline."""


class FrameRecorder(Protocol):
    """Notes what goes over a connection, at the moment it does."""

    def frame(self, direction: Side, data: bytes, connection: str) -> None: ...


_EXPERIMENTAL: Final = frozenset({"thread/readState/changed"})
"""Notifications for clients with the experimentalApi capability only."""


def _complaint(message: Unreadable, data: bytes) -> str:
    syntax = syntax_complaint(data) if message.kind in ("json", "several") else ""
    return syntax or "data did not match any variant of untagged enum JSONRPCMessage"


class AppServer:
    """One process. A second one on the same ``home`` finds the threads of the first.

    ``wall`` gives seconds since 1970, ``mint`` random bytes; ``call_later`` calls a function after that many
    seconds and gives back something with ``cancel``; ``stderr`` takes what the real one writes there;
    ``thinking`` are the seconds that the model takes for an answer.
    """

    def __init__(
        self,
        *,
        profile: Profile,
        model: Model,
        home: Home,
        wall: Callable[[], float],
        mint: IdSource,
        call_later: CallLater,
        recorder: FrameRecorder,
        stderr: Callable[[str], None],
        thinking: float = 0.0,
    ) -> None:
        self._recorder = recorder
        self._process = Process(
            profile=profile,
            home=home,
            model=model,
            outbox=Outbox(wall=wall, emitted_at=profile.emitted_at),
            wall=wall,
            mint=mint,
            call_later=call_later,
            complain=stderr,
            thinking=thinking,
        )

    def connect(self, send: Send, *, name: str, transport: Transport = "stdio") -> Connection:
        """Open a connection. Over stdio it is the only one, and the process ends with it."""
        return Connection(self._process, self._recorder, send, name, ends_process=transport == "stdio")

    def exit(self) -> None:
        """Kill the process: it writes nothing more of the turns that run."""
        self._process.exit(killed=True)


class Connection:
    """A client of the process, from its first message on."""

    def __init__(
        self, process: Process, recorder: FrameRecorder, send: Send, name: str, *, ends_process: bool
    ) -> None:
        self.name = name
        self._process = process
        self._recorder = recorder
        self._send = send
        self._ends_process = ends_process
        self._client: Client | None = None

    def receive(self, data: bytes) -> None:
        """Take one line or websocket message, without its newline."""
        self._recorder.frame("client", data, self.name)
        message = jsonrpc.read(data)
        if isinstance(message, Call):
            self._call(message)
        elif isinstance(message, (Answer, Failure)):
            self._process.outbox.settle(message)
        elif isinstance(message, Unreadable):
            where, why = self._process.profile.transport_log, _complaint(message, data)
            self._process.complain(f"ERROR {where}: Failed to deserialize JSONRPCMessage: {why}")

    def close(self) -> None:
        """The client is gone."""
        self._process.leave(self)
        if self._ends_process:
            self._process.exit(killed=False)

    def wants(self, method: str) -> bool:
        """Whether it is told of these notifications."""
        client = self._client
        if client is None or method in client.opted_out:
            return False
        return client.experimental or method not in _EXPERIMENTAL

    def hear(self, data: bytes) -> None:
        """Send one message, noted first."""
        self._recorder.frame("server", data, self.name)
        self._send(data)

    def _call(self, call: Call) -> None:
        outbox = self._process.outbox
        try:
            params = methods.read_params(call.method, call.params, self._process.profile)
            reply = self._run(call.method, params)
        except UnreadableError as complaint:
            outbox.refuse(self, call.id, invalid(str(complaint)).wire())
            return
        except RefusedError as refusal:
            outbox.refuse(self, call.id, refusal.wire())
            return
        if reply is not None:
            outbox.answer(self, call.id, reply.result)
            reply.then()

    def _run(self, method: str, params: dict[str, Any]) -> Reply | None:
        if method == "initialize":
            return self._initialize(params)
        if self._client is None:
            raise RefusedError("Not initialized")
        asking = Asking(
            process=self._process,
            hearer=self,
            client=self._client.name,
            experimental=self._client.experimental,
        )
        return methods.METHODS[method].run(asking, params)

    def _initialize(self, params: dict[str, Any]) -> Reply:
        client = handshake.read_client(params, self._process.profile)
        if self._client is not None:
            raise RefusedError("Already initialized")
        self._client = client
        self._process.connections.append(self)
        return Reply(handshake.greeting(self._process.profile, self._process.home, client))
