"""What codex recording tests stand on: a recorder before a play, and a client that is pointed at it."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.codex_reference import CodexClient, StdioWire
from tests.server.codex_normal import Normal, shown
from tests.server.codex_wires import Websocket
from tests.server.wire import TIMEOUT
from wiretape import load_cassette, strictjson
from wiretape.cassette import Cassette
from wiretape.codex.environment import client_steps, tool_results
from wiretape.redaction import Redactor
from wiretape_server.options import PlayOptions
from wiretape_server.recording.codex_session import CodexRecording
from wiretape_server.recording.codex_ws import Address, WebsocketTeeThread
from wiretape_server.recording.finishing import finish
from wiretape_server.recording.session import Recording
from wiretape_server.recording.upstream import trust
from wiretape_server.thread import CodexPlayback, ServerThread

RECORD = [sys.executable, "-m", "wiretape_cli", "record", "codex"]


@contextmanager
def playing(server: ServerThread, cassette: Cassette, **options: Any) -> Iterator[CodexPlayback]:
    """Play a codex cassette at once."""
    playback = server.play(cassette, PlayOptions(pace="instant", **options))
    assert isinstance(playback, CodexPlayback)
    try:
        yield playback
    finally:
        playback.close()


def session(out: Path) -> CodexRecording:
    """A recording with a clock that ticks a millisecond at each look."""
    ticks = itertools.count()
    return CodexRecording(
        Recording(
            out.with_name(f"{out.name}.partial"),
            redactor=Redactor(),
            clock=lambda: next(ticks) / 1000,
            captured_at="2030-01-02T03:04:05Z",
            basis="a test",
            protocol="codex",
        )
    )


@dataclass
class Stage:
    """A websocket tee that runs, and what it writes."""

    url: str
    session: CodexRecording
    out: Path
    thread: WebsocketTeeThread

    def finish(self) -> Cassette:
        """Stop, save, and load what was saved."""
        self.thread.stop()
        self.session.close()
        finish(self.session.recording.partial, self.out, self.session.recording.redactor)
        return load_cassette(self.out)


@contextmanager
def websocket_tee(upstream: str, folder: Path, *, ca: Path | None = None) -> Iterator[Stage]:
    """Record before the websocket ``upstream``."""
    out = folder / "recorded.yaml"
    recording = session(out)
    listen, there = Address("ws://127.0.0.1:0", "--listen"), Address(upstream, "--upstream")
    try:
        with WebsocketTeeThread(listen, there, recording, trust(ca)) as thread:
            yield Stage(thread.url, recording, out, thread)
    finally:
        recording.recording.close()


class WebsocketWire:
    """The reference client's connection over a websocket."""

    def __init__(self, url: str) -> None:
        self.websocket = Websocket(url)

    def send(self, data: bytes) -> None:
        self.websocket.write(data)

    def receive(self) -> bytes:
        return self.websocket.read()

    def close(self) -> None:
        """Close as the protocol has it, and wait for the other side."""
        self.websocket.frame(8, b"\x03\xe8")
        while self.websocket.read_frame()[0] != 8:
            pass
        self.websocket.__exit__()


def run_client(cassette: Cassette, connect: Any) -> None:
    """Let the reference client do what a cassette's client does."""
    CodexClient(
        connect=connect,
        steps=client_steps(cassette),
        tools=cassette.expect.tools,
        results=tool_results(cassette),
    ).run()


def over_websocket(server: ServerThread, cassette: Cassette, folder: Path) -> Cassette:
    """Play a cassette over a websocket and record it."""
    folder.mkdir()
    with playing(server, cassette) as playback, websocket_tee(playback.ws_url, folder) as stage:
        run_client(cassette, lambda: WebsocketWire(stage.url))
        assert playback.wait_idle(TIMEOUT)
        return stage.finish()


def over_stdio(server: ServerThread, cassette: Cassette, folder: Path) -> Cassette:
    """Play a cassette over stdio and record it, with a recorder for each process."""
    folder.mkdir()
    out = folder / "recorded.yaml"
    with playing(server, cassette) as playback:
        command = [*RECORD, "--out", str(out), "--append", "--", str(playback.bin), "app-server"]
        run_client(cassette, lambda: StdioWire(command))
    return load_cassette(out)


def normal(cassette: Cassette) -> list[str]:
    """Each side's messages in order, without their ids and times.

    How those of one side stand between those of the other is not the same each time: they cross on the way.
    """
    ids = Normal()
    frames = sorted(cassette.frames, key=lambda frame: (frame.connection, frame.direction))
    return [
        f"{frame.connection} {frame.direction} {shown(ids.of(strictjson.loads(frame.data)))}"
        for frame in frames
    ]
