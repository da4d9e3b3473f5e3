"""kill -9: what a client got is in the sidecar, in the same pieces and without a part of a secret."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.recording.codex_stage import RECORD, websocket_tee
from tests.recording.stage import TIMEOUT, chunk, head, read_request, recorder, upstream
from tests.recording.test_cli_record import command, until
from tests.recording.test_passing_on import HEADERS
from tests.server.codex_wires import Program, Websocket
from tests.server.making import PATH
from tests.server.wire import Answer, Wire
from tests.unit.planted import growing
from tests.unit.test_redaction_for_now import SECRETS, shows
from wiretape.cassette import RecordedResponse
from wiretape.redaction import Redactor
from wiretape_server.recording.recovery import recover

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals to another process")
WHOLE = "It is a long story of {} and of {} that has an end."
HIDDEN = (SECRETS["API key"], SECRETS["e-mail address"])
EVENTS = growing(WHOLE.format(*HIDDEN), 4).split(b"\n\n")[:-1]
CHUNKS = [event + b"\n\n" for event in EVENTS]
WITHOUT_SECRETS = Redactor().body(b"".join(CHUNKS))
LONGEST_WORD = max(map(len, HIDDEN))
TORN = [piece for each in CHUNKS for piece in (each[:50], each[50:]) if piece]
"""Chunks that end within events."""


def is_clean(partial: Path) -> bool:
    written = partial.read_text("utf-8", "surrogateescape")
    return not [window for secret in HIDDEN for window in shows(written, secret)]


def response(partial: Path) -> RecordedResponse:
    (interaction,) = recover(partial).interactions
    return interaction.response


def agrees(got: RecordedResponse, chunks: list[bytes]) -> bool:
    """Whether a recovered answer is these chunks without secrets, but for its last word."""
    assert got.chunks is not None
    came = b"".join(chunks)
    whole = came.rfind(b"\n\n") + 2
    unlike = sum(a != b for a, b in zip(got.body[:whole], WITHOUT_SECRETS, strict=False))
    same_cuts = list(got.chunks.lengths) == list(map(len, chunks))
    return same_cuts and len(got.body) == len(came) and unlike <= LONGEST_WORD


@contextmanager
def many(play: object) -> Iterator[str]:
    """An upstream that serves many connections at once: each has a request, which ``play`` gets with it."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener, ExitStack() as threads:

        def serve(connection: socket.socket) -> None:
            connection.settimeout(TIMEOUT)
            with connection, suppress(OSError):
                while asked := read_request(connection):
                    play(connection, asked)  # type: ignore[operator]

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    thread = threading.Thread(target=serve, args=(connection,), daemon=True)
                    thread.start()
                    threads.callback(thread.join, TIMEOUT)

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join(TIMEOUT)


@pytest.mark.parametrize("chunks", [CHUNKS, TORN], ids=["events", "torn"])
def test_at_every_moment_the_file_holds_what_the_client_got(chunks: list[bytes], tmp_path: Path) -> None:
    got = threading.Semaphore(0)

    def play(connection: socket.socket) -> None:
        connection.sendall(head())
        for each in chunks:
            connection.sendall(chunk(each))
            assert got.acquire(timeout=TIMEOUT)

    with (
        upstream(play) as backend,
        recorder(backend.base_url, tmp_path) as stage,
        Wire(stage.base_url) as wire,
    ):
        wire.send("POST", PATH, b"{}", **HEADERS)
        coming = wire.answer().chunks()
        for count in range(1, len(chunks) + 1):
            assert next(coming) == chunks[count - 1]
            stage.thread.wait_idle(0)  # its loop has gone around
            moment = Path(shutil.copy(stage.recording.partial, tmp_path / "moment"))
            assert agrees(response(moment), chunks[:count])
            assert is_clean(moment)
            got.release()


@posix
def test_a_killed_recorder_leaves_every_chunk_that_its_clients_got(tmp_path: Path) -> None:
    lengths = range(1, len(TORN), 5)

    def play(connection: socket.socket, asked: bytes) -> None:
        if asked.startswith(b"GET"):
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            return
        count = json.loads(asked.partition(b"\r\n\r\n")[2])
        connection.sendall(head())
        for each in TORN[:count]:
            connection.sendall(chunk(each))

    out = tmp_path / "my.yaml"
    with many(play) as url, command(url, out) as killed, ExitStack() as wires:
        for count in lengths:
            wire = wires.enter_context(Wire(killed.base_url))
            wire.send("POST", PATH, str(count).encode(), **HEADERS)
            coming = wire.answer().chunks()
            assert [next(coming) for _ in range(count)] == TORN[:count]
        with Wire(killed.base_url) as wire:  # its loop has gone around when this is answered
            assert wire.ask("GET", "/elsewhere").status == 200
        code, _ = killed.end(signal.SIGKILL)
    assert code == -signal.SIGKILL
    partial = tmp_path / "my.yaml.partial"
    assert is_clean(partial)
    for count, interaction in zip(lengths, recover(partial).interactions, strict=True):
        assert agrees(interaction.response, TORN[:count])
        assert interaction.response.end == "hang"


