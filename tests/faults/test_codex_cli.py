"""``--fault`` with codex cassettes: check, serve, and lists of what would be struck."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.server.codex_wires import Websocket
from tests.server.test_cli_serve import serve
from wiretape_cli.main import main

TESTS = Path(__file__).parents[1]
EXAMPLE = str(TESTS / "examples" / "clients" / "codex_client.py")
BROKEN = str(TESTS / "conformance" / "codex_broken.py")
CASSETTE = "codex/dynamic_tool_text"


def check(fault: str, *client: str) -> int:
    options = ["--cassette", CASSETTE, "--pace", "instant", "--timeout", "20", "--fault", fault]
    return main(["check", *options, "--", sys.executable, *client])


@pytest.mark.parametrize("fault", ["late-answer@type:turn/start", "child-exit@type:item/tool/call"])
def test_a_right_client_gets_exit_code_0(fault: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert check(fault, EXAMPLE) == 0
    said = capfd.readouterr().err
    assert f"{CASSETTE}: ok" in said
    assert "call open" not in said


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("fault.refused-initialize", "rpc-error@request:1"),
        ("fault.thread-known", "rpc-error@type:thread/start"),
        ("fault.duplicate-ignored", "duplicate-answer@request:1"),
        ("fault.eof-noticed", "eof@type:item/tool/call"),
    ],
)
def test_a_client_that_breaks_a_rule_gets_exit_code_1(
    rule: str, fault: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert check(fault, BROKEN, rule) == 1
    failed = [line for line in capfd.readouterr().err.splitlines() if line.startswith("FAIL ")]
    assert [line.split()[1] for line in failed] == [f"codex.{rule}"]


def test_a_client_that_never_comes_to_the_fault_gets_exit_code_3(capfd: pytest.CaptureFixture[str]) -> None:
    assert check("late-answer@type:thread/fork", EXAMPLE) == 3
    assert "late-answer@type:thread/fork struck nothing" in capfd.readouterr().err


def test_a_fault_that_can_strike_nothing_gets_exit_code_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert check("eof@event:5000", EXAMPLE) == 2
    assert "eof@event:5000" in capfd.readouterr().err


def test_a_dry_run_lists_what_would_be_struck(capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--cassette", CASSETTE, "--fault", "rpc-error@type:turn/start", "--fault", "eof@request:9"]
    assert main(["check", *options, "--dry-run"]) == 0
    first, second = capfd.readouterr().out.splitlines()
    assert first.endswith("dynamic_tool_text: request 3: turn/start (id 3)")
    assert second.endswith("when the client sends its request number 9; the recorded one sent 3 requests")


def test_a_server_plays_faults_too() -> None:
    with (
        serve(CASSETTE, "--fault", "rpc-error@request:1") as served,
        Websocket(served.ready["codex_ws_url"]) as client,
    ):
        assert client.ask("initialize", {})["code"] == -32001
        assert client.initialize()["userAgent"]
