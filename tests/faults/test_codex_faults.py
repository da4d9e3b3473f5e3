"""Every kind of fault at the app-server, over both transports: what is on the wire, and what is judged."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conformance.playing import CLIENTS, RUNS_WITHIN, failures, needs_node
from tests.faults.codex_wires import Player, Returning
from tests.server.codex_wires import CLOSE, Process, Websocket
from tests.server.wire import TIMEOUT
from wiretape import load_cassette, verify
from wiretape.faults.codex import CODEX_KINDS
from wiretape.transcript import Frame, Link, Struck, Transcript
from wiretape_server.codex_faults import CRASH, MALFORMED, OVERLOADED
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.thread import CodexPlayback, ServerThread

Play = Callable[..., CodexPlayback]
TRANSPORTS = ("stdio", "websocket")
FAULTS = {
    "rpc-error@type:thread/start": "thread/start -> {",
    "late-answer@type:turn/start": "",
    "duplicate-answer@type:*": "",
    "notification-first@type:*": "",
    "server-request-first@type:turn/start": "",
    "malformed-line@event:*": "",
    "child-exit@type:item/tool/call": "ended",
    "eof@type:item/tool/call": "ended",
    "reconnect@type:item/tool/call": "ended",
}
"""Faults, each with what the reference client gives up with; nothing where it goes on."""
GOES_ON = [fault for fault, gives_up in FAULTS.items() if not gives_up]
GIVES_UP = [fault for fault, gives_up in FAULTS.items() if gives_up]
both = pytest.mark.parametrize("transport", TRANSPORTS)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread() as server:
        yield server


@pytest.fixture
def play(server: ServerThread) -> Iterator[Play]:
    """Plays a codex cassette at instant pace with these faults."""
    playbacks: list[CodexPlayback] = []

    def play(*faults: str, cassette: str = "dynamic_tool_text", **options: Any) -> CodexPlayback:
        settings = PlayOptions.parse(**{"pace": "instant", **options}, faults=faults)
        playback = server.play(load_cassette(f"codex/{cassette}"), settings)
        assert isinstance(playback, CodexPlayback)
        playbacks.append(playback)
        return playback

    yield play
    for playback in playbacks:
        playback.close()


def settled(playback: CodexPlayback) -> Transcript:
    assert playback.wait_idle(TIMEOUT)
    return playback.transcript()


def said(transcript: Transcript) -> list[bytes]:
    """What the server wrote, by the transcript."""
    frames = (entry for entry in transcript.entries if isinstance(entry, Frame))
    return [frame.data for frame in frames if frame.direction == "server"]


def places(heard: list[bytes], wanted: Callable[[dict[str, Any]], object]) -> list[int]:
    """Where the messages are that this function says yes to."""
    messages = [{} if data == MALFORMED else json.loads(data) for data in heard]
    return [index for index, message in enumerate(messages) if wanted(message)]


def answers(heard: list[bytes], number: int) -> list[int]:
    return places(heard, lambda message: message.get("id") == number and "method" not in message)


def named(heard: list[bytes], method: str) -> list[int]:
    return places(heard, lambda message: message.get("method") == method)


# --- the reference client


def test_every_kind_is_tried() -> None:
    assert {fault.partition("@")[0] for fault in FAULTS} == {kind.name for kind in CODEX_KINDS}


@both
@pytest.mark.parametrize("profile", ["0.98", "0.171"])
@pytest.mark.parametrize("fault", GOES_ON)
def test_the_reference_client_goes_on_and_no_rule_complains(
    play: Play, fault: str, transport: str, profile: str
) -> None:
    playback = play(fault, profile=profile)
    player = Player(playback, transport)
    assert player.run() == ""
    transcript = settled(playback)
    assert fault in {entry.fault for entry in transcript.entries if isinstance(entry, Struck)}
    report = verify(transcript)
    assert (failures(report), report.played) == ([], True)
    assert {f.outcome for f in report.findings if f.rule == "codex.call.answered"} == {"pass"}
    assert said(transcript) == player.wires[0].heard, "the transcript says what was on the wire"


@both
@pytest.mark.parametrize("fault", GIVES_UP)
def test_the_reference_client_may_give_up_and_no_rule_complains(
    play: Play, fault: str, transport: str
) -> None:
    playback = play(fault)
    player = Player(playback, transport)
    assert player.run() != ""
    transcript = settled(playback)
    report = verify(transcript)
    assert (failures(report), report.played) == ([], True)
    unjudged = {f.rule: f.because for f in report.findings if f.outcome == "not_applicable"}
    assert all(fault in because or because.startswith("codex.") for because in unjudged.values())
    if not fault.startswith("eof"):  # the process still reads the answer that is under way
        assert ("codex.call.answered" in unjudged) == fault.endswith("item/tool/call")
    assert said(transcript) == player.wires[0].heard


@both
@pytest.mark.parametrize("fault", ["reconnect@type:item/tool/call", "child-exit@type:item/tool/call"])
def test_a_client_that_comes_back_finds_its_thread(play: Play, fault: str, transport: str) -> None:
    playback = play(fault)
    player = Player(playback, transport, Returning)
    assert player.run() == ""
    first, second = player.wires
    assert named(second.heard, "turn/completed")
    again = named(second.heard, "item/tool/call")
    lives_on = transport == "websocket" and fault.startswith("reconnect")
    assert bool(again) == lives_on, "an open call comes again where the process goes on"
    if lives_on:
        assert second.heard[again[0]] == first.heard[named(first.heard, "item/tool/call")[0]]
    report = verify(settled(playback))
    assert (failures(report), report.played) == ([], True)
    assert "codex.fault.thread-known" not in {f.rule for f in report.findings if f.outcome == "fail"}


EXAMPLES = [
    pytest.param([sys.executable, str(CLIENTS / "codex_client.py")], id="python"),
    pytest.param(["node", str(CLIENTS / "codex_client.mjs")], id="node", marks=needs_node),
]


@pytest.mark.parametrize("command", EXAMPLES)
@pytest.mark.parametrize("fault", FAULTS)
def test_an_example_client_conforms(play: Play, fault: str, command: list[str]) -> None:
    playback = play(fault)
    environment = os.environ | playback.variables()
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=RUNS_WITHIN, check=False
    )
    report = verify(settled(playback))
    assert (failures(report), report.played) == ([], True)
    assert (done.returncode == 0) == (fault in GOES_ON)
    assert "Traceback" not in done.stderr


# --- what is on the wire


@both
def test_an_rpc_error_is_what_the_documentation_says_and_nothing_is_done(play: Play, transport: str) -> None:
    player = Player(play("rpc-error@request:2"), transport)
    player.run()
    heard = player.wires[0].heard
    (place,) = answers(heard, 2)
    assert json.loads(heard[place]) == {"error": OVERLOADED, "id": 2}
    assert not named(heard, "thread/started")


@both
def test_a_late_answer_comes_after_all_else(play: Play, transport: str) -> None:
    player = Player(play("late-answer@type:turn/start"), transport)
    player.run()
    heard = player.wires[0].heard
    assert answers(heard, 3) == [len(heard) - 1]
    assert named(heard, "turn/completed") == [len(heard) - 2]


@both
def test_a_duplicate_answer_is_the_same_twice(play: Play, transport: str) -> None:
    player = Player(play("duplicate-answer@request:1", "duplicate-answer@request:3"), transport)
    player.run()
    heard = player.wires[0].heard
    for number, count in ((1, 2), (2, 1), (3, 2)):
        found = answers(heard, number)
        assert len(found) == count
        assert found[-1] - found[0] == count - 1, "one right behind the other"
        assert heard[found[0]] == heard[found[-1]]


@both
def test_the_notification_that_would_follow_comes_first(play: Play, transport: str) -> None:
    player = Player(play("notification-first@type:*"), transport)
    player.run()
    heard = player.wires[0].heard
    for number, method in ((1, "configWarning"), (2, "thread/started"), (3, "thread/status/changed")):
        (place,) = answers(heard, number)
        assert json.loads(heard[place - 1])["method"] == method


@both
def test_the_servers_request_comes_before_the_answer(play: Play, transport: str) -> None:
    player = Player(play("server-request-first@type:turn/start"), transport)
    player.run()
    heard = player.wires[0].heard
    assert answers(heard, 3) == [named(heard, "item/tool/call")[0] + 1]


@both
def test_an_answer_that_nothing_comes_before_comes_in_the_end(play: Play, transport: str) -> None:
    playback = play("server-request-first@type:thread/start")
    player = Player(playback, transport)
    assert player.run() == ""
    (error,) = settled(playback).errors
    assert error.startswith("fault server-request-first@type:thread/start struck nothing")


@both
def test_a_malformed_line_is_no_json_and_stands_before_the_message(play: Play, transport: str) -> None:
    player = Player(play("malformed-line@event:2", "malformed-line@type:turn/start"), transport)
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
def test_a_connection_ends_as_its_fault_says(play: Play, kind: str, where: str, transport: str) -> None:
    playback = play(f"{kind}@{where}")
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
def test_after_its_stdout_has_ended_the_process_still_reads(play: Play, transport: str) -> None:
    playback = play("eof@event:1")
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


def test_a_process_that_dies_takes_all_its_websockets_along(play: Play) -> None:
    playback = play("child-exit@type:item/tool/call")
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


def test_a_program_that_listens_dies_with_its_exit_code(play: Play) -> None:
    playback = play("child-exit@type:thread/start")
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


def test_a_fault_that_would_strike_nothing_is_refused(play: Play) -> None:
    for fault in ("eof@event:5000", "cut@event:2"):
        with pytest.raises(OptionError, match=fault):
            play(fault)


@both
def test_a_fault_that_struck_nothing_is_named(play: Play, transport: str) -> None:
    playback = play("late-answer@type:thread/fork")
    Player(playback, transport).run()
    transcript = settled(playback)
    assert transcript.faults == ("late-answer@type:thread/fork",)
    assert "late-answer@type:thread/fork struck nothing" in transcript.errors[0]
    assert not verify(transcript).played


# --- what is left


async def _tasks() -> int:
    return len(asyncio.all_tasks())


def _files() -> int:
    return len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0


def test_faults_leave_no_task_and_no_socket_behind(server: ServerThread, play: Play) -> None:
    def round_of_all() -> None:
        for fault in FAULTS:
            for transport in TRANSPORTS:
                playback = play(fault)
                Player(playback, transport).run()
                assert playback.wait_idle(TIMEOUT)
                playback.close()

    round_of_all()
    tasks, files = server.call(_tasks), _files()
    round_of_all()
    assert server.call(_tasks) <= tasks
    assert _files() <= files