def received(answers: list[Answer]) -> list[int]:
    """How many chunks more each client got up to the end of its connection."""
    counts = []
    for answer in answers:
        counts.append(0)
        with suppress(EOFError, ConnectionResetError, ValueError):
            for _ in answer.chunks():
                counts[-1] += 1
    return counts


@posix
@pytest.mark.parametrize("seed", range(3))
def test_a_recorder_that_is_killed_at_full_speed_loses_at_most_what_it_had_in_its_hands(
    seed: int, tmp_path: Path
) -> None:
    def play(connection: socket.socket, _asked: bytes) -> None:
        connection.sendall(head())
        for _ in range(40):
            for each in CHUNKS:
                connection.sendall(chunk(each))

    chance = random.Random(seed)
    with many(play) as url, command(url, tmp_path / "my.yaml") as killed, ExitStack() as wires:
        opened = [wires.enter_context(Wire(killed.base_url)) for _ in range(4)]
        for number, wire in enumerate(opened):
            wire.send("POST", PATH, str(number).encode(), **HEADERS)
        answers = [wire.answer() for wire in opened]
        for _, _ in zip(range(chance.randrange(1, 400)), answers[0].chunks(), strict=False):
            pass
        killed.end(signal.SIGKILL)
        counts = received(answers)
    partial = tmp_path / "my.yaml.partial"
    assert is_clean(partial)
    kept = {int(each.request.body): each.response.chunks for each in recover(partial).interactions}
    lengths = [chunks.lengths if (chunks := kept.get(number)) else () for number in range(len(counts))]
    assert sum(got > len(written) for got, written in zip(counts, lengths, strict=True)) <= 1


DELTAS = [
    json.dumps(
        {"method": "item/agentMessage/delta", "params": {"threadId": "t", "itemId": "m", "delta": each}}
    )
    for each in (WHOLE.format(*HIDDEN)[at : at + 4] for at in range(0, len(WHOLE.format(*HIDDEN)), 4))
]


def frames(partial: Path) -> list[str]:
    """What the server said, as far as a sidecar goes."""
    return [each.data.decode() for each in recover(partial).frames if each.direction == "server"]


def said(messages: list[str]) -> str:
    return "".join(json.loads(each)["params"]["delta"] for each in messages)


def records(partial: Path) -> int:
    return partial.read_bytes().count(b"\n") - 1


@posix
@pytest.mark.parametrize("count", [1, 7, len(DELTAS) // 2, len(DELTAS)])
def test_a_killed_codex_recorder_leaves_every_message(count: int, tmp_path: Path) -> None:
    partial = tmp_path / "my.yaml.partial"
    lines = tmp_path / "lines"
    lines.write_text("\n".join(DELTAS))
    speak = f"for each in open({str(lines)!r}).read().splitlines(): print(each, flush=True), input()"
    program = [sys.executable, "-c", speak, "app-server"]
    with Program([*RECORD, "--out", str(tmp_path / "my.yaml"), "--", *program]) as client:
        heard = [client.read()]
        for line in range(1, count):
            client.write(b"%d" % line)
            heard.append(client.read())
        assert until(lambda: records(partial) == 2 * count - 1)  # without another word from anybody
        client.process.kill()
        client.process.wait(TIMEOUT)
    assert [each.decode().rstrip() for each in heard] == DELTAS[:count]
    kept = frames(partial)
    assert list(map(len, kept)) == list(map(len, DELTAS[:count]))
    assert said(kept)[: len("It is a long story")] == "It ~" if count == 1 else "It is a long story"
    assert is_clean(partial)


@pytest.mark.parametrize("count", [1, 5, len(DELTAS)])
def test_a_session_over_a_websocket_is_in_the_file_when_the_client_has_it(count: int, tmp_path: Path) -> None:
    def play(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
        for each in DELTAS[:count]:
            size = len(each).to_bytes(2, "big")
            connection.sendall(
                (b"\x81\x7e" + size if len(each) > 125 else b"\x81" + size[1:]) + each.encode()
            )
        assert connection.recv(1) == b""

    with (
        upstream(play) as backend,
        websocket_tee(backend.base_url.replace("http", "ws"), tmp_path) as stage,
        Websocket(stage.url) as client,
    ):
        assert [client.read().decode() for _ in range(count)] == DELTAS[:count]
        stage.thread.call(asyncio.sleep, 0)  # its loop has gone around
        moment = Path(shutil.copy(stage.session.recording.partial, tmp_path / "moment"))
    assert list(map(len, frames(moment))) == list(map(len, DELTAS[:count]))
    assert is_clean(moment)
