"""Clients of the app-server, run as commands that start the play's own program in place of ``codex``."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conformance.codex_broken import BROKEN
from tests.conformance.playing import CLIENTS, RUNS_WITHIN, failures, needs_node, verdict
from wiretape.cassette import bundled, load_cassette
from wiretape.contract import Report
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

HERE = Path(__file__).parent
CASSETTES = bundled("codex")
COMMANDS = [
    pytest.param([sys.executable, str(CLIENTS / "codex_client.py")], id="python"),
    pytest.param(["node", str(CLIENTS / "codex_client.mjs")], id="node", marks=needs_node),
]
SAID = {
    "history_resume": "done\ndone again\n",
    "interrupt_during_call": "\ndone\n",
    "plain_turn": "Hello from the model.\n",
}
"""What the example clients print, where it is not ``done``."""
COMPLAINTS = {
    "interrupt_during_call": "ERROR codex_core::tools::router: "
    "error=dynamic tool call was cancelled before receiving a response\n",
}
"""What the server writes to stderr, where it does."""


def run(
    server: ServerThread, command: Sequence[str], cassette: str, profile: str = ""
) -> tuple[subprocess.CompletedProcess[str], Report]:
    """Run a client command as ``wiretape check`` does, and give the verdict."""
    playback = server.play(load_cassette(f"codex/{cassette}"), PlayOptions(pace="instant", profile=profile))
    try:
        done = subprocess.run(
            command,
            env=os.environ | playback.variables(),
            capture_output=True,
            encoding="utf-8",
            timeout=RUNS_WITHIN,
            check=False,
        )
        return done, verdict(playback)
    finally:
        playback.close()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", CASSETTES)
def test_an_example_client_conforms(command: list[str], name: str, server: ServerThread) -> None:
    done, report = run(server, command, name)
    assert (done.returncode, done.stderr) == (0, COMPLAINTS.get(name, ""))
    assert done.stdout == SAID.get(name, "done\n")
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("profile", ["0.98", "0.110"])
def test_an_example_client_conforms_at_an_older_server(
    command: list[str], profile: str, server: ServerThread
) -> None:
    done, report = run(server, command, "dynamic_tool_text", profile)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)


@pytest.mark.parametrize("rule", ["response.success-boolean", "call.answered", "auth-refresh.result-shape"])
def test_a_broken_client_runs_as_a_command_too(rule: str, server: ServerThread) -> None:
    command = [sys.executable, str(HERE / "codex_broken.py"), f"codex.{rule}"]
    done, report = run(server, command, BROKEN[rule].cassette)
    assert done.returncode == 0, done.stderr
    assert {finding.rule for finding in failures(report)} == {f"codex.{rule}"}


# --- public clients -----------------------------------------------------------------------------------------

NO_INITIALIZED = {"codex.initialize.initialized-sent", "codex.thread-start.no-removed-fields"}
"""A warning and a note that codexed gets in any case."""
NO_HANDLER = {"codex.response.result-as-expected"}
PUBLIC: dict[str, tuple[set[str], set[str]]] = {
    "codex-python-sdk": (set(), NO_HANDLER),
    "codex-app-server-client": (set(), NO_HANDLER | {"codex.call.handled"}),
    "openai-codex": (
        set(),
        NO_HANDLER | {"codex.response.content-items-list", "codex.response.success-boolean"},
    ),
    "codex-agent-sdk": (set(), NO_HANDLER | {"codex.call.handled"}),
    "codexed": (NO_INITIALIZED, NO_INITIALIZED | NO_HANDLER),
}
"""Name on the package index to the rules that fail with a good handler, and with none."""


def public(name: str) -> object:
    """A parameter that is skipped where the client is not installed."""
    missing = importlib.util.find_spec(name.replace("-", "_")) is None
    reason = f"{name} is not installed: pip install --group codex-clients (not all run on every Python)"
    return pytest.param(name, marks=pytest.mark.skipif(missing, reason=reason))


@pytest.mark.parametrize("handler", ["good", "none"])
@pytest.mark.parametrize("name", [public(name) for name in PUBLIC])
def test_a_public_client_gets_its_verdict(name: str, handler: str, server: ServerThread) -> None:
    command = [sys.executable, str(HERE / "public_clients.py"), name, handler]
    done, report = run(server, command, "dynamic_tool_text")
    assert done.returncode == 0, done.stderr
    with_handler, without = PUBLIC[name]
    expected = with_handler if handler == "good" else without
    assert {finding.rule for finding in failures(report)} == expected, failures(report)
    assert report.ok == (handler == "good")
    assert report.played, (report.unplayed, report.errors)
