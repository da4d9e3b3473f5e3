"""How a stream ended, however it did, is in the file, and the client met the same end."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from tests.recording.stage import TIMEOUT, answer, chunk, head, recorder, resets, sends, upstream
from tests.recording.test_passing_on import BODY, HEADERS, STREAM, converse
from tests.server.making import PATH
from tests.server.wire import Wire
from wiretape_server.recording.recovery import EmptyRecordingError


def test_an_upstream_that_breaks_the_connection_breaks_the_clients(tmp_path: Path) -> None:
    seen = threading.Event()

    def play(connection: socket.socket) -> None:
        sends(head(), chunk(STREAM[:300]))(connection)
        assert seen.wait(TIMEOUT)
        resets()(connection)

    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.send("POST", PATH, BODY, **HEADERS)
            chunks = wire.answer().chunks()
            assert next(chunks) == STREAM[:300]
            seen.set()
            with pytest.raises(ConnectionResetError):
                next(chunks)
        cassette = stage.finish()
    assert cassette.interactions[0].response.end == "reset"
    assert cassette.interactions[0].response.body == STREAM[:300]
    assert "interaction 1: the upstream broke the connection" in cassette.provenance.gaps[0]


@pytest.mark.parametrize("rest", [b"", chunk(STREAM[300:])[:50]], ids=["between chunks", "in a chunk"])
def test_an_upstream_that_closes_in_the_middle_closes_the_clients_connection(
    rest: bytes, tmp_path: Path
) -> None:
    sent = head() + chunk(STREAM[:300]) + rest
    with upstream(sends(sent)) as backend, recorder(backend.base_url, tmp_path) as stage:
        assert converse(stage) == sent
        response = stage.finish().interactions[0].response
    assert response.end == "reset"
    assert response.body == STREAM[: 300 + max(0, len(rest) - 5)]


def test_broken_framing_is_passed_on_as_it_is_and_named(tmp_path: Path) -> None:
    sent = head() + chunk(STREAM[:300]) + b"oh no\r\n" + b"more"
    with upstream(sends(sent)) as backend, recorder(backend.base_url, tmp_path) as stage:
        assert converse(stage) == sent
        cassette = stage.finish()
    assert cassette.interactions[0].response.body == STREAM[:300]
    assert cassette.provenance.gaps == (
        "interaction 1: expected the size of a chunk, got 11 bytes that begin with none",
    )


def test_a_client_that_leaves_lets_go_of_the_upstream_and_is_in_the_file(tmp_path: Path) -> None:
    let_go = threading.Event()

    def play(connection: socket.socket) -> None:
        sends(head(), chunk(STREAM[:300]))(connection)
        with suppress(ConnectionResetError):
            assert connection.recv(1) == b""
        let_go.set()

    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.send("POST", PATH, BODY, **HEADERS)
            assert next(wire.answer().chunks()) == STREAM[:300]
        assert let_go.wait(TIMEOUT)
        cassette = stage.finish()
    assert cassette.interactions[0].response.end == "hang"
    assert cassette.provenance.gaps == ("interaction 1: the client left: what would have come is not known",)


def test_a_recording_that_is_stopped_keeps_what_came_of_a_stream_without_end(tmp_path: Path) -> None:
    stopped = threading.Event()

    def play(connection: socket.socket) -> None:
        sends(head(), chunk(STREAM[:300]))(connection)
        assert stopped.wait(TIMEOUT)

    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:
        wire = Wire(stage.base_url)
        wire.send("POST", PATH, BODY, **HEADERS)
        assert next(wire.answer().chunks()) == STREAM[:300]
        cassette = stage.finish()
        stopped.set()
        wire.socket.close()
    assert cassette.interactions[0].response.end == "hang"
    assert cassette.provenance.gaps == (
        "interaction 1: the recording was stopped: what would have come is not known",
    )


def test_an_upstream_that_is_not_there_gives_a_502_that_says_so_and_nothing_to_save(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with recorder(url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            refused = wire.ask("POST", PATH, BODY, **HEADERS)
            assert refused.status == 502
            assert refused.json()["detail"]["code"] == "upstream_unreachable"
        assert "Is --upstream right, and is it up?" in stage.recording.troubles[0]
        with pytest.raises(EmptyRecordingError, match=r"of 1 requests .* can't be reached"):
            stage.finish()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("play", "expected"), [(sends(), EOFError), (resets(), (ConnectionResetError, EOFError))]
)
def test_an_upstream_that_hangs_up_without_a_word_leaves_the_client_without_one(
    play: object, expected: type[Exception], tmp_path: Path
) -> None:
    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:  # type: ignore[arg-type]
        with Wire(stage.base_url) as wire, pytest.raises(expected):
            wire.ask("POST", PATH, BODY, **HEADERS)
        with pytest.raises(EmptyRecordingError):
            stage.finish()


def test_what_is_no_http_is_passed_on_and_named(tmp_path: Path) -> None:
    with upstream(sends(b"SSH-2.0-OpenSSH_9\r\n")) as backend, recorder(backend.base_url, tmp_path) as stage:
        assert converse(stage) == b"SSH-2.0-OpenSSH_9\r\n"
        assert "expected an HTTP/1.1 answer" in stage.recording.troubles[0]


def test_what_is_no_http_is_named_also_when_the_client_leaves_first(tmp_path: Path) -> None:
    left = threading.Event()

    def play(connection: socket.socket) -> None:
        sends(b"SSH-2.0-OpenSSH_9\r\n")(connection)
        assert left.wait(TIMEOUT)

    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.send("POST", PATH, BODY, **HEADERS)
            wire.until(b"\r\n")
        assert stage.thread.wait_idle(TIMEOUT)
        left.set()
        assert "expected an HTTP/1.1 answer" in stage.recording.troubles[0]
        assert "the client left" in stage.recording.troubles[0]


def test_a_disk_that_is_full_stops_the_recording_and_not_the_traffic(tmp_path: Path) -> None:
    class Full:
        def write(self, _data: bytes) -> int:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            pass

    with upstream(sends(answer(STREAM))) as backend, recorder(backend.base_url, tmp_path) as stage:
        converse(stage)
        stage.recording._file.close()
        stage.recording._file = Full()  # type: ignore[assignment]
        assert converse(stage).endswith(STREAM)
        assert stage.recording.failure.endswith("recorded.yaml.partial: No space left on device")
        assert len(stage.finish().interactions) == 1  # what was written before is a recording
