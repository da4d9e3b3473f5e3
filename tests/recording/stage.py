"""A recorder before any upstream, and an upstream that sends what it is told."""

from __future__ import annotations

import itertools
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from wiretape.cassette import Cassette, load_cassette
from wiretape.redaction import DEFAULT, Redactor
from wiretape.redaction.rules import Hook
from wiretape_server.recording.finishing import finish
from wiretape_server.recording.server import RecorderThread
from wiretape_server.recording.session import Recording
from wiretape_server.recording.upstream import Upstream, parse, trust

TIMEOUT = 10.0
"""Seconds that anything may take at most."""


@dataclass
class Stage:
    """A recorder that runs, and what it writes."""

    base_url: str
    recording: Recording
    out: Path
    redactor: Redactor
    thread: RecorderThread

    def finish(self) -> Cassette:
        """Stop, save, and load what was saved."""
        self.thread.stop()
        self.recording.close()
        finish(self.recording.partial, self.out, self.redactor)
        return load_cassette(self.out)


@contextmanager
def recorder(
    upstream: str,
    folder: Path,
    *,
    ca: Path | None = None,
    clock: Callable[[], float] | None = None,
    hook: Hook | None = None,
) -> Iterator[Stage]:
    """Record before ``upstream``, with a clock that ticks a millisecond at each look."""
    out = folder / "recorded.yaml"
    ticks = itertools.count()
    redactor = Redactor(replace(DEFAULT, hook=hook))
    recording = Recording(
        folder / "recorded.yaml.partial",
        redactor=redactor,
        clock=clock or (lambda: next(ticks) / 1000),
        captured_at="2030-01-02T03:04:05Z",
        basis="a test",
    )
    try:
        with RecorderThread(Upstream(parse(upstream), trust(ca)), recording) as thread:
            yield Stage(thread.base_url, recording, out, redactor, thread)
    finally:
        recording.close()


@dataclass
class Scripted:
    """An upstream: each connection is answered by ``play``, which gets its socket and the request's head."""

    base_url: str
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def upstream(
    play: Callable[[socket.socket], object], *, tls: ssl.SSLContext | None = None, whole: bool = True
) -> Iterator[Scripted]:
    """Listen: a connection's first request is read, ``whole`` or not; then ``play`` has the socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        scripted = Scripted(f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread = threading.Thread(target=_serve, args=(listener, play, scripted, tls, whole), daemon=True)
        thread.start()
        yield scripted
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(TIMEOUT)
    assert not thread.is_alive()


def _serve(
    listener: socket.socket,
    play: Callable[[socket.socket], object],
    scripted: Scripted,
    tls: ssl.SSLContext | None,
    whole: bool,
) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connection.settimeout(TIMEOUT)
        try:
            with tls.wrap_socket(connection, server_side=True) if tls else connection as wire:
                scripted.requests.append(read_request(wire) if whole else wire.recv(65536))
                play(wire)
        except ssl.SSLError:  # the client does not trust this one
            connection.close()


def read_request(connection: socket.socket) -> bytes:
    """One request with its body, whose length must be given; what came when the client hangs up."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def sends(*pieces: bytes) -> Callable[[socket.socket], None]:
    """Send these bytes, and close."""

    def play(connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)

    return play


def resets(*pieces: bytes) -> Callable[[socket.socket], None]:
    """Send these bytes, wait for the word of the reader that they came, and break the connection."""

    def play(connection: socket.socket) -> None:
        sends(*pieces)(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return play


def answer(
    body: bytes, *, status: str = "200 OK", chunks: list[bytes] | None = None, **headers: str
) -> bytes:
    """An HTTP answer with a length; with ``chunks`` in these chunks instead."""
    headers = {"content-type": "text/event-stream; charset=utf-8", **_named(headers)}
    headers |= {"transfer-encoding": "chunked"} if chunks is not None else {"content-length": str(len(body))}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
    head = "\r\n".join([*lines, "", ""]).encode()
    return head + (body if chunks is None else b"".join(map(chunk, chunks)) + b"0\r\n\r\n")


def head(**headers: str) -> bytes:
    """The head of a chunked event stream."""
    return answer(b"", chunks=[], **headers).removesuffix(b"0\r\n\r\n")


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
