"""The client gets what the upstream sent, byte for byte, and the upstream what the client sent."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from pathlib import Path

import pytest

from tests.recording.stage import TIMEOUT, Stage, answer, chunk, head, read_request, recorder, sends, upstream
from tests.server.making import ANSWER, PATH, ending, event, message, root, user_turn
from tests.server.wire import Wire
from wiretape.cassette import Cassette

STREAM = event('"v1"', "delta_encoding") + root(message(ANSWER, "é")) + ending()
"""Without a token: what is recorded is then what was sent."""
BODY = json.dumps(user_turn()).encode()
HEADERS = {"content_type": "application/json"}


def converse(stage: Stage, *, body: bytes = BODY, path: str = PATH, **headers: str) -> bytes:
    """Send a conversation request; the bytes that come back, to the end of the connection."""
    with Wire(stage.base_url) as wire:
        wire.send("POST", path, body, **{**HEADERS, "connection": "close", **headers})
        return wire.to_the_end()


def recorded(sent: bytes, folder: Path) -> tuple[bytes, Cassette]:
    """What a client gets of an upstream that sends these bytes, and the cassette of it."""
    with upstream(sends(sent)) as backend, recorder(backend.base_url, folder) as stage:
        return converse(stage), stage.finish()


@pytest.mark.parametrize(
    "sent",
    [
        answer(STREAM),
        answer(b"", chunks=[STREAM[:100], STREAM[100:]]),
        answer(b"", chunks=[STREAM[i : i + 1] for i in range(len(STREAM))]),
        answer(b"", chunks=[STREAM], X_Odd="kept", Set_Cookie="a=b"),
        answer(b"", chunks=[gzip.compress(STREAM)], content_encoding="gzip"),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + STREAM,
        head() + b'3;name="x"\r\n' + STREAM[:3] + b"\r\n" + chunk(STREAM[3:]) + b"0\r\nx-sum: 1\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + answer(STREAM),
        answer(b"<html>no</html>", status="403 Forbidden", content_type="text/html"),
        answer(b'{"detail": "slow down"}', status="429 Too Many", content_type="application/json"),
        answer(b"", status="302 Found", location="https://elsewhere.example/login"),
        answer(STREAM + b"\xff\xfe\n\n"),
    ],
    ids=[
        *(
            "length",
            "two chunks",
            "chunks of a byte",
            "headers",
            "gzip",
            "to the end",
            "extension and trailer",
        ),
        *("interim", "403", "429", "redirect", "invalid UTF-8"),
    ],
)
def test_the_client_gets_the_very_bytes_of_the_upstream(sent: bytes, tmp_path: Path) -> None:
    got, cassette = recorded(sent, tmp_path)
    assert got == sent
    assert len(cassette.interactions) == 1


def test_a_chunk_goes_on_before_the_next_one_is_there(tmp_path: Path) -> None:
    got_first = threading.Event()

    def play(connection: socket.socket) -> None:
        sends(head(), chunk(b"data: 1\n\n"))(connection)
        assert got_first.wait(TIMEOUT)
        sends(chunk(b"data: 2\n\n"), b"0\r\n\r\n")(connection)

    with (
        upstream(play) as backend,
        recorder(backend.base_url, tmp_path) as stage,
        Wire(stage.base_url) as wire,
    ):
        wire.send("POST", PATH, BODY, **HEADERS)
        chunks = wire.answer().chunks()
        assert next(chunks) == b"data: 1\n\n"
        got_first.set()
        assert list(chunks) == [b"data: 2\n\n"]


def test_a_part_of_a_chunk_goes_on_before_the_rest_is_there(tmp_path: Path) -> None:
    got_first = threading.Event()

    def play(connection: socket.socket) -> None:
        sends(head(), b"12\r\ndata: 1")(connection)
        assert got_first.wait(TIMEOUT)
        sends(b"\n\ndata: 2\n\n\r\n0\r\n\r\n")(connection)

    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.send("POST", PATH, BODY, **HEADERS)
            wire.until(b"12\r\n")
            assert wire.exactly(7) == b"data: 1"
            got_first.set()
            assert wire.until(b"0\r\n\r\n") == b"\n\ndata: 2\n\n\r\n"
        response = stage.finish().interactions[0].response
    assert response.chunks is not None
    assert response.chunks.lengths == (18,)


def test_the_upstream_gets_the_request_as_it_was_but_for_host_and_connection(tmp_path: Path) -> None:
    with upstream(sends(answer(STREAM))) as backend, recorder(backend.base_url + "/base", tmp_path) as stage:
        converse(
            stage,
            path=f"{PATH}?a=%2F&b=1",
            X_Mixed="Kept",
            Authorization="Bearer not-shown",
            Keep_Alive="1",
            connection="close, x-hop",
            x_hop="1",
            accept_encoding="gzip, br",
        )
        host = backend.base_url.removeprefix("http://")
    lines = backend.requests[0].partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    assert lines[0] == f"POST /base{PATH}?a=%2F&b=1 HTTP/1.1"
    assert sorted(lines[1:]) == sorted(
        [
            f"Host: {host}",
            "content-type: application/json",
            "X-Mixed: Kept",
            "Authorization: Bearer not-shown",
            "accept-encoding: gzip, br",
            f"Content-Length: {len(BODY)}",
        ]
    )
    assert backend.requests[0].endswith(b"\r\n\r\n" + BODY)


def test_a_client_that_takes_the_recorder_for_a_forward_proxy_is_recorded_as_well(tmp_path: Path) -> None:
    with upstream(sends(answer(STREAM))) as backend, recorder(backend.base_url, tmp_path) as stage:
        converse(stage, path=f"http://else.example{PATH}")
        assert [each.request.path for each in stage.finish().interactions] == [PATH]
    assert backend.requests[0].startswith(f"POST {PATH} HTTP/1.1\r\n".encode())


def test_a_chunked_request_goes_on_with_a_length_and_a_client_that_waits_is_told_to_send(
    tmp_path: Path,
) -> None:
    with upstream(sends(answer(STREAM))) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            lines = f"POST {PATH} HTTP/1.1", "host: x", "expect: 100-continue", "transfer-encoding: chunked"
            wire.socket.sendall("\r\n".join([*lines, "", ""]).encode())
            assert wire.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue"
            wire.socket.sendall(chunk(BODY[:9]) + chunk(BODY[9:]) + b"0\r\n\r\n")
            assert wire.answer().body() == STREAM
        assert stage.finish().interactions[0].request.body == BODY
    assert backend.requests[0].endswith(f"Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)


def test_a_client_of_an_older_http_gets_what_the_upstream_has_for_such_clients(tmp_path: Path) -> None:
    sent = b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + STREAM
    with upstream(sends(sent)) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.send("POST", PATH, BODY, version="HTTP/1.0", **HEADERS)
            assert wire.to_the_end() == sent
        assert stage.finish().interactions[0].response.body == STREAM
    assert backend.requests[0].startswith(f"POST {PATH} HTTP/1.0\r\n".encode())


def test_other_paths_are_passed_on_and_counted_but_not_kept(tmp_path: Path) -> None:
    with upstream(sends(answer(b"hello"))) as backend, recorder(backend.base_url, tmp_path) as stage:
        for path in ("/backend-api/me", PATH, "/backend-api/f/conversation/other", "/"):
            assert converse(stage, path=path).endswith(b"hello")
        totals = stage.recording.totals
        assert (totals.requests, totals.kept, totals.open) == (4, 1, 0)
        assert [each.request.path for each in stage.finish().interactions] == [PATH]


def test_a_connection_serves_many_requests_on_both_sides(tmp_path: Path) -> None:
    def play(connection: socket.socket) -> None:
        for _ in range(3):
            sends(answer(STREAM))(connection)
            read_request(connection)

    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            for _ in range(3):
                assert wire.ask("POST", PATH, BODY, **HEADERS).body() == STREAM
        assert len(backend.requests) == 1
        stage.thread.stop()


def test_an_idle_connection_that_the_upstream_has_closed_is_replaced(tmp_path: Path) -> None:
    with upstream(sends(answer(STREAM))) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            for _ in range(3):
                assert wire.ask("POST", PATH, BODY, **HEADERS).body() == STREAM
        assert len(backend.requests) == 3
