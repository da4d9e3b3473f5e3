"""Clients of a codex play that see its bytes: over stdio as a process, and on a websocket as frames."""

from __future__ import annotations

import base64
import json
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from typing import Any, Self

from tests.server.wire import TIMEOUT, Answer, Wire
from wiretape_server.thread import CodexPlayback

OK = {"contentItems": [{"type": "inputText", "text": "hi"}], "success": True}
TEXT, BINARY, CLOSE = 1, 2, 8


def completes_the_call(message: dict[str, Any]) -> bool:
    """Whether a message says that a tool call is completed."""
    completed = message.get("method") == "item/completed"
    return completed and bool(message["params"]["item"]["type"] == "dynamicToolCall")


class Speaker:
    """JSON-RPC over something that carries messages."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        """What came while something else was waited for."""
        self._next_id = 100

    def write(self, data: bytes) -> None:
        raise NotImplementedError

    def read(self) -> bytes:
        raise NotImplementedError

    def say(self, message: object) -> None:
        self.write(json.dumps(message).encode())

    def answer(self, request: dict[str, Any], result: object = OK) -> None:
        self.say({"id": request["id"], "result": result})

    def ask(self, method: str, params: object) -> Any:
        """Send a request; its result, or its error."""
        self._next_id += 1
        self.say({"id": self._next_id, "method": method, "params": params})
        answer = self.until(lambda message: message.get("id") == self._next_id and "method" not in message)
        return answer.get("result", answer.get("error"))

    def until(self, wanted: Any) -> dict[str, Any]:
        """The next message with this method, or for which this function says yes."""
        while True:
            message: dict[str, Any] = json.loads(self.read())
            if message.get("method") == wanted or (callable(wanted) and wanted(message)):
                return message
            self.heard.append(message)

    def initialize(self) -> Any:
        capabilities = {"experimentalApi": True}
        info = {"name": "test", "version": "1"}
        result = self.ask("initialize", {"clientInfo": info, "capabilities": capabilities})
        self.say({"method": "initialized"})
        return result

    def start_thread(self, tools: Sequence[Any]) -> str:
        return str(self.ask("thread/start", {"dynamicTools": list(tools)})["thread"]["id"])

    def start_turn(self, thread: str) -> None:
        self.ask("turn/start", {"threadId": thread, "input": [{"type": "text", "text": "go"}]})

    def call(self, playback: CodexPlayback) -> tuple[str, dict[str, Any]]:
        """Begin a session up to its first tool call; the thread and the request."""
        self.initialize()
        thread = self.start_thread(playback.tools)
        self.start_turn(thread)
        return thread, self.until("item/tool/call")


class Program(Speaker):
    """A client of an app-server program; ``settings`` are those of Popen."""

    def __init__(self, command: Sequence[str], **settings: Any) -> None:
        super().__init__()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **settings)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read_all, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def _read_all(self) -> None:
        assert self.process.stdout is not None
        for line in iter(self.process.stdout.readline, b""):
            self._lines.put(line)

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def read(self) -> bytes:
        return self._lines.get(timeout=TIMEOUT * 4)

    def end(self) -> tuple[int, str]:
        """Close stdin; exit code and stderr."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        code = self.process.wait(TIMEOUT)
        return code, self.process.stderr.read().decode()


class Process(Program):
    """A client of the program that stands in for ``codex``."""

    def __init__(self, playback: CodexPlayback, *arguments: str) -> None:
        super().__init__([str(playback.bin), *(arguments or ("app-server",))])


class Websocket(Speaker):
    """A websocket, as the frames that it is made of."""

    def __init__(self, url: str, **headers: str) -> None:
        super().__init__()
        self._wire = Wire(url.replace("ws://", "http://"))
        self._wire.socket.settimeout(TIMEOUT * 4)
        self._wire.send(
            "GET",
            "" if self._wire.prefix else "/",
            connection="Upgrade",
            upgrade="websocket",
            sec_websocket_version="13",
            sec_websocket_key=base64.b64encode(os.urandom(16)).decode(),
            **headers,
        )
        self.upgrade: Answer = self._wire.answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._wire.socket.close()

    def frame(self, opcode: int, data: bytes, *, final: bool = True) -> None:
        """Send one frame, masked with zeros."""
        size = len(data)
        length = bytes([size | 128]) if size < 126 else b"\xff" + size.to_bytes(8, "big")
        self._wire.socket.sendall(bytes([opcode | final << 7]) + length + bytes(4) + data)

    def write(self, data: bytes) -> None:
        self.frame(TEXT, data)

    def read(self) -> bytes:
        opcode, data = self.read_frame()
        assert opcode == TEXT, (opcode, data)
        return data

    def read_frame(self) -> tuple[int, bytes]:
        """The next frame: opcode and payload."""
        first, size = self._wire.exactly(2)
        if size >= 126:
            size = int.from_bytes(self._wire.exactly(2 if size == 126 else 8), "big")
        return first & 15, self._long(size)

    def _long(self, size: int) -> bytes:
        """That many bytes, which may be many."""
        data = bytearray(self._wire.at_hand(size))
        while len(data) < size:
            piece = self._wire.socket.recv(min(size - len(data), 1 << 20))
            if not piece:
                raise EOFError(f"the server closed the connection after {len(data)} bytes of {size}")
            data += piece
        return bytes(data)

    def is_silent(self) -> bool:
        return self._wire.is_silent()
