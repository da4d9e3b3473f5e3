"""The reference client's connections to a play with faults: they keep what was heard, and how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from tests.conformance.codex_reference import ClientError, CodexClient
from tests.server.codex_wires import CLOSE, TEXT, Websocket
from tests.server.wire import TIMEOUT
from wiretape.codex.environment import client_steps
from wiretape.transcript import Frame, Transcript
from wiretape_server.codex_faults import MALFORMED
from wiretape_server.thread import CodexPlayback

TRANSPORTS = ("stdio", "websocket")
ENDS_WITHIN = 1.0
"""Seconds after the end of its stdout in which a process has ended, or else lives on."""
GOES_ON = (
    "late-answer@type:turn/start",
    "duplicate-answer@type:*",
    "notification-first@type:*",
    "server-request-first@type:turn/start",
    "malformed-line@event:*",
)
GIVES_UP = (
    "rpc-error@type:thread/start",
    "child-exit@type:item/tool/call",
    "eof@type:item/tool/call",
    "reconnect@type:item/tool/call",
)
FAULTS = (*GOES_ON, *GIVES_UP)
"""One of each kind, by what the reference client does."""


class Stdio:
    """An app-server as a process of its own."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self.heard: list[bytes] = []
        self.how = ""
        self._rest = b""

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(data + b"\n")
        except OSError as error:
            raise ClientError(f"nobody reads: {error}") from None

    def receive(self) -> bytes:
        assert self.process.stdout is not None
        while b"\n" not in self._rest:
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise self._ended()
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        self.heard.append(line)
        return line

    def _ended(self) -> ClientError:
        """Say how it ended; a process that does not end soon is taken to live on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(ENDS_WITHIN)
        code = self.process.returncode
        self.how = "it lives on" if code is None else f"exit code {code}"
        return ClientError(f"stdout has ended: {self.how}")

    def wait(self, _seconds: float) -> None:
        raise NotImplementedError("no test waits")

    def close(self) -> None:
        _, stderr = self.process.communicate(timeout=TIMEOUT)
        self.how += f"; stderr: {stderr.decode()}" if stderr else ""


class Socket:
    """A websocket of the play's."""

    def __init__(self, url: str) -> None:
        self.websocket = Websocket(url)
        self.heard: list[bytes] = []
        self.how = ""

    def send(self, data: bytes) -> None:
        try:
            self.websocket.write(data)
        except OSError as error:
            raise ClientError(f"nobody reads: {error}") from None

    def receive(self) -> bytes:
        try:
            opcode, data = self.websocket.read_frame()
        except (EOFError, ConnectionError):
            self.how = "no close frame"
            raise ClientError("the connection broke") from None
        if opcode == CLOSE:
            self.how = f"close code {int.from_bytes(data[:2], 'big')}"
            raise ClientError(self.how)
        assert opcode == TEXT
        self.heard.append(data)
        return data

    def wait(self, _seconds: float) -> None:
        raise NotImplementedError("no test waits")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.websocket.frame(CLOSE, (1000).to_bytes(2, "big"))
        self.websocket.__exit__()


class Player:
    """The reference client at a play, over one of the transports; ``wires`` are its connections."""

    def __init__(
        self, playback: CodexPlayback, transport: str, client: type[CodexClient] = CodexClient
    ) -> None:
        self.wires: list[Any] = []
        self._playback = playback
        self._transport = transport
        self.client = client(
            connect=self._connect,
            steps=client_steps(playback.cassette),
            tools=playback.tools,
            results=playback.results,
        )

    def _connect(self) -> Any:
        url, command = self._playback.ws_url, self._playback.command
        self.wires.append(Socket(url) if self._transport == "websocket" else Stdio(command))
        return self.wires[-1]

    def run(self) -> str:
        """Play; what the client gave up with, if it did."""
        try:
            self.client.run()
        except ClientError as error:
            return str(error)
        return ""


class Returning(CodexClient):
    """Comes back once when a connection ends, and goes on where it was: the same turn, or a new one."""

    came_back = False

    def take(self) -> None:
        try:
            super().take()
        except ClientError:
            if self.came_back or not self.thread_id:
                raise
            self.came_back = True
            self.wire.close()
            self.open()
            self.come_back()

    def come_back(self) -> None:
        thread = self.result("thread/resume", {"threadId": self.thread_id})["thread"]
        running = [turn for turn in thread["turns"] if turn["status"] == "inProgress"]
        if not running:
            self.turn(self.steps[0]["turn"])
            self.over.update(turn["id"] for turn in thread["turns"])


def settled(playback: CodexPlayback) -> Transcript:
    assert playback.wait_idle(TIMEOUT)
    return playback.transcript()


def said(transcript: Transcript) -> list[bytes]:
    """What the server wrote, by the transcript."""
    frames = (entry for entry in transcript.entries if isinstance(entry, Frame))
    return [frame.data for frame in frames if frame.direction == "server"]


def places(heard: list[bytes], wanted: Callable[[dict[str, Any]], object]) -> list[int]:
    """Where the messages are that this function says yes to."""
    messages = [{} if data == MALFORMED else json.loads(data) for data in heard]
    return [index for index, message in enumerate(messages) if wanted(message)]


def answers(heard: list[bytes], number: int) -> list[int]:
    return places(heard, lambda message: message.get("id") == number and "method" not in message)


def named(heard: list[bytes], method: str) -> list[int]:
    return places(heard, lambda message: message.get("method") == method)
