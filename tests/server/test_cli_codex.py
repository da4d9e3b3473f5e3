"""Codex cassettes on the command line: ``check``, ``serve``, and ``wiretape codex`` itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.codex_wires import Program, Websocket
from tests.server.test_cli_serve import WITHIN, serve
from tests.server.wire import ask
from wiretape.cassette import bundled
from wiretape_cli.main import main

EXAMPLE = (sys.executable, str(Path(__file__).parents[1] / "examples" / "clients" / "codex_client.py"))
START = """
import itertools, json, os, subprocess, sys, threading
codex = subprocess.Popen([os.environ["WIRETAPE_CODEX_BIN"], "app-server"], stdin=-1, stdout=-1)
tools = json.loads(os.environ["WIRETAPE_TOOLS"])
ids = itertools.count(1)
def send(message):
    codex.stdin.write(json.dumps(message).encode() + b"\\n"); codex.stdin.flush()
def until(wanted):
    return next(m for m in map(json.loads, codex.stdout) if wanted(m))
def ask(method, params):
    number = next(ids)
    send({"id": number, "method": method, "params": params})
    return until(lambda m: m.get("id") == number and "method" not in m)["result"]
me = {"name": "half", "version": "1"}
ask("initialize", {"clientInfo": me, "capabilities": {"experimentalApi": True}})
send({"method": "initialized"})
thread = ask("thread/start", {"dynamicTools": tools})["thread"]["id"]
ask("turn/start", {"threadId": thread, "input": [{"type": "text", "text": "go"}]})
call = until(lambda m: m.get("method") == "item/tool/call")
print("seen", call["params"]["callId"], file=sys.stderr, flush=True)
"""
"""A client up to its first tool call."""


def check(*arguments: str, client: tuple[str, ...] = EXAMPLE) -> int:
    return main(["check", *arguments, "--", *client])


def half(ending: str) -> tuple[str, ...]:
    return (sys.executable, "-c", START + ending)


def test_the_example_client_passes_every_bundled_cassette(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    assert check("--protocol", "codex", "--all", "--report", f"json:{file}") == 0
    report = json.loads(file.read_text("ascii"))
    assert [each["name"] for each in report["cassettes"]] == bundled("codex")
    assert (report["ok"], report["played"]) == (True, True)


@pytest.mark.parametrize("profile", ["0.98", "codex=0.110", "0.171"])
def test_a_profile_is_the_version_that_is_played(profile: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    arguments = ("--protocol", "codex", "--cassette", "dynamic_tool_text", "--profile", profile)
    assert check(*arguments, "--report", f"json:{file}") == 0
    assert json.loads(file.read_text("ascii"))["run"]["profile"] == profile.removeprefix("codex=")


@pytest.mark.parametrize("profile", ["0.98", "0.110"])
def test_a_cassette_whose_tools_a_profile_refuses_is_no_fault_of_the_client(
    profile: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert check("--protocol", "codex", "--all", "--profile", profile, "--pace", "instant") == 0
    err = capfd.readouterr().err
    why = (
        f"its tools can't be declared in profile {profile}: "
        "dynamicTools[0].inputSchema: expected a schema, got nothing"
    )
    assert f"namespaced_tool: left out: {why}" in err
    assert err.count(": ok (") == len(bundled("codex")) - 1
    assert check("--cassette", "namespaced_tool", "--profile", f"codex={profile}") == 2
    assert f"{why}; play a later profile" in capfd.readouterr().err


def test_cassettes_of_both_protocols_are_checked_in_one_run(capfd: pytest.CaptureFixture[str]) -> None:
    both = ("--cassette", "plain_turn", "--cassette", "flow_a/plain_answer")
    does_nothing = (sys.executable, "-c", "pass")
    assert check(*both, "--profile", "codex=0.110", "--profile", "flow_a=app", client=does_nothing) == 3
    err = capfd.readouterr().err
    assert "model step 1 of 1 (text) was not asked for" in err
    assert "interaction 1, a user's turn" in err


def test_a_wrong_answer_exits_1_and_names_the_rule(capfd: pytest.CaptureFixture[str]) -> None:
    ending = """
