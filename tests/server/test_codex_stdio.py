"""The program that stands in for ``codex``: its bytes, its ends, its command line."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.codex_wires import Process, completes_the_call
from tests.server.wire import TIMEOUT
from wiretape import load_cassette, verify
from wiretape.transcript import Frame, Link
from wiretape_server import programs
from wiretape_server.bridge import HEAD, STDOUT, record
from wiretape_server.thread import CodexPlayback, ServerThread

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs a shebang and signals")


@pytest.fixture
def playback(codex: Callable[..., CodexPlayback]) -> CodexPlayback:
    return codex()


def run(playback: CodexPlayback, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [str(playback.bin), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=TIMEOUT, check=False)


def failed(playback: CodexPlayback) -> set[str]:
    assert playback.wait_idle(TIMEOUT)
    return {finding.rule for finding in verify(playback.transcript()).violations}


def test_a_session_plays_to_its_end_and_is_judged(playback: CodexPlayback) -> None:
    with Process(playback) as client:
        _, call = client.call(playback)
        assert call["id"] == 0
        client.answer(call)
        assert client.until("turn/completed")["params"]["turn"]["status"] == "completed"
        assert client.end() == (0, "")
    report = verify(playback.transcript())
    assert (report.ok, report.played) == (True, True)
    links = [entry for entry in playback.transcript().entries if isinstance(entry, Link)]
    assert [(each.what, each.transport) for each in links] == [("opened", "stdio"), ("closed", "stdio")]
    assert links[1].detail == "stdin closed, exit code 0"


def test_the_version_is_the_profiles(playback: CodexPlayback) -> None:
    done = run(playback, "--version")
    assert (done.returncode, done.stdout.split()) == (0, [b"codex-cli", b"0.171.0"])
    assert not playback.transcript().entries


@pytest.mark.parametrize(
    "arguments",
    [
        ("app-server",),
        ("app-server", "--listen", "stdio://"),
        ("app-server", "--enable", "guardian_approval", "-c", 'web_search="live"'),
        ("--model", "café", "-c", "a=\n", "app-server", "--no-such-option"),
        ("-c", 'base_url="ws://127.0.0.1:1"', "app-server", "--remote", "ws://127.0.0.1:1"),
        ("app-server", "--listen=ws://127.0.0.1:1", "--listen=stdio://"),
    ],
)
def test_options_before_and_after_app_server_do_not_matter(
    playback: CodexPlayback, arguments: tuple[str, ...]
) -> None:
    with Process(playback, *arguments) as client:
        assert client.initialize()["userAgent"].startswith("test/0.171.0 (")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "'codex app-server'"),
        (("exec", "hello"), 2, "'exec'"),
        (("app-server", "--listen", "ws://0.0.0.0:1"), 1, "ws://127.0.0.1:PORT"),
        (("app-server", "--listen=unix://x"), 1, "--listen is 'unix://x'"),
        (("app-server", "--ws-auth", "capability-token"), 1, "`--ws-token-file` or"),
        (("app-server", "--ws-auth", "password"), 1, "--ws-auth is 'password'"),
    ],
)
def test_a_command_that_is_not_played_ends_with_an_error(
    playback: CodexPlayback, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = run(playback, *arguments)
    assert (done.returncode, done.stdout) == (code, b"")
    assert said in done.stderr.decode()


def test_what_cannot_be_read_goes_to_stderr_and_the_call_stays_open(playback: CodexPlayback) -> None:
    with Process(playback) as client:
        _, call = client.call(playback)
        for broken in (b"no json", b"[]", b'{"id": 0}'):
            client.write(broken)
        client.answer(call)
        client.until("turn/completed")
        code, stderr = client.end()
    assert code == 0
    assert stderr.count("Failed to deserialize JSONRPCMessage: ") == 3
    assert "codex.frame.valid-json" in failed(playback)


def test_the_end_of_stdin_in_the_middle_of_a_call_ends_the_process(playback: CodexPlayback) -> None:
    with Process(playback) as client:
        client.call(playback)
        assert client.end()[0] == 0
    assert failed(playback) == {"codex.call.answered"}


@posix_only
def test_a_client_that_is_killed_leaves_an_open_call_and_nothing_else(playback: CodexPlayback) -> None:
    with Process(playback) as client:
        client.call(playback)
        client.process.kill()
        client.process.wait(TIMEOUT)
    assert failed(playback) == {"codex.call.answered"}


def test_an_empty_line_is_a_message_that_cannot_be_read(playback: CodexPlayback) -> None:
    done = run(playback, "app-server", stdin=b"\n")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Failed to deserialize JSONRPCMessage: EOF while parsing a value" in done.stderr


def test_a_client_that_leaves_before_its_turn_ends_is_told_apart(codex: Callable[..., CodexPlayback]) -> None:
    """At the recorded pace the model takes its time; at instant nobody can leave before it has answered."""
    playback = codex(pace="recorded")
    with Process(playback) as client:
        _, call = client.call(playback)
        client.answer(call)
        client.end()
    assert failed(playback) == {"codex.behavior.keeps-reading"}


def test_a_last_line_without_newline_counts(playback: CodexPlayback) -> None:
    done = run(playback, "app-server", stdin=b'{"id": 1, "method": "no/such"}')
    assert b'"id":1' in done.stdout
    assert [entry.direction for entry in playback.transcript().entries if isinstance(entry, Frame)] == [
        "client",
        "server",
    ]


def test_a_line_of_fifty_megabytes_passes(playback: CodexPlayback) -> None:
    image = "data:image/png;base64," + "A" * 50_000_000
    with Process(playback) as client:
        _, call = client.call(playback)
        items = [{"type": "inputImage", "imageUrl": image}]
        client.answer(call, {"contentItems": items, "success": True})
        item = client.until(completes_the_call)["params"]["item"]
        assert (item["status"], len(item["contentItems"][0]["imageUrl"])) == ("completed", len(image))


def test_two_processes_share_a_home(playback: CodexPlayback) -> None:
    with Process(playback) as client:
        thread, call = client.call(playback)
        client.answer(call)
        client.until("turn/completed")
        client.end()
    with Process(playback) as client:
        client.initialize()
        assert client.ask("thread/resume", {"threadId": thread})["thread"]["id"] == thread


def test_a_program_whose_play_has_ended_says_so(playback: CodexPlayback) -> None:
    playback.close()
    done = run(playback, "app-server")
    assert done.returncode == 1
    assert b"nothing is played as" in done.stderr


def test_a_play_that_closes_ends_its_programs(playback: CodexPlayback) -> None:
    with Process(playback) as client:
        client.call(playback)
        playback.close()
        assert client.process.wait(TIMEOUT) == 1
        assert client.process.stderr is not None
        assert b"wiretape: " in client.process.stderr.read()
    (*_, last) = playback.transcript().entries
    assert isinstance(last, Link)
    assert (last.what, last.by) == ("closed", "server"), "an open call is not the client's fault"


def test_a_program_without_a_server_says_where_it_looked() -> None:
    with ServerThread() as server:
        playback = server.play(load_cassette("codex/plain_turn"))
        assert isinstance(playback, CodexPlayback)
        source = playback.bin.read_text("utf-8")
    assert not playback.bin.exists(), "the server takes its programs with it"
    done = subprocess.run([sys.executable, "-IS", "-c", source], capture_output=True, timeout=TIMEOUT)
    assert done.returncode == 1
    assert b"no wiretape server is at 127.0.0.1:" in done.stderr
    assert b"Traceback" not in done.stderr


def stranger(playback: CodexPlayback) -> socket.socket:
    host, port = playback.bridge.partition("/")[0].split(":")
    return socket.create_connection((host, int(port)), timeout=TIMEOUT)


@pytest.mark.parametrize("data", [b"", b"no-such-play", b"\xff\0\0"])
def test_a_bridge_of_no_play_is_told_so(playback: CodexPlayback, data: bytes) -> None:
    with stranger(playback) as connection, connection.makefile("rb") as heard:
        for piece in (record(HEAD, data)[:3], record(HEAD, data)[3:]):
            connection.sendall(piece)
        assert b"nothing is played as" in heard.read()


@pytest.mark.parametrize("data", [b"", record(HEAD, b"x")[:3]])
def test_whoever_has_not_said_what_was_started_is_let_go_at_the_end(data: bytes) -> None:
    with ServerThread() as server:
        playback = server.play(load_cassette("codex/plain_turn"))
        assert isinstance(playback, CodexPlayback)
        with stranger(playback) as connection:
            connection.sendall(data)
            run(playback, "--version")  # by then the server knows of the connection
            server.stop()
            with contextlib.suppress(ConnectionError):
                assert connection.recv(1) == b""


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n\r\n", b"{}\n", record(STDOUT, b""), b"h\xff\xff\xff\xff"]
)
def test_whatever_else_connects_to_the_bridge_is_let_go(playback: CodexPlayback, data: bytes) -> None:
    with stranger(playback) as connection:
        connection.sendall(data)
        with contextlib.suppress(ConnectionError):
            assert connection.recv(1) == b""


PRINTS = "import sys\nprint(sys.argv[1:])\n"


@posix_only
def test_a_python_that_no_shebang_can_name_is_started_by_a_script(tmp_path: Path) -> None:
    python = tmp_path / "a python"
    python.symlink_to(sys.executable)
    program = programs.write_program(tmp_path, PRINTS, python=str(python))
    assert program.read_text("utf-8").startswith("#!/bin/sh\n")
    done = subprocess.run([program, "a b", "c"], capture_output=True, timeout=TIMEOUT, check=True)
    assert done.stdout == b"['a b', 'c']\n"


def test_on_windows_a_command_file_starts_it(tmp_path: Path) -> None:
    program = programs.write_program(tmp_path, PRINTS, python=r"C:\a b\python.exe", windows=True)
    assert program.name == "codex.cmd"
    assert program.read_text("utf-8") == '@"C:\\a b\\python.exe" -IS "%~dp0codex.py" %*\n'
    assert (tmp_path / "codex.py").read_text("utf-8") == PRINTS


def test_an_answer_that_is_wrong_is_echoed_as_failed_and_named_by_the_verdict(
    playback: CodexPlayback,
) -> None:
    with Process(playback) as client:
        _, call = client.call(playback)
        client.answer(call, {"output": "hi", "success": True})
        client.until("turn/completed")
        client.end()
    assert "codex.response.no-legacy-output" in failed(playback)
