"""Starting, playing, stopping: the server beside the program that uses it."""

from __future__ import annotations

import dataclasses
import socket
import subprocess
import sys
import threading
from urllib.parse import urlsplit

import pytest

from tests.server.making import PATH, answer_stream, calling, cassette, plain, user_turn
from tests.server.wire import Wire, ask, converse
from wiretape.cassette.model import CassetteError, Expect
from wiretape.transcript import End
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

INSTANT = PlayOptions(pace="instant")
FOREVER = [(0.0, 34), (3_600_000.0, len(answer_stream()) - 34)]


def test_it_listens_on_loopback_only() -> None:
    with ServerThread() as server:
        assert urlsplit(server.base_url).hostname == "127.0.0.1"


def test_an_address_without_a_prefix_plays_what_was_added_first() -> None:
    with ServerThread() as server:
        first = server.play(plain(), INSTANT, key="first")
        server.play(calling(), INSTANT, key="second")
        converse(server.base_url, user_turn())
        assert first.transcript().unplayed == ()


def test_a_key_is_the_plays_address_and_may_hold_a_slash() -> None:
    with ServerThread() as server:
        playback = server.play(plain(), INSTANT, key="flow_a/plain")
        assert playback.base_url == f"{server.base_url}/play/flow_a/plain"
        assert converse(playback.base_url, user_turn()).status == 200
        assert ask(f"{server.base_url}/play/flow_a", "GET", PATH).json()["detail"]["code"] == "no_such_play"


@pytest.mark.parametrize("key", ["my tape#1", "50%?", "é/☃"])
def test_a_key_may_hold_any_characters(key: str) -> None:
    with ServerThread() as server:
        playback = server.play(plain(), INSTANT, key=key)
        assert playback.base_url.isascii()
        assert not {*" #?"} & {*playback.base_url}
        assert converse(playback.base_url, user_turn()).status == 200
        there = ask(server.base_url, "GET", "/nothing").json()["detail"]["message"]
        assert f"one of: {playback.base_url}; " in there


def test_plays_of_the_same_cassette_have_transcripts_of_their_own() -> None:
    with ServerThread() as server:
        one, other = server.play(plain(), INSTANT), server.play(plain(), INSTANT)
        converse(one.base_url, user_turn())
        assert one.transcript().unplayed == ()
        assert len(other.transcript().unplayed) == 1
        assert other.transcript().entries == []


def test_a_play_with_a_port_of_its_own_needs_no_prefix() -> None:
    with ServerThread() as server:
        server.play(calling(), INSTANT)
        playback = server.play(plain(), INSTANT, own_port=True)
        assert urlsplit(playback.base_url).path == ""
        assert urlsplit(playback.base_url).port != urlsplit(server.base_url).port
        assert converse(playback.base_url, user_turn()).stream()["complete"] is True
        assert playback.transcript().unplayed == ()
        playback.close()
        with pytest.raises(OSError):
            converse(playback.base_url, user_turn())


def test_a_closed_play_is_gone_and_its_streams_are_broken() -> None:
    with ServerThread() as server:
        playback = server.play(plain(chunks=FOREVER))
        with Wire(playback.base_url) as wire:
            chunks = wire.ask("POST", PATH, user_turn()).chunks()
            next(chunks)
            playback.close()
            with pytest.raises((EOFError, ConnectionResetError)):
                next(chunks)
        end = playback.transcript().entries[-1]
        assert isinstance(end, End)
        assert end.how == "reset"
        assert ask(playback.base_url, "GET", PATH).status == 404


def test_a_playback_says_what_a_client_needs_to_know() -> None:
    results = {"alefita_way": "echo", "handoff": {"accepted": True}}
    made = dataclasses.replace(
        plain(), expect=Expect(user_message="Hi", tools=({"name": "handoff"},), results=results)
    )
    with ServerThread() as server:
        playback = server.play(made)
        assert playback.user_message == "Hi"
        assert playback.tools == [{"name": "handoff"}]
        assert playback.results == {"handoff": {"accepted": True}}
        assert playback.cassette is made
        assert playback.transcript().expect == {"results": results}


def test_a_cassette_that_cannot_be_played_is_refused_where_it_is_asked_for() -> None:
    with ServerThread() as server, pytest.raises(CassetteError):
        server.play(cassette())


def test_a_port_that_is_taken_is_an_error_that_says_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"can't listen on 127.0.0.1 port {port}.*Choose another port"):
            ServerThread(port=port).start()


def test_a_second_start_does_nothing() -> None:
    with ServerThread().start() as server:
        base_url = server.base_url
        assert server.start().base_url == base_url


def test_it_stops_in_under_two_seconds_with_streams_uploads_and_idle_connections_open() -> None:
    others = threading.enumerate()
    server = ServerThread().start()
    slow = server.play(plain(chunks=FOREVER))
    hung = server.play(plain(end="hang"), INSTANT)
    wires = [Wire(playback.base_url) for playback in (slow, hung) for _ in range(10)]
    try:
        for wire in wires:
            next(wire.ask("POST", PATH, user_turn()).chunks())
        wires.append(Wire(slow.base_url))
        wires[-1].socket.sendall(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
        wires.append(Wire(slow.base_url))
        wires[-1].ask("GET", "/backend-api/ios/attestation_challenge").body()
        server.stop()  # waits for less than two seconds; a thread that is still there took longer
        assert not [thread for thread in threading.enumerate() if thread not in others]
    finally:
        for wire in wires:
            wire.socket.close()


def test_a_stopped_server_can_be_stopped_again_and_its_plays_closed() -> None:
    server = ServerThread().start()
    playback = server.play(plain())
    server.stop()
    server.stop()
    playback.close()
    assert playback.transcript().entries == []


def test_waiting_for_a_stream_that_does_not_end_gives_up_in_time() -> None:
    with ServerThread() as server:
        playback = server.play(plain(chunks=FOREVER))
        assert playback.wait_idle(0)
        with Wire(playback.base_url) as wire:
            next(wire.ask("POST", PATH, user_turn()).chunks())
            assert not playback.wait_idle(0.01)
        assert playback.wait_idle(5)


def test_serving_imports_neither_pytest_nor_hypothesis_nor_jsonschema() -> None:
    program = (
        "import sys, wiretape_server.thread\n"
        "with wiretape_server.thread.ServerThread(): pass\n"
        "print(sorted({'pytest', 'hypothesis', 'jsonschema', 'click', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
