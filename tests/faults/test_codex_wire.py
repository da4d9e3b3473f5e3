"""What each kind of fault does on the wire of the app-server, over stdio and websocket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from tests.attack.counting import descriptors
from tests.faults.codex_wires import FAULTS, TRANSPORTS, Player, answers, named, settled
from tests.server.codex_wires import CLOSE, Process, Websocket
from tests.server.wire import TIMEOUT
from wiretape import verify
from wiretape.transcript import Frame, Link
from wiretape_server.codex_faults import CRASH, MALFORMED, OVERLOADED
from wiretape_server.options import OptionError
from wiretape_server.thread import CodexPlayback, ServerThread

Codex = Callable[..., CodexPlayback]
both = pytest.mark.parametrize("transport", TRANSPORTS)


@both
def test_an_rpc_error_is_the_documented_one_and_nothing_is_done(codex: Codex, transport: str) -> None:
    player = Player(codex("rpc-error@request:2"), transport)
    player.run()
    heard = player.wires[0].heard
    (place,) = answers(heard, 2)
    assert json.loads(heard[place]) == {"error": OVERLOADED, "id": 2}
    assert not named(heard, "thread/started")


@both
def test_a_late_answer_comes_after_all_else(codex: Codex, transport: str) -> None:
    player = Player(codex("late-answer@type:turn/start"), transport)
    player.run()
    heard = player.wires[0].heard
    assert answers(heard, 3) == [len(heard) - 1]
    assert named(heard, "turn/completed") == [len(heard) - 2]


@both
def test_a_duplicate_answer_is_the_same_twice(codex: Codex, transport: str) -> None:
    player = Player(codex("duplicate-answer@request:1", "duplicate-answer@request:3"), transport)
    player.run()
    heard = player.wires[0].heard
    for number, count in ((1, 2), (2, 1), (3, 2)):
        found = answers(heard, number)
        assert len(found) == count
        assert found[-1] - found[0] == count - 1, "one right behind the other"
        assert heard[found[0]] == heard[found[-1]]


@both
def test_the_notification_that_would_follow_comes_first(codex: Codex, transport: str) -> None:
    player = Player(codex("notification-first@type:*"), transport)
    player.run()
    heard = player.wires[0].heard
    for number, method in ((1, "configWarning"), (2, "thread/started"), (3, "thread/status/changed")):
        (place,) = answers(heard, number)
        assert json.loads(heard[place - 1])["method"] == method


@both
def test_the_servers_request_comes_before_the_answer(codex: Codex, transport: str) -> None:
    player = Player(codex("server-request-first@type:turn/start"), transport)
    player.run()
    heard = player.wires[0].heard
    assert answers(heard, 3) == [named(heard, "item/tool/call")[0] + 1]


@both
def test_an_answer_that_nothing_comes_before_comes_in_the_end(codex: Codex, transport: str) -> None:
    playback = codex("server-request-first@type:thread/start")
    player = Player(playback, transport)
    assert player.run() == ""
    (error,) = settled(playback).errors
    assert error.startswith("fault server-request-first@type:thread/start struck nothing")


@both
def test_a_malformed_line_is_no_json_and_stands_before_the_message(codex: Codex, transport: str) -> None:
    player = Player(codex("malformed-line@event:2", "malformed-line@type:turn/start"), transport)
    player.run()
    heard = player.wires[0].heard
    (second,) = answers(heard, 2)
    assert heard[second - 1] == MALFORMED
    (third,) = answers(heard, 3)
    assert heard[third - 1] == MALFORMED, "as the request arrives"
    assert heard.count(MALFORMED) == 2
    with pytest.raises(json.JSONDecodeError):
        json.loads(MALFORMED)


ENDS = {
    ("child-exit", "stdio"): "exit code 101",
    ("child-exit", "websocket"): "no close frame",
    ("eof", "stdio"): "it lives on",
    ("eof", "websocket"): "no close frame",
    ("reconnect", "stdio"): "exit code 0",
    ("reconnect", "websocket"): "close code 1012",
}


@both
@pytest.mark.parametrize("kind", ["child-exit", "eof", "reconnect"])
@pytest.mark.parametrize("where", ["event:4", "type:turn/start", "type:item/tool/call"])
def test_a_connection_ends_as_its_fault_says(codex: Codex, kind: str, where: str, transport: str) -> None:
    playback = codex(f"{kind}@{where}")
    player = Player(playback, transport)
    player.run()
    (wire,) = player.wires
    assert wire.how.partition(";")[0] == ENDS[kind, transport]
    assert (CRASH in wire.how) == ((kind, transport) == ("child-exit", "stdio"))
    last = {"event:4": answers(wire.heard, 3), "type:turn/start": [2]}
    assert last.get(where, named(wire.heard, "item/tool/call")) == [len(wire.heard) - 1]
    *_, link = (entry for entry in settled(playback).entries if isinstance(entry, Link))
    assert link.by == ("client" if kind == "eof" else "server")


@both
def test_after_its_stdout_has_ended_the_process_still_reads(codex: Codex, transport: str) -> None:
    playback = codex("eof@event:1")
    with Process(playback) if transport == "stdio" else Websocket(playback.ws_url) as client:
        client.say({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "x", "version": "1"}}})
        client.read()
        for _ in range(2):
            client.say({"method": "initialized"})
        if isinstance(client, Process):
            assert client.end() == (0, "")
        else:
            client.frame(CLOSE, (1000).to_bytes(2, "big"))
            with pytest.raises((EOFError, ConnectionError)):
                client.read()
    sent = [e for e in settled(playback).entries if isinstance(e, Frame) and e.direction == "client"]
    assert len(sent) == 3


# --- processes


def test_a_process_that_dies_takes_all_its_websockets_along(codex: Codex) -> None:
    playback = codex("child-exit@type:item/tool/call")
    with Websocket(playback.ws_url) as other:
        other.initialize()
        with Websocket(playback.ws_url) as client:
            thread, call = client.call(playback)
            assert call["id"] == 0
            for each in (client, other):
                with pytest.raises((EOFError, ConnectionError)):
                    each.until("never")
    with Websocket(playback.ws_url) as client:
        client.initialize()
        resumed = client.ask("thread/resume", {"threadId": thread})
        assert [turn["status"] for turn in resumed["thread"]["turns"]] == ["interrupted"]


def test_a_program_that_listens_dies_with_its_exit_code(codex: Codex) -> None:
    playback = codex("child-exit@type:thread/start")
    with Process(playback, "app-server", "--listen", "ws://127.0.0.1:0") as program:
        assert program.process.stderr is not None
        program.process.stderr.readline()
        url = program.process.stderr.readline().decode().strip().removeprefix("listening on: ")
        with Websocket(url) as client:
            client.initialize()
            with pytest.raises((EOFError, ConnectionError)):
                client.ask("thread/start", {})
        assert program.process.wait(TIMEOUT) == 101
        assert CRASH.encode() in program.process.stderr.read()
    with pytest.raises(ConnectionError):
        Websocket(url)


# --- faults that can't be


def test_a_fault_that_would_strike_nothing_is_refused(codex: Codex) -> None:
    for fault in ("eof@event:5000", "cut@event:2"):
        with pytest.raises(OptionError, match=fault):
            codex(fault)


@both
def test_a_fault_that_struck_nothing_is_named(codex: Codex, transport: str) -> None:
    playback = codex("late-answer@type:thread/fork")
    Player(playback, transport).run()
    transcript = settled(playback)
    assert transcript.faults == ("late-answer@type:thread/fork",)
    assert "late-answer@type:thread/fork struck nothing" in transcript.errors[0]
    assert not verify(transcript).played


# --- what is left


async def _tasks() -> int:
    return len(asyncio.all_tasks())


def test_faults_leave_no_task_and_no_socket_behind(server: ServerThread, codex: Codex) -> None:
    def round_of_all() -> None:
        for fault in FAULTS:
            for transport in TRANSPORTS:
                playback = codex(fault)
                Player(playback, transport).run()
                assert playback.wait_idle(TIMEOUT)
                playback.close()

    round_of_all()
    tasks, files = server.call(_tasks), descriptors()
    round_of_all()
    assert server.call(_tasks) <= tasks
    assert descriptors() <= files
