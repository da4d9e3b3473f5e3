"""``wiretape record`` as a person runs it: a command that is ended by a signal, or killed."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.recording.stage import TIMEOUT, answer, chunk, head, sends, upstream
from tests.recording.test_passing_on import BODY, HEADERS, STREAM
from tests.server.making import PATH, TOKEN, answer_stream
from tests.server.wire import Wire, ask
from wiretape import load_cassette
from wiretape_cli.main import main
from wiretape_cli.recording_screen import status
from wiretape_server.recording.session import Totals

COMMAND = [sys.executable, "-m", "wiretape_cli", "record"]
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals to another process")


class Command:
    """A recorder that runs as a command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        self.base_url = ready["base_url"]
        assert ready["pid"] == process.pid

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; the exit code, and what was said."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, said

    def converse(self) -> bytes:
        with Wire(self.base_url) as wire:
            return wire.ask("POST", PATH, BODY, **HEADERS).body()


@contextmanager
def command(url: str, out: Path, *options: str, stderr: int = subprocess.PIPE) -> Iterator[Command]:
    """Run ``record flow-a``; whatever the test did not end is killed."""
    process = subprocess.Popen(
        [*COMMAND, "flow-a", "--upstream", url, "--out", str(out), *options],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    with process:
        try:
            yield Command(process)
        finally:
            process.kill()


def until(true: Callable[[], bool]) -> bool:
    """Look again and again, as long as anything may take at most."""
    pause, end = threading.Event(), time.monotonic() + TIMEOUT
    while not true() and time.monotonic() < end:
        pause.wait(0.005)
    return true()


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_and_saves_a_recording(number: int, tmp_path: Path) -> None:
    out = tmp_path / "new" / "my.yaml"
    with upstream(sends(answer(STREAM))) as backend, command(backend.base_url, out) as recorder:
        assert recorder.converse() == STREAM
        code, said = recorder.end(number)
    assert (code, said) == (0, f"saved {out}: 1 interaction\n")
    cassette = load_cassette(out)
    assert cassette.provenance.kind == "recorded"
    assert cassette.provenance.captured_at is not None
    assert cassette.provenance.basis == (
        f"a reverse proxy before {backend.base_url.removeprefix('http://')}",
    )
    assert list(out.parent.iterdir()) == [out]


@posix
def test_a_stream_without_end_is_saved_as_far_as_it_came(tmp_path: Path) -> None:
    stopped = threading.Event()

    def play(connection: socket.socket) -> None:
        sends(head(), chunk(STREAM[:300]))(connection)
        assert stopped.wait(TIMEOUT)

    out = tmp_path / "my.yaml"
    with upstream(play) as backend, command(backend.base_url, out) as recorder:
        with Wire(recorder.base_url) as wire:
            wire.send("POST", PATH, BODY, **HEADERS)
            assert next(wire.answer().chunks()) == STREAM[:300]
            code, said = recorder.end(signal.SIGINT)
        stopped.set()
    assert code == 0
    assert "the recording was stopped: what would have come is not known" in said
    assert load_cassette(out).interactions[0].response.end == "hang"


@posix
def test_a_killed_recording_can_be_recovered_with_all_but_the_unfinished_chunk(tmp_path: Path) -> None:
    first_came, killed = threading.Event(), threading.Event()
    words = [f"word {number} " for number in range(12)]
    stream, out, partial = answer_stream("", words=words), tmp_path / "my.yaml", tmp_path / "my.yaml.partial"
    whole, cut = stream[: stream.index(b"word 11 ") + 12], b"8\r\ndata"

    def play(connection: socket.socket) -> None:
        sends(head(), chunk(whole))(connection)
        assert first_came.wait(TIMEOUT)
        sends(cut)(connection)
        assert killed.wait(TIMEOUT)

    with upstream(play) as backend, command(backend.base_url, out) as recorder:
        with Wire(recorder.base_url) as wire:
            wire.send("POST", PATH, BODY, **HEADERS)
            assert next(wire.answer().chunks()) == whole
            first_came.set()
            wire.until(cut)
            assert until(lambda: "word 11" in partial.read_text())
            code, _ = recorder.end(signal.SIGKILL)
        killed.set()
    assert code == -signal.SIGKILL
    assert TOKEN.encode() not in partial.read_bytes()
    assert main(["record", "--recover", str(partial), "--out", str(out)]) == 0
    (interaction,) = load_cassette(out).interactions
    assert interaction.response.end == "hang"
    assert len(interaction.response.body) == len(whole)
    assert load_cassette(out).provenance.gaps == ("interaction 1: the recording ended before the answer did",)
    assert not partial.exists()


@posix
@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [
        (
            answer(b"<p>no</p>", status="403 Forbidden", content_type="text/html"),
            0,
            "answered with 403 text/html, which is no event stream",
        ),
        (
            answer(b'{"detail": "slow"}', status="429 Slow", content_type="application/json"),
            0,
            "429 application/json",
        ),
        (answer(b'{"detail": "hm"}', content_type="application/json"), 0, "200 application/json"),
        (answer(STREAM[:-9], content_encoding="zstd"), 4, "'zstd' can't be undone here"),
        (
            answer(b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\xab", content_encoding="gzip"),
            0,
            "the gzip body ends early",
        ),
        (answer(STREAM.replace(b"replace", b"explode") + b"data: {\n\n"), 4, "can't be played"),
        (answer(b"data: \xff\xfe\n\n"), 4, "can't be played"),
    ],
    ids=["403", "429", "no event stream", "unknown coding", "truncated gzip", "no JSON", "invalid UTF-8"],
)
def test_what_is_odd_is_recorded_and_said(sent: bytes, code: int, said: str, tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    with upstream(sends(sent)) as backend, command(backend.base_url, out) as recorder:
        with Wire(recorder.base_url) as wire:
            wire.send("POST", PATH, BODY, **HEADERS, connection="close")
            assert wire.to_the_end() == sent
        ended = recorder.end(signal.SIGINT)
    assert ended[0] == code, ended
    assert said in ended[1]
    assert load_cassette(out).interactions


@posix
def test_nothing_recorded_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    sent = answer(b"hello")
    with upstream(sends(sent)) as backend, command(backend.base_url, tmp_path / "my.yaml") as recorder:
        with Wire(recorder.base_url) as wire:
            assert wire.ask("GET", "/other").body() == b"hello"
        code, said = recorder.end(signal.SIGINT)
    assert code == 2
    assert "nothing was recorded: of 0 requests of the protocol none was answered" in said
    assert not list(tmp_path.iterdir())


@posix
def test_an_upstream_that_is_down_is_said_at_once_and_at_the_end(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with command(url, tmp_path / "my.yaml") as recorder:
        assert b"upstream_unreachable" in recorder.converse()
        code, said = recorder.end(signal.SIGINT)
    assert code == 2
    assert said.startswith(f"POST {PATH}: the upstream 127.0.0.1 port")
    assert not list(tmp_path.iterdir())


@posix
def test_on_a_terminal_a_line_counts_while_it_records(tmp_path: Path) -> None:
    import pty

    screen, terminal = pty.openpty()
    with (
        upstream(sends(answer(STREAM))) as backend,
        command(backend.base_url, tmp_path / "my.yaml", stderr=terminal) as recorder,
        open(screen, "rb", buffering=0) as display,
    ):
        os.close(terminal)
        assert recorder.converse() == STREAM
        seen = b""
        while b"1 requests (1 kept, 0 open)" not in seen:
            assert select.select([display], [], [], TIMEOUT)[0], seen
            seen += display.read(65536)
        recorder.end(signal.SIGINT)
    assert b"Ctrl-C saves" in seen


@posix
def test_what_a_client_asks_for_does_not_reach_the_terminal_as_it_is(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with command(url, tmp_path / "my.yaml") as recorder:
        assert ask(recorder.base_url, "GET", "/%1b[31m%0a").status == 502
        _, said = recorder.end(signal.SIGINT)
    assert said.startswith(r"GET /\x1b[31m\n: the upstream")


def test_the_line_on_a_terminal_counts_requests_events_bytes_and_time() -> None:
    totals = Totals(requests=7, kept=5, open=1, events=38, size=1234567)
    assert status(totals, 65.4) == (
        "recording  7 requests (5 kept, 1 open)  38 events  1,234,567 bytes  1:05   Ctrl-C saves"
    )