send({"id": call["id"], "result": {"output": "hi", "success": True}})
until(lambda m: m.get("method") == "turn/completed")
codex.communicate()
"""
    assert check("--cassette", "dynamic_tool_text", client=half(ending)) == 1
    err = capfd.readouterr().err
    assert "FAIL codex.response.no-legacy-output" in err
    assert "cassette: codex/dynamic_tool_text.yaml" in err


def test_a_client_that_hangs_in_a_call_is_ended_and_the_call_is_named(
    capfd: pytest.CaptureFixture[str],
) -> None:
    hangs = half("threading.Event().wait()")
    assert check("--cassette", "dynamic_tool_text", "--timeout", "2", client=hangs) == 1
    err = capfd.readouterr().err
    assert "FAIL codex.call.answered" in err
    assert "client: ended at its time limit of 2 s; open, without an answer: " in err
    assert "item/tool/call with id 0 (tool demo_echo, callId call_1)" in err
    assert "  | seen call_1" in err


@pytest.mark.parametrize(
    "ending",
    ["os._exit(9)", "codex.kill()", "codex.stdin.close(); codex.wait()", "codex.communicate()"],
    ids=["dies", "kills its app-server", "closes stdin", "ends in order"],
)
def test_a_client_that_leaves_in_the_middle_of_a_call_is_told_which(
    ending: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert check("--cassette", "dynamic_tool_text", client=half(ending)) == 1
    err = capfd.readouterr().err
    assert "FAIL codex.call.answered" in err
    assert (
        "client: ended with a call open, without an answer: item/tool/call with id 0 (tool demo_echo" in err
    )
    assert "  | seen call_1" in err
    assert ("ended with exit code 9" in err) == ("_exit" in ending)


def test_a_refresh_that_is_not_answered_is_named_too(capfd: pytest.CaptureFixture[str]) -> None:
    waits = START.partition("call = ")[0].replace(
        'send({"method": "initialized"})',
        'ask("account/login/start", json.loads(os.environ["WIRETAPE_CLIENT_STEPS"])[0]["login"]["start"])',
    )
    ending = 'until(lambda m: m.get("method") == "account/chatgptAuthTokens/refresh")'
    assert check("--cassette", "auth_refresh", client=(sys.executable, "-c", waits + ending)) == 1
    err = capfd.readouterr().err
    assert "FAIL codex.auth-refresh.answered" in err
    assert "without an answer: account/chatgptAuthTokens/refresh with id 0" in err


def test_a_client_that_crashes_before_it_says_anything_exits_2(capfd: pytest.CaptureFixture[str]) -> None:
    client = (sys.executable, "-c", "import no_such_module")
    assert check("--cassette", "plain_turn", client=client) == 2
    assert "without having sent a request" in capfd.readouterr().err


def test_a_client_that_only_asks_for_the_version_exits_3(capfd: pytest.CaptureFixture[str]) -> None:
    client = (sys.executable, "-c", "import os; os.system(os.environ['WIRETAPE_CODEX_BIN'] + ' --version')")
    assert check("--cassette", "plain_turn", client=client) == 3
    assert "model step 1 of 1 (text) was not asked for" in capfd.readouterr().err


def test_a_client_may_start_wiretape_codex_itself() -> None:
    start = f"[{sys.executable!r}, '-m', 'wiretape_cli', 'codex', '-c', 'a=b', 'app-server']"
    code = START.replace('[os.environ["WIRETAPE_CODEX_BIN"], "app-server"]', start)
    ending = """
