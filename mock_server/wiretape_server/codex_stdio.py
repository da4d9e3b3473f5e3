"""Where bridges connect: each one is an app-server process that a client has started."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias, cast

from wiretape.jsonrpc import LineDecoder
from wiretape_server import bridge
from wiretape_server.codex_command import Printed, read_command
from wiretape_server.codex_faults import CRASH, CRASHED
from wiretape_server.codex_play import CodexPlay, Line, Stderr
from wiretape_server.codex_ws import WebsocketDoor
from wiretape_server.site import Site
from wiretape_server.ws_auth import Lock

FindPlay: TypeAlias = Callable[[str], CodexPlay | None]
"""Gives the play of a key."""

_LONGEST_HEAD: Final = 1 << 20
"""Bytes of a bridge's head."""


class BridgePort:
    """The port on loopback to which bridges connect."""

    def __init__(self, find_play: FindPlay) -> None:
        self._find_play = find_play
        self._listener: asyncio.Server | None = None
        self._waiting: set[asyncio.Transport] = set()
        """Those that have not said yet what was started: no play ends them."""
        self.address = ("127.0.0.1", 0)

    async def open(self) -> None:
        """Listen. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(
            lambda: Bridge(self._find_play, self._waiting), *self.address, backlog=1024
        )
        self.address = self._listener.sockets[0].getsockname()

    def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.close()
        for transport in list(self._waiting):
            transport.abort()


class Process(Protocol):
    """What a bridge stands for."""

    def feed(self, data: bytes) -> None:
        """Take what the client wrote to stdin."""

    def end(self) -> None:
        """The client closed stdin, or is gone."""


@dataclass(frozen=True, slots=True)
class Output:
    """The bridge's side of a process: stdout, stderr, the exit."""

    transport: asyncio.Transport

    def line(self, data: bytes, kind: bytes = bridge.STDOUT) -> None:
        """Write a line, which comes without its newline."""
        self.transport.write(bridge.record(kind, data + b"\n"))

    def shut(self) -> None:
        """Close stdout; the process goes on."""
        self.transport.write(bridge.record(bridge.SHUT, b""))

    def error(self, text: str) -> None:
        self.line(text.encode("utf-8", "replace"), bridge.STDERR)

    def exit(self, code: int) -> None:
        """End the bridge, if it is still there."""
        if not self.transport.is_closing():
            self.transport.write(bridge.record(bridge.EXIT, str(code).encode()))
            self.transport.close()


class Bridge(asyncio.Protocol):
    """One bridge: a head that says what was started, then the client's stdin."""

    def __init__(self, find_play: FindPlay, waiting: set[asyncio.Transport]) -> None:
        self._find_play = find_play
        self._waiting = waiting
        self._head = b""
        self._process: Process | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._output = Output(cast(asyncio.Transport, transport))
        self._waiting.add(self._output.transport)

    def data_received(self, data: bytes) -> None:
        if self._process is None:
            self._head += data
            data = self._take_head()
        if self._process is not None:
            self._process.feed(data)

    def _take_head(self) -> bytes:
        """Start what the head asks for, once it is there; what came behind it. A stranger is let go."""
        kind, size = self._head[:1], int.from_bytes(self._head[1 : bridge.HEADER_SIZE], "big")
        end = bridge.HEADER_SIZE + size
        if kind != bridge.HEAD or size > _LONGEST_HEAD:
            self._output.transport.abort()
        elif len(self._head) >= end:
            self._waiting.discard(self._output.transport)
            self._process = self._start(self._head[bridge.HEADER_SIZE : end])
        return self._head[end:]

    def eof_received(self) -> bool:
        if self._process is not None:
            self._process.end()
        return self._process is not None

    def connection_lost(self, _error: Exception | None) -> None:
        self._waiting.discard(self._output.transport)
        if self._process is not None:
            self._process.end()

    def _start(self, head: bytes) -> Process:
        parts = [os.fsdecode(part) for part in head.split(b"\0")]
        play = self._find_play(parts[0])
        if play is None:
            return self._print(Printed(text=f"nothing is played as {parts[0]!r} any more", exit_code=1))
        command = read_command(
            parts[2:],
            version=play.profile.version,
            folder=Path(*parts[1:2]),
            locks=play.profile.locks,
        )
        if isinstance(command, Printed):
            return self._print(command)
        if command.address is not None:
            return WebsocketProcess(play, command.address, command.lock, self._output)
        return StdioProcess(play, self._output)

    def _print(self, printed: Printed) -> Process:
        self._output.line(printed.text.encode(), bridge.STDERR if printed.exit_code else bridge.STDOUT)
        self._output.exit(printed.exit_code)
        return Ended()


