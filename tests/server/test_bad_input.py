"""What wrong requests get: a clear answer each, a whole transcript, and a server that serves the others."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest

from tests.server.making import PATH, calling, plain, two_turns, user_turn
from tests.server.wire import Wire, ask, converse
from wiretape.transcript import End, Request, Response
from wiretape_server import app
from wiretape_server.thread import Playback, ServerThread

Play = Callable[..., Playback]

PREPARE = "/backend-api/f/conversation/prepare"


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No traceback reaches a user."""
    caplog.set_level(logging.INFO)
    yield
    assert not caplog.records


def _still_serves(playback: Playback) -> None:
    assert converse(playback.base_url, user_turn()).stream()["done"] is True


@pytest.mark.parametrize("path", [PATH, PREPARE, "/backend-api/stop_conversation"])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"not json", "invalid_json"),
        (b'{"a": NaN}', "not_finite"),
        (b'{"a": "\xff"}', "invalid_utf8"),
        (b"[" * 100_000, "limit"),
        (b'{"x": {"a": 1, "a": 2}, bad', "invalid_json"),
        (b'{"x": {"a": 1, "a": 2}, "b": ' + b"[" * 100_000, "limit"),
    ],
)
def test_a_body_that_is_no_json_is_a_400_that_shows_it(play: Play, path: str, body: bytes, code: str) -> None:
    playback = play(plain())
    answer = ask(playback.base_url, "POST", path, body)
    assert answer.status == 400
    detail = answer.json()["detail"]
    assert detail["code"] == code
    assert f"the body of POST {path} is no JSON" in detail["message"]
    _still_serves(playback)


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"3", b"null"])
def test_a_body_that_is_no_object_is_a_422(play: Play, body: bytes) -> None:
    playback = play(plain())
    answer = converse(playback.base_url, body)
    assert answer.status == 422
    assert "expected a JSON object" in answer.json()["detail"]["message"]
    _still_serves(playback)


def test_an_unreadable_body_is_in_the_transcript_byte_by_byte(play: Play) -> None:
    playback = play(plain())
    converse(playback.base_url, b"\xff\x00{")
    entries = playback.transcript().entries
    request, response = entries[0], entries[1]
    assert isinstance(request, Request)
    assert request.body == b"\xff\x00{"
    assert isinstance(response, Response)
    assert response.status == 400
    assert isinstance(entries[-1], End)


def test_a_repeated_key_is_taken_as_most_backends_do_and_left_to_the_verdict(play: Play) -> None:
    body = json.dumps(user_turn())[:-1].encode() + b', "action": "next"}'
    assert converse(play(plain()).base_url, body).status == 200


@pytest.mark.parametrize("messages", [None, 3, [], [7], [{"author": 3}], {}, [{"author": {"role": ["x"]}}]])
def test_messages_of_any_shape_are_answered_and_left_to_the_verdict(play: Play, messages: object) -> None:
    playback = play(plain())
    stream = converse(playback.base_url, {**user_turn(), "messages": messages}).stream()
    conversation = stream["events"][0]["conversation_id"]
    assert ask(playback.base_url, "GET", f"/backend-api/conversation/{conversation}").status == 200


def test_a_body_of_twenty_megabytes_is_read(play: Play) -> None:
    playback = play(plain())
    answer = converse(playback.base_url, user_turn("x" * 20_000_000))
    assert answer.stream()["done"] is True


def test_a_body_that_is_too_long_is_a_413_and_the_end_of_the_connection(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MAX_BODY", 1000)
    playback = play(plain())
    with Wire(playback.base_url) as wire:
        answer = wire.ask("POST", PATH, user_turn("x" * 2000))
        assert answer.status == 413
        assert "is longer than 1000 bytes" in answer.json()["detail"]["message"]
        assert wire.to_the_end() == b""
    request = playback.transcript().entries[0]
    assert isinstance(request, Request)
    assert len(request.body) == 1000
    _still_serves(playback)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_not_encoded_as_it_says_is_a_400_and_in_the_transcript(
    play: Play, encoding: str
) -> None:
    playback = play(plain())
    answer = converse(playback.base_url, b"garbage", content_encoding=encoding)
    assert answer.status == 400
    assert f"is not what its header content-encoding '{encoding}' says" in answer.json()["detail"]["message"]
    assert len(playback.transcript().errors) == 1
    _still_serves(playback)


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_another_content_type_is_a_415_that_says_which_header_to_set(play: Play, content_type: str) -> None:
    playback = play(plain())
    answer = converse(playback.base_url, user_turn(), content_type=content_type)
    assert answer.status == 415
    assert "Set the header content-type: application/json" in answer.json()["detail"]["message"]
    assert len(playback.transcript().errors) == 1
    _still_serves(playback)


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "text/x+json"]
)
def test_every_json_content_type_is_taken(play: Play, content_type: str) -> None:
    assert converse(play(plain()).base_url, user_turn(), content_type=content_type).status == 200