result = {"contentItems": [{"type": "inputText", "text": "hi"}], "success": True}
send({"id": call["id"], "result": result})
until(lambda m: m.get("method") == "turn/completed")
codex.communicate()
sys.exit(codex.returncode)
"""
    assert check("--cassette", "dynamic_tool_text", client=(sys.executable, "-c", code + ending)) == 0


def test_serve_says_where_the_app_server_is(tmp_path: Path) -> None:
    with serve("plain_answer", "codex/plain_turn", "--transcript-dir", str(tmp_path)) as served:
        ready = served.ready
        assert ready["codex_ws_url"] == served.url("/play/codex/plain_turn/codex").replace("http", "ws")
        with Websocket(ready["codex_ws_url"]) as client:
            assert client.initialize()["userAgent"]
        assert ask(served.url(""), "GET", "/readyz").status == 200
        done = subprocess.run([ready["codex_bin"], "--version"], capture_output=True, timeout=WITHIN)
        assert done.stdout.strip() == b"codex-cli 0.171.0"
        environment = {**os.environ, "WIRETAPE_CODEX_BRIDGE": ready["codex_bridge"]}
        version = [sys.executable, "-m", "wiretape_cli", "codex", "--version"]
        done = subprocess.run(version, env=environment, capture_output=True, timeout=WITHIN)
        assert done.stdout.strip() == b"codex-cli 0.171.0"
        code, _, err = served.end()
    assert code == 0
    assert "codex.plain_turn.jsonl" in err
    assert main(["verify", str(tmp_path / "codex.plain_turn.jsonl")]) == 0


def test_serve_leaves_out_what_a_profile_cannot_play() -> None:
    with serve("--protocol", "codex", "--profile", "0.110") as served:
        code, _, err = served.end()
    assert code == 0
    assert "namespaced_tool: left out: its tools can't be declared in profile 0.110" in err


def test_serve_locks_its_websockets(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("open sesame", "utf-8")
    with serve("codex/plain_turn", "--ws-auth", "capability-token", "--ws-token-file", str(file)) as served:
        url = served.ready["codex_ws_url"]
        with Websocket(url) as client:
            assert client.upgrade.status == 401
        with Websocket(url, authorization="Bearer open sesame") as client:
            assert client.upgrade.status == 101


def test_a_lock_without_a_key_is_a_set_up_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "codex/plain_turn", "--ws-auth", "capability-token"]) == 2
    assert "`--ws-token-file` or `--ws-token-sha256` is required" in capfd.readouterr().err


def codex(monkeypatch: pytest.MonkeyPatch, *arguments: str, **environment: str) -> int:
    for name in ("BRIDGE", "CASSETTE"):
        monkeypatch.delenv(f"WIRETAPE_CODEX_{name}", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(f"WIRETAPE_CODEX_{name}", value)
    return main(["codex", *arguments])


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, "set WIRETAPE_CODEX_BRIDGE"),
        ({"BRIDGE": "127.0.0.1"}, "give HOST:PORT/PLAY"),
        ({"BRIDGE": "127.0.0.1:x/play"}, "give HOST:PORT/PLAY"),
        ({"CASSETTE": "alefita_way"}, "a flow_a cassette; give one of codex"),
        ({"CASSETTE": "plain_turm"}, "did you mean plain_turn?"),
    ],
)
def test_without_a_server_or_a_cassette_it_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    environment: dict[str, str],
    why: str,
) -> None:
    assert codex(monkeypatch, "app-server", **environment) == 2
    assert why in capfd.readouterr().err


def test_without_a_server_it_plays_a_cassette_itself_and_says_the_verdict() -> None:
    environment = {**os.environ, "WIRETAPE_CODEX_CASSETTE": "plain_turn"}
    environment.pop("WIRETAPE_CODEX_BRIDGE", None)
    command = [sys.executable, "-m", "wiretape_cli", "codex", "app-server"]
    asked = b'{"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "me", "version": "1"}}}\n'
    done = subprocess.run(command, env=environment, input=asked, capture_output=True, timeout=WITHIN)
    assert done.returncode == 0
    assert json.loads(done.stdout)["id"] == 1
    assert b"plain_turn: not played to its end" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process for good there")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_client_that_ends_it_by_a_signal_gets_the_verdict_too(
    number: signal.Signals, tmp_path: Path
) -> None:
    environment = {**os.environ, "WIRETAPE_CODEX_CASSETTE": "plain_turn", "TMPDIR": str(tmp_path)}
    environment.pop("WIRETAPE_CODEX_BRIDGE", None)
    command = [sys.executable, "-m", "wiretape_cli", "codex", "app-server"]
    with Program(command, env=environment) as client:
        client.initialize()
        client.process.send_signal(number)
        assert client.process.wait(WITHIN) == 130
        assert client.process.stderr is not None
        assert b"plain_turn: not played to its end" in client.process.stderr.read()
    assert list(tmp_path.iterdir()) == []


def test_the_version_alone_draws_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert codex(monkeypatch, "--version", CASSETTE="plain_turn") == 0
    assert capfd.readouterr() == ("codex-cli 0.171.0\n", "")
