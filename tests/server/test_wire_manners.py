"""What a client sees of HTTP, byte by byte."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.server.clockwork import Clockwork
from tests.server.making import PATH, answer_stream, calling, cassette, interaction, plain, user_turn
from tests.server.wire import Wire, ask, converse
from wiretape.transcript import Chunk, End, Request, Response
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

Play = Callable[..., Playback]

EVENTS = answer_stream().count(b"\n\n")


def test_the_head_of_a_stream_is_the_real_backends(play: Play) -> None:
    answer = converse(play(plain()).base_url, user_turn(), accept_encoding="gzip, deflate")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in answer.headers
    assert "content-encoding" not in answer.headers


def test_every_answer_carries_a_conduit_token_of_its_own(play: Play) -> None:
    base_url = play(plain()).base_url
    tokens = [converse(base_url, user_turn()).headers["x-conduit-token"] for _ in range(3)]
    assert len(set(tokens)) == 3


def test_recorded_headers_are_replayed_but_for_those_that_a_connection_has_its_own_of(play: Play) -> None:
    recorded = {"x-made": "kept", "Content-Length": "7", "set-cookie": "a=b", "x-conduit-token": "old"}
    made = cassette(interaction(user_turn(), answer_stream(), headers=recorded))
    headers = converse(play(made).base_url, user_turn()).headers
    assert headers["x-made"] == "kept"
    assert headers["x-conduit-token"] != "old"
    assert "content-length" not in headers
    assert "set-cookie" not in headers


def test_a_recorded_status_that_has_no_name_is_played(play: Play) -> None:
    made = cassette(interaction(user_turn(), b"<html>", status=520, headers={"content-type": "text/html"}))
    assert converse(play(made).base_url, user_turn()).status == 520


def test_a_recorded_error_is_played_as_it_was(play: Play) -> None:
    body, headers = b'{"detail": {"code": "model_cap_exceeded"}}', {"content-type": "application/json"}
    made = cassette(interaction(user_turn(), body, status=429, headers=headers))
    answer = converse(play(made).base_url, user_turn())
    assert (answer.status, answer.headers["content-type"]) == (429, "application/json")
    assert answer.body() == body


@pytest.mark.parametrize(
    ("chunks", "count"), [("recorded", EVENTS), ("byte", len(answer_stream())), ("one", 1)]
)
def test_at_instant_pace_each_recorded_chunk_is_an_http_chunk(play: Play, chunks: str, count: int) -> None:
    with Wire(play(plain(), chunks=chunks, ids="recorded").base_url) as wire:
        pieces = list(wire.ask("POST", PATH, user_turn()).chunks())
    assert len(pieces) == count
    assert b"".join(pieces) == answer_stream()


def test_the_connection_serves_the_next_request_after_a_stream(play: Play) -> None:
    with Wire(play(calling()).base_url) as wire:
        for _ in range(3):
            answer = wire.ask("POST", PATH, user_turn())
            assert answer.stream()["complete"] is True
        assert "attestation_challenge" in wire.ask("GET", "/backend-api/ios/attestation_challenge").json()


def test_an_http_1_0_client_gets_the_bare_body_and_the_end_of_the_connection(play: Play) -> None:
    with Wire(play(plain(), ids="recorded").base_url) as wire:
        wire.send("POST", PATH, user_turn(), version="HTTP/1.0", connection="keep-alive")
        answer = wire.answer()
        assert "transfer-encoding" not in answer.headers
        assert answer.body() == answer_stream()


def test_a_chunked_request_body_is_read_whole(play: Play) -> None:
    data = json.dumps(user_turn()).encode()
    halves = [data[:40], data[40:]]
    with Wire(play(plain()).base_url) as wire:
        head = f"POST {wire.prefix}{PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        wire.socket.sendall(head.encode())
        for half in halves:
            wire.socket.sendall(b"%x\r\n%b\r\n" % (len(half), half))
        wire.socket.sendall(b"0\r\n\r\n")
        assert wire.answer().stream()["done"] is True


def test_a_client_that_expects_100_continue_is_told_to_go_on(play: Play) -> None:
    playback = play(plain())
    with Wire(playback.base_url) as wire:
        wire.socket.sendall(
            f"POST {wire.prefix}{PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n"
            "expect: 100-continue\r\n\r\n".encode()
        )
        assert wire.answer().status == 100
        wire.socket.sendall(b"{}")
        assert wire.answer().status == 200


def test_a_stream_that_was_reset_breaks_the_connection_after_its_last_byte(play: Play) -> None:
    with Wire(play(plain(end="reset"), ids="recorded").base_url) as wire:
        chunks = wire.ask("POST", PATH, user_turn()).chunks()
        got = b"".join(next(chunks) for _ in range(EVENTS))
        with pytest.raises((ConnectionResetError, EOFError)):
            next(chunks)
    assert got == answer_stream()


def test_a_stream_that_hung_sends_all_and_then_nothing(play: Play) -> None:
    playback = play(plain(end="hang"), ids="recorded")
    with Wire(playback.base_url) as wire:
        chunks = wire.ask("POST", PATH, user_turn()).chunks()
        assert b"".join(next(chunks) for _ in range(EVENTS)) == answer_stream()
        assert wire.is_silent()
    assert playback.wait_idle(5)
    assert playback.transcript().entries[-1].how == "hang"  # type: ignore[union-attr]


def test_at_the_recorded_pace_each_chunk_is_written_at_its_time(
    still_server: ServerThread, clockwork: Clockwork
) -> None:
    size = len(answer_stream())
    made = plain(chunks=[(0, 34), (100, 20), (0, 5), (250, size - 59)])
    playback = still_server.play(made, PlayOptions(ids="recorded"))
    with Wire(playback.base_url) as wire:
        chunks = wire.ask("POST", PATH, user_turn()).chunks()
        assert next(chunks) == answer_stream()[:34]
        still_server.call(clockwork.advance, 0.102)
        assert next(chunks) + next(chunks) == answer_stream()[34:59]
        still_server.call(clockwork.advance, 0.1)
        assert wire.is_silent()
        still_server.call(clockwork.advance, 0.151)
        assert next(chunks) == answer_stream()[59:]
    written = [entry for entry in playback.transcript().entries if isinstance(entry, Chunk)]
    assert [round(entry.at, 2) for entry in written] == [0.0, 0.1, 0.1, 0.35]
    assert [entry.stop for entry in written] == [34, 54, 59, size]


def test_a_scaled_pace_multiplies_every_delay(still_server: ServerThread, clockwork: Clockwork) -> None:
    size = len(answer_stream())
    made = plain(chunks=[(100, 34), (300, size - 34)])
    playback = still_server.play(made, PlayOptions(pace="x0.5"))
    with Wire(playback.base_url) as wire:
        answer = wire.ask("POST", PATH, user_turn())
        still_server.call(clockwork.advance, 0.3)
        assert answer.stream()["done"] is True
    written = [entry for entry in playback.transcript().entries if isinstance(entry, Chunk)]
    assert [round(entry.at, 2) for entry in written] == [0.05, 0.2]


def test_lateness_is_not_carried_into_the_chunks_that_follow(
    still_server: ServerThread, clockwork: Clockwork
) -> None:
    size = len(answer_stream())
    playback = still_server.play(plain(chunks=[(0, 34), (100, 20), (100, size - 54)]))
    with Wire(playback.base_url) as wire:
        chunks = wire.ask("POST", PATH, user_turn()).chunks()
        next(chunks)
        clockwork.time += 0.19  # the loop was busy: the second chunk is 90 ms late
        still_server.call(clockwork.advance, 0.02)
        assert len(next(chunks)) + len(next(chunks)) == size - 34
    written = [entry for entry in playback.transcript().entries if isinstance(entry, Chunk)]
    assert [round(entry.at, 2) for entry in written] == [0.0, 0.19, 0.2]


def test_the_transcript_holds_everything_in_the_order_in_which_it_happened(play: Play) -> None:
    playback = play(plain(), ids="recorded")
    ask(playback.base_url, "GET", "/backend-api/ios/attestation_challenge?x=1", accept="a/b")
    converse(playback.base_url, user_turn())
    entries = playback.transcript().entries
    kinds = [Request, Response, Chunk, End]
    assert [type(entry) for entry in entries] == kinds + kinds
    assert [entry.number for entry in entries] == [1] * 4 + [2] * 4
    first = entries[0]
    assert isinstance(first, Request)
    assert (first.method, first.path) == ("GET", "/backend-api/ios/attestation_challenge?x=1")
    assert ("accept", "a/b") in first.headers
    transcript = playback.transcript()
    assert transcript.live is True
    assert transcript.bodies()[2] == answer_stream()


def test_a_big_answer_waits_for_a_client_that_reads_slowly(play: Play) -> None:
    words = ["x" * 100_000] * 100
    made = cassette(interaction(user_turn(), answer_stream(words=words)))
    playback = play(made)
    with Wire(playback.base_url) as wire:
        answer = wire.ask("POST", PATH, user_turn())
        assert not playback.wait_idle(0.1)
        assert len(answer.body()) == len(answer_stream(words=words))
    assert playback.wait_idle(5)
    assert sum(isinstance(entry, Chunk) for entry in playback.transcript().entries) > 10


def test_a_client_that_leaves_is_an_entry_in_the_transcript_with_what_was_written(
    still_server: ServerThread, clockwork: Clockwork
) -> None:
    size = len(answer_stream())
    playback = still_server.play(plain(chunks=[(0, 34), (100, size - 34)]))
    with Wire(playback.base_url) as wire:
        assert len(next(wire.ask("POST", PATH, user_turn()).chunks())) == 34
    assert playback.wait_idle(5)
    still_server.call(clockwork.advance, 1.0)
    *_, chunk, end = playback.transcript().entries
    assert isinstance(chunk, Chunk)
    assert isinstance(end, End)
    assert (chunk.stop, end.how) == (34, "client-left")
    assert (
        converse(still_server.play(plain(), PlayOptions(pace="instant")).base_url, user_turn()).status == 200
    )
