"""A client that sees HTTP as it is on the wire: heads, chunks, and how a connection ends."""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlsplit

from wiretape.flow_a.stream import decode

TIMEOUT = 5.0
"""Seconds that a test waits for bytes at most."""


class Answer:
    """Status and headers of an answer, and its body as it comes."""

    def __init__(self, head: bytes, source: Wire) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.version, status, _ = lines[0].split(" ", 2)
        self.status = int(status)
        self.headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])
        }
        self._source = source

    def chunks(self) -> Iterator[bytes]:
        """The HTTP chunks, up to and with the last, empty one."""
        while True:
            size = int(self._source.until(b"\r\n"), 16)
            data = self._source.exactly(size)
            assert self._source.exactly(2) == b"\r\n"
            if not size:
                return
            yield data

    def body(self) -> bytes:
        """The whole body, however it is framed."""
        if self.headers.get("transfer-encoding") == "chunked":
            return b"".join(self.chunks())
        if "content-length" in self.headers:
            return self._source.exactly(int(self.headers["content-length"]))
        return self._source.to_the_end()

    def json(self) -> Any:
        return json.loads(self.body())

    def stream(self) -> dict[str, Any]:
        """The decoded event stream, as the ``decode`` verb gives it."""
        return decode(self.body())


class Wire:
    """One connection to a play."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        self.prefix = parts.path
        self.socket = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=TIMEOUT)
        self._buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.socket.close()

    def send(
        self,
        method: str,
        path: str,
        body: bytes | object = b"",
        *,
        version: str = "HTTP/1.1",
        **headers: str,
    ) -> None:
        """Send a request; a ``body`` that is no bytes goes as JSON. ``content_type`` is the content-type."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if not isinstance(body, bytes):
            given.setdefault("content-type", "application/json")
        lines = [f"{method} {self.prefix}{path} {version}", "host: 127.0.0.1", f"content-length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in given.items()]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode() + data)

    def answer(self) -> Answer:
        """Read an answer's head."""
        return Answer(self.until(b"\r\n\r\n"), self)

    def ask(self, method: str, path: str, body: bytes | object = b"", **headers: str) -> Answer:
        """Send a request and read its answer's head."""
        self.send(method, path, body, **headers)
        return self.answer()

    def is_silent(self) -> bool:
        """Whether nothing is there to read, and nothing comes for a moment."""
        return not self._buffer and not select.select([self.socket], [], [], 0.05)[0]

    def until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            self._more()
        found, _, self._buffer = self._buffer.partition(mark)
        return found

    def exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._more()
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def at_hand(self, size: int) -> bytes:
        """What has been read already, that many bytes at most."""
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def to_the_end(self) -> bytes:
        """Everything up to the end of the connection."""
        pieces = [self._buffer]
        while piece := self.socket.recv(65536):
            pieces.append(piece)
        return b"".join(pieces)

    def _more(self) -> None:
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError(f"the server closed the connection after {self._buffer[-80:]!r}")
        self._buffer += piece


def ask(base_url: str, method: str, path: str, body: bytes | object = b"", **headers: str) -> Answer:
    """One request on a connection of its own; the answer is read whole."""
    with Wire(base_url) as wire:
        answer = wire.ask(method, path, body, **headers)
        whole = answer.body()
        answer.body = lambda: whole  # type: ignore[method-assign]
        return answer


def converse(base_url: str, body: object, **headers: str) -> Answer:
    """One conversation request; the answer is read whole."""
    return ask(base_url, "POST", "/backend-api/f/conversation", body, **headers)
