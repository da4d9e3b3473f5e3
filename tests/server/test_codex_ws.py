"""The app-server's websocket: who gets in, health, frames of all kinds, what survives a disconnect."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.server.codex_wires import BINARY, CLOSE, OK, TEXT, Process, Websocket, completes_the_call
from tests.server.wire import TIMEOUT, ask
from wiretape import load_cassette, verify
from wiretape_server.codex_ws import LONGEST_MESSAGE
from wiretape_server.thread import CodexPlayback, ServerThread

DYNAMIC = "codex/dynamic_tool_text"
DIGEST = hashlib.sha256(b"a token").hexdigest()


def failed(playback: CodexPlayback) -> set[str]:
    assert playback.wait_idle(TIMEOUT)
    return {finding.rule for finding in verify(playback.transcript()).violations}


def test_a_session_plays_to_its_end_and_is_judged(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        assert client.upgrade.status == 101
        _, call = client.call(playback)
        client.answer(call)
        client.until("turn/completed")
        client.frame(CLOSE, (1000).to_bytes(2, "big"))
        assert client.read_frame()[0] == CLOSE
    assert failed(playback) == set()
    transcript = playback.transcript()
    assert verify(transcript).played
    assert [getattr(each, "detail", "") for each in transcript.entries][-1] == "close code 1000"


@pytest.mark.parametrize("names", [[], ["another"]])
def test_a_call_of_a_tool_that_was_not_declared_is_not_played(
    codex: Callable[..., CodexPlayback], names: list[str]
) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        client.initialize()
        client.start_turn(client.start_thread([playback.tools[0] | {"name": name} for name in names]))
        client.until("turn/completed")
    assert failed(playback) == set()
    assert playback.transcript().unplayed == (
        "model step 1 of 2 (call of demo_echo) did not come to the client: "
        "its thread/start has no such tool in dynamicTools",
    )


def test_a_thread_without_tools_may_go_beside_the_one_that_has_them(
    codex: Callable[..., CodexPlayback],
) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        _, call = client.call(playback)
        client.answer(call)
        client.until("turn/completed")
        client.start_turn(client.start_thread([]))
        client.until("turn/completed")
    assert failed(playback) == set()
    assert verify(playback.transcript()).played


@pytest.mark.parametrize("path", ["", "/", "/any/path", "?a=b", "/codex", "/v1/x"])
def test_any_path_below_upgrades(codex: Callable[..., CodexPlayback], path: str) -> None:
    with Websocket(codex().ws_url + path) as client:
        assert client.upgrade.status == 101


@pytest.mark.parametrize("key", ["codex/dynamic_tool_text", "codex", "a/codex/b", "x y"])
def test_a_play_may_have_any_name(codex: Callable[..., CodexPlayback], key: str) -> None:
    playback = codex(key=key)
    with Websocket(playback.ws_url.replace(" ", "%20")) as client:
        client.initialize()
    assert len(playback.transcript().entries) > 2


def test_a_play_with_a_port_of_its_own_takes_every_path(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex(own_port=True)
    for path in ("", "/", "/rpc"):
        with Websocket(playback.ws_url + path) as client:
            assert client.upgrade.status == 101
    for path in ("/readyz", "/healthz"):
        assert ask(playback.base_url, "GET", path).status == 200


def test_the_health_endpoints_answer_with_nothing(
    server: ServerThread, codex: Callable[..., CodexPlayback]
) -> None:
    playback = codex(DYNAMIC, "--ws-auth", "capability-token", "--ws-token-sha256", DIGEST)
    for base in (playback.ws_url.replace("ws:", "http:"), server.base_url):
        for path in ("/readyz", "/healthz"):
            answer = ask(base, "GET", path)
            assert (answer.status, answer.body()) == (200, b"")


def test_another_plain_request_is_refused(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    answer = ask(playback.ws_url.replace("ws:", "http:"), "GET", "/other")
    assert (answer.status, answer.body()) == (400, b"Connection header did not include 'upgrade'")
    assert "400" in playback.transcript().errors[0]


def test_any_origin_is_refused(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    http = playback.ws_url.replace("ws:", "http:")
    for origin in ("http://evil.example", http, "null"):
        with Websocket(playback.ws_url, origin=origin) as client:
            assert client.upgrade.status == 403
        assert ask(http, "GET", "/readyz", origin=origin).status == 403
    assert len(playback.transcript().errors) == 6, "a client is told why"


def test_a_request_for_no_play_is_told_which_there_are(
    server: ServerThread, codex: Callable[..., CodexPlayback]
) -> None:
    playback = codex()
    answer = ask(server.base_url, "GET", "/play/no-such/codex")
    assert answer.status == 404
    assert playback.base_url in answer.json()["detail"]["message"]


# --- frames


def test_a_binary_frame_is_ignored_and_named_by_the_verdict(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        _, call = client.call(playback)
        client.frame(BINARY, json.dumps({"id": call["id"], "result": OK}).encode())
        client.frame(BINARY, b"\xff\x00")
        assert client.ask("thread/loaded/list", {})["data"], "nothing came of it, and the call is still open"
        client.answer(call)
        client.until("turn/completed")
    assert failed(playback) == {"codex.frame.valid-json"}


def test_two_messages_in_one_frame_are_not_read(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        client.initialize()
        client.write(
            b'{"id":1,"method":"model/list","params":{}}\n{"id":2,"method":"model/list","params":{}}'
        )
        client.write(b'{"id":3,"method":"model/list","params":{}}\n')
        assert json.loads(client.read())["id"] == 3
    assert "codex.frame.one-message" in failed(playback)


@pytest.mark.parametrize(("size", "fragments"), [(50_000_000, 1), (5_000_000, 100)])
def test_a_big_image_passes_whole_and_in_fragments(
    codex: Callable[..., CodexPlayback], size: int, fragments: int
) -> None:
    playback = codex()
    image = "data:image/png;base64," + "A" * size
    with Websocket(playback.ws_url) as client:
        _, call = client.call(playback)
        items = [{"type": "inputImage", "imageUrl": image}]
        data = json.dumps({"id": call["id"], "result": {"contentItems": items, "success": True}}).encode()
        piece = -(-len(data) // fragments)
        for start in range(0, len(data), piece):
            opcode = TEXT if start == 0 else 0
            client.frame(opcode, data[start : start + piece], final=start + piece >= len(data))
        done = client.until(completes_the_call)
        assert len(done["params"]["item"]["contentItems"][0]["imageUrl"]) == len(image)


def test_a_message_that_is_too_long_closes_the_connection(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        client.frame(TEXT, b" " * (LONGEST_MESSAGE - 2) + b"{}")
        assert client.initialize()["userAgent"], "the longest one was taken"
        with contextlib.suppress(ConnectionError):
            client.frame(TEXT, b" " * (LONGEST_MESSAGE + 1))
    assert playback.wait_idle(TIMEOUT)
    assert "exceeds limit" in getattr(playback.transcript().entries[-1], "detail", "")


# --- connections


def test_an_open_call_comes_again_with_the_same_id_after_a_reconnect(
    codex: Callable[..., CodexPlayback],
) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        thread, call = client.call(playback)
    with Websocket(playback.ws_url) as client:
        client.initialize()
        client.ask("thread/resume", {"threadId": thread})
        again = client.until("item/tool/call")
        assert again == call
        client.answer(again)
        client.until("turn/completed")
    assert failed(playback) == set()
    assert verify(playback.transcript()).played


def test_of_two_connections_on_one_thread_the_first_answer_counts(
    codex: Callable[..., CodexPlayback],
) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as first, Websocket(playback.ws_url) as second:
        thread, call = first.call(playback)
        second.initialize()
        second.ask("thread/resume", {"threadId": thread})
        assert second.until("item/tool/call")["id"] == call["id"]
        second.answer(call)
        for client in (first, second):
            assert client.until("turn/completed")["params"]["turn"]["status"] == "completed"


def test_each_connection_begins_anew(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as first, Websocket(playback.ws_url) as second:
        first.initialize()
        assert second.ask("model/list", {})["message"] == "Not initialized"


def test_stdio_and_websocket_share_a_home(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex("codex/plain_turn")
    with Process(playback) as process:
        process.initialize()
        thread = process.start_thread([])
        process.start_turn(thread)
        process.until("turn/completed")
        process.end()
    with Websocket(playback.ws_url) as client:
        client.initialize()
        assert client.ask("thread/resume", {"threadId": thread})["thread"]["id"] == thread


def test_a_play_that_closes_ends_its_connections(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    with Websocket(playback.ws_url) as client:
        client.initialize()
        playback.close()
        with pytest.raises((ConnectionError, EOFError)):
            client.read_frame()


# --- a process that listens itself


def test_a_program_that_listens_says_where_and_ends_when_it_is_killed(
    codex: Callable[..., CodexPlayback],
) -> None:
    playback = codex()
    auth = ("--ws-auth", "capability-token", "--ws-token-sha256", DIGEST)
    with Process(playback, "app-server", "--listen", "ws://127.0.0.1:0", *auth) as program:
        assert program.process.stderr is not None
        said = [program.process.stderr.readline().decode().strip() for _ in range(5)]
        assert said[0] == "codex app-server (WebSockets)"
        url = said[1].removeprefix("listening on: ")
        health = said[2].removeprefix("readyz: ").removesuffix("/readyz")
        assert ask(health, "GET", "/healthz").status == 200
        with Websocket(url) as client:
            assert client.upgrade.status == 401
        with Websocket(url, authorization="Bearer a token") as client:
            assert client.initialize()["codexHome"]
            client.write(b"no json")
            assert b"Failed to deserialize JSONRPCMessage: " in program.process.stderr.readline()
    assert playback.wait_idle(TIMEOUT)
    with pytest.raises(ConnectionError):
        Websocket(url)


def test_an_old_program_that_listens_says_nothing_of_its_health(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex(replace(load_cassette("codex/dynamic_tool_text"), profile="0.110"))
    with Process(playback, "app-server", "--listen", "ws://127.0.0.1:0") as program:
        assert program.process.stderr is not None
        said = [program.process.stderr.readline().decode().strip().partition(":")[0] for _ in range(3)]
        assert said == ["codex app-server (WebSockets)", "listening on", "note"]


def test_a_port_that_is_taken_ends_a_program_that_wants_it(
    server: ServerThread, codex: Callable[..., CodexPlayback]
) -> None:
    taken = server.base_url.rpartition(":")[2]
    with Process(codex(), "app-server", f"--listen=ws://127.0.0.1:{taken}") as program:
        assert program.process.wait(TIMEOUT) == 1
        assert program.process.stderr is not None
        assert b"can't listen" in program.process.stderr.read()