class Ended:
    """A process that has ended: what its client still says goes nowhere."""

    def feed(self, data: bytes) -> None: ...

    def end(self) -> None: ...


class StdioProcess:
    """An app-server that speaks over stdio: it ends when stdin does, or when a fault ends it."""

    def __init__(self, play: CodexPlay, output: Output) -> None:
        self._play = play
        self._output = output
        self._stderr = Stderr(output.error)
        self._server = play.start(self._stderr)
        self._line = Line(play, self._server, self, transport="stdio")
        self._decoder = LineDecoder()
        self._running = True
        play.opened(output.transport.abort)

    def feed(self, data: bytes) -> None:
        for line in self._decoder.feed(data):
            self._line.receive(line)

    def end(self) -> None:
        if not self._running:
            return
        for line in self._decoder.close():
            self._line.receive(line)
        self._exit(0, "stdin closed, exit code 0")

    def send(self, data: bytes) -> None:
        """Write a message to stdout."""
        self._output.line(data)

    def end_by(self, kind: str) -> None:
        """End as a fault does."""
        if not self._running:
            return
        if kind == "eof":
            self._output.shut()
        elif kind == "reconnect":
            self._exit(0, "exit code 0")
        else:
            self._play.crash(self._server)

    def drop(self) -> None:
        """Die, with a last word."""
        self._stderr(CRASH)
        self._exit(CRASHED, f"exit code {CRASHED}")

    def _exit(self, code: int, how: str) -> None:
        self._running = False
        self._line.close(self._stderr.after(how))
        self._output.exit(code)
        self._play.ended(self._output.transport.abort)


class WebsocketProcess:
    """An app-server that listens on a websocket of its own, until its bridge is gone."""

    def __init__(self, play: CodexPlay, address: tuple[str, int], lock: Lock, output: Output) -> None:
        self._play = play
        self._output = output
        self._server = play.start(output.error)
        self._site = Site(WebsocketDoor(play, self._server, lock, self._crash))
        self._running = True
        self._task = asyncio.get_running_loop().create_task(self._listen(*address))
        play.opened(output.transport.abort)

    def feed(self, data: bytes) -> None:
        """Take nothing: nobody reads this process's stdin."""

    def end(self) -> None:
        self._exit(0)

    def _crash(self) -> None:
        """Die by a fault, with a last word."""
        self._play.crash(self._server)
        self._output.error(CRASH)
        self._exit(CRASHED)

    def _exit(self, code: int) -> None:
        if not self._running:
            return
        self._running = False
        self._task.cancel()
        self._site.shut()
        self._server.exit()
        self._output.exit(code)
        self._play.ended(self._output.transport.abort)
        self._task = asyncio.get_running_loop().create_task(self._site.close())

    async def _listen(self, host: str, port: int) -> None:
        try:
            await self._site.open(host, port)
        except OSError as error:
            self._output.error(f"error: {error.strerror}")
            self._output.exit(1)
            return
        place = self._site.base_url.removeprefix("http")
        health = (f"  {name}: http{place}/{name}" for name in ("readyz", "healthz"))
        for line in (
            "codex app-server (WebSockets)",
            f"  listening on: ws{place}",
            *(health if self._play.profile.tells_health else ()),
            "  note: binds localhost only (use SSH port-forwarding for remote access)",
        ):
            self._output.error(line)