def test_a_json_body_without_a_content_type_is_taken(play: Play) -> None:
    assert converse(play(plain()).base_url, json.dumps(user_turn()).encode()).status == 200


def test_a_path_with_line_ends_is_told_in_one_line(play: Play) -> None:
    playback = play(plain())
    answer = ask(playback.base_url, "GET", "/backend-api/x%0aFAIL%20forged%1b%5b2J")
    assert answer.status == 404
    [error] = playback.transcript().errors
    assert "GET /backend-api/x\\nFAIL forged\\x1b[2J: no such endpoint" in error


@pytest.mark.parametrize(
    "path", ["/backend-api/models", "/backend-api/f/conversation/", "/backend-anon/x?y=1"]
)
def test_an_unknown_path_is_a_404_that_lists_the_known_ones(play: Play, path: str) -> None:
    playback = play(plain())
    answer = ask(playback.base_url, "GET", path)
    assert answer.status == 404
    detail = answer.json()["detail"]
    assert detail["code"] == "unknown_path"
    assert "POST /backend-api/f/conversation" in detail["message"]
    assert "GET /backend-api/conversation/<id>" in detail["message"]
    [error] = playback.transcript().errors
    assert path.partition("?")[0] in error
    _still_serves(playback)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", PATH, "POST"),
        ("PUT", PREPARE, "POST"),
        ("POST", "/backend-api/ios/attestation_challenge", "GET"),
        ("DELETE", "/backend-api/conversation/x", "GET"),
    ],
)
def test_a_wrong_method_is_a_405_with_the_right_one(play: Play, method: str, path: str, allowed: str) -> None:
    playback = play(plain())
    answer = ask(playback.base_url, method, path)
    assert (answer.status, answer.headers["allow"]) == (405, allowed)
    assert f"this path takes {allowed}" in answer.json()["detail"]["message"]
    assert len(playback.transcript().errors) == 1
    _still_serves(playback)


@pytest.mark.parametrize("rest", ["", "/stream_status"])
def test_reading_an_unknown_conversation_is_a_404_that_names_the_known_ones(play: Play, rest: str) -> None:
    playback = play(plain())
    known = converse(playback.base_url, user_turn()).stream()["events"][0]["conversation_id"]
    answer = ask(playback.base_url, "GET", f"/backend-api/conversation/unknown{rest}")
    assert answer.status == 404
    detail = answer.json()["detail"]
    assert detail["code"] == "conversation_not_found"
    assert known in detail["message"]


@pytest.mark.parametrize(
    "path", ["/", "/play/nobody/backend-api/f/conversation", "/x/backend-api/y", "/play/nobody"]
)
def test_a_place_where_nothing_is_played_is_a_404_that_says_where_something_is(
    server: ServerThread, play: Play, path: str
) -> None:
    playback = play(plain())
    answer = ask(server.base_url, "GET", path)
    assert answer.status == 404
    detail = answer.json()["detail"]
    assert detail["code"] == "no_such_play"
    assert playback.base_url in detail["message"]


def test_what_is_no_http_gets_a_400_and_no_traceback(server: ServerThread, play: Play) -> None:
    playback = play(plain())
    parts = urlsplit(server.base_url)
    with socket.create_connection((parts.hostname, parts.port), timeout=5) as connection:
        connection.sendall(b"GARBAGE\x00\r\n\r\n")
        assert connection.recv(100).split(b" ")[1] == b"400"
    _still_serves(playback)


def test_a_client_that_leaves_while_it_sends_its_body_leaves_nothing_behind(play: Play) -> None:
    playback = play(plain())
    with Wire(playback.base_url) as wire:
        head = f"POST {wire.prefix}{PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{{"
        wire.socket.sendall(head.encode())
    _still_serves(playback)
    assert {entry.number for entry in playback.transcript().entries} == {1}


def test_a_fault_of_the_servers_own_is_a_500_and_an_error_of_the_play(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    playback = play(two_turns())
    monkeypatch.setattr("wiretape_server.converse.match_return", lambda *_: 1 / 0)
    answer = converse(playback.base_url, user_turn())
    assert answer.status == 500
    assert answer.json()["detail"]["message"].endswith("ZeroDivisionError: division by zero")
    assert len(playback.transcript().errors) == 1
    monkeypatch.undo()
    _still_serves(playback)


def test_bad_requests_of_one_play_are_no_errors_of_another(play: Play) -> None:
    bad, good = play(plain()), play(calling())
    ask(bad.base_url, "GET", "/backend-api/nothing")
    assert len(bad.transcript().errors) == 1
    assert good.transcript().errors == ()
    assert good.transcript().entries == []
