"""The tee on websockets: what passes, what is refused, what is kept."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recording.codex_stage import RECORD, Stage, playing, websocket_tee
from tests.server.codex_wires import BINARY, TEXT, Websocket
from tests.server.wire import TIMEOUT, Wire
from wiretape import load_cassette, verify
from wiretape.cassette import Cassette
from wiretape_cli.main import main
from wiretape_server.options import OptionError
from wiretape_server.recording import codex_ws
from wiretape_server.recording.codex_ws import Address
from wiretape_server.thread import ServerThread

TEXT_CASSETTE = "codex/dynamic_tool_text"


@pytest.fixture(scope="module")
def cassette() -> Cassette:
    return load_cassette(TEXT_CASSETTE)


def test_two_connections_have_names(server: ServerThread, cassette: Cassette, tmp_path: Path) -> None:
    with playing(server, cassette) as playback, websocket_tee(playback.ws_url, tmp_path) as stage:
        for _ in range(2):
            with Websocket(stage.url) as client:
                client.initialize()
        recorded = stage.finish()
    assert {frame.connection for frame in recorded.frames} == {"", "c2"}


def test_the_upstream_gets_the_request_with_its_own_path_and_host_and_without_compression(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TIMEOUT)
        port = listener.getsockname()[1]
        with websocket_tee(f"ws://127.0.0.1:{port}/deep", tmp_path) as stage:
            with Wire(stage.url.replace("ws:", "http:")) as wire:
                wire.send(
                    "GET",
                    "/x?a=b",
                    connection="Upgrade",
                    sec_websocket_extensions="permessage-deflate",
                    authorization="Bearer abc",
                )
                upstream, _ = listener.accept()
                with upstream:
                    upstream.settimeout(TIMEOUT)
                    asked = upstream.recv(65536).decode()
                    upstream.sendall(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno")
                    answer = wire.answer()
                    assert (answer.status, answer.body()) == (401, b"no")
            assert stage.session.recording.troubles == [
                "the upstream did not let a client in: HTTP/1.1 401 Unauthorized"
            ]
    assert asked.startswith("GET /deep/x?a=b HTTP/1.1\r\n")
    assert f"host: 127.0.0.1:{port}\r\n" in asked.lower()
    assert "bearer abc" in asked.lower()
    assert "extensions" not in asked.lower()


def test_a_refusal_comes_through(server: ServerThread, cassette: Cassette, tmp_path: Path) -> None:
    with (
        playing(server, cassette) as playback,
        websocket_tee(playback.ws_url, tmp_path) as stage,
        Websocket(stage.url, origin="http://elsewhere") as client,
    ):
        assert client.upgrade.status == 403


def test_an_upstream_that_is_down_is_told_to_the_client_and_the_person(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with websocket_tee(f"ws://127.0.0.1:{port}", tmp_path) as stage:
        with Websocket(stage.url) as client:
            assert client.upgrade.status == 502
            assert b"can't be reached" in client.upgrade.body()
        assert f"127.0.0.1:{port} can't be reached" in stage.session.recording.troubles[0]


def test_an_upstream_that_hangs_up_without_a_word_is_told_to_the_person(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TIMEOUT)
        port = listener.getsockname()[1]
        with websocket_tee(f"ws://127.0.0.1:{port}", tmp_path) as stage:
            with Wire(stage.url.replace("ws:", "http:")) as wire:
                wire.send("GET", "/", connection="Upgrade")
                upstream, _ = listener.accept()
                upstream.close()
                with pytest.raises((EOFError, ConnectionResetError)):
                    wire.answer()
            assert stage.session.recording.troubles == [
                f"the upstream 127.0.0.1:{port} gave no HTTP answer. Is --upstream right?"
            ]


def test_an_upstream_that_accepts_nobody_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(codex_ws, "CONNECT_TIMEOUT", 0.01)
    monkeypatch.setattr(asyncio, "open_connection", never)
    with websocket_tee("ws://127.0.0.1:9", tmp_path) as stage, Websocket(stage.url) as client:
        assert client.upgrade.status == 502
        assert b"did not accept a connection" in client.upgrade.body()


def test_fragments_binary_messages_and_long_ones_are_kept_as_messages(
    server: ServerThread, cassette: Cassette, tmp_path: Path
) -> None:
    long = json.dumps({"id": 0, "result": "x" * 300_000}).encode()
    with playing(server, cassette) as playback, websocket_tee(playback.ws_url, tmp_path) as stage:
        with Websocket(stage.url) as client:
            client.frame(BINARY, b"\x00\x01")
            client.frame(TEXT, long[:70_000], final=False)
            client.frame(9, b"ping")
            client.frame(0, long[70_000:])
            assert client.read_frame() == (10, b"ping")
            client.initialize()
        recorded = stage.finish()
    sent = [frame.data for frame in recorded.frames if frame.direction == "client"]
    assert sent[0] == long
    assert json.loads(sent[1])["method"] == "initialize"
    assert "The client sent a binary message of 2 bytes, which is left out." in recorded.provenance.gaps


def test_a_client_that_breaks_off_does_not_stay_on_the_upstream(
    server: ServerThread, cassette: Cassette, tmp_path: Path
) -> None:
    with playing(server, cassette) as playback, websocket_tee(playback.ws_url, tmp_path) as stage:
        with Websocket(stage.url) as client:
            client.call(playback)
        assert playback.wait_idle(TIMEOUT)
        assert _call_is_open(stage)


def _call_is_open(stage: Stage) -> bool:
    report = verify(stage.finish())
    return {finding.rule for finding in report.violations} == {"codex.call.answered"}


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:1", "ws://127.0.0.1", "ws://:1", "ws://127.0.0.1:x", "wss://"),
        *("ws://127.0.0.1:1/x?token=y", "ws://127.0.0.1:1/#x", "wss://user:word@host"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="--upstream"):
        Address(url, "--upstream")


def test_a_port_that_is_taken_is_told_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"ws://127.0.0.1:{listener.getsockname()[1]}"
        arguments = ["--listen", url, "--upstream", "ws://127.0.0.1:1"]
        assert main(["record", "codex", "--out", str(tmp_path / "my.yaml"), *arguments]) == 2
    assert "can't listen on 127.0.0.1" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals to another process")
def test_the_command_says_where_it_listens_and_saves_at_a_signal(
    server: ServerThread, cassette: Cassette, tmp_path: Path
) -> None:
    out = tmp_path / "my.yaml"
    with playing(server, cassette) as playback:
        options = ["--out", str(out), "--listen", "ws://127.0.0.1:0", "--upstream", playback.ws_url]
        pipe = subprocess.PIPE
        with subprocess.Popen([*RECORD, *options], stdout=pipe, stderr=pipe, text=True) as process:
            try:
                assert process.stdout is not None
                ready = json.loads(process.stdout.readline())
                with Websocket(ready["codex_ws_url"]) as client:
                    client.initialize()
                process.send_signal(signal.SIGTERM)
                _, said = process.communicate(timeout=TIMEOUT * 2)
            finally:
                process.kill()
    assert (process.returncode, ready["pid"]) == (0, process.pid)
    assert f"saved {out}: " in said
    assert load_cassette(out).profile == "0.171"
