"""The reference client and the examples of the app-server under every kind of fault, and their verdicts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.conformance.playing import CLIENTS, RUNS_WITHIN, failures, needs_node
from tests.faults.codex_wires import (
    FAULTS,
    GIVES_UP,
    GOES_ON,
    TRANSPORTS,
    Player,
    Returning,
    named,
    said,
    settled,
)
from wiretape import verify
from wiretape.faults.codex import CODEX_KINDS
from wiretape.transcript import Struck
from wiretape_server.thread import CodexPlayback

Codex = Callable[..., CodexPlayback]
both = pytest.mark.parametrize("transport", TRANSPORTS)


def test_every_kind_is_tried() -> None:
    assert {fault.partition("@")[0] for fault in FAULTS} == {kind.name for kind in CODEX_KINDS}


@both
@pytest.mark.parametrize("profile", ["0.98", "0.171"])
@pytest.mark.parametrize("fault", GOES_ON)
def test_the_reference_client_goes_on_and_no_rule_complains(
    codex: Codex, fault: str, transport: str, profile: str
) -> None:
    playback = codex(fault, profile=profile)
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
    codex: Codex, fault: str, transport: str
) -> None:
    playback = codex(fault)
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
def test_a_client_that_comes_back_finds_its_thread(codex: Codex, fault: str, transport: str) -> None:
    playback = codex(fault)
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
def test_an_example_client_conforms(codex: Codex, fault: str, command: list[str]) -> None:
    playback = codex(fault)
    environment = os.environ | playback.variables()
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=RUNS_WITHIN, check=False
    )
    report = verify(settled(playback))
    assert (failures(report), report.played) == ([], True)
    assert (done.returncode == 0) == (fault in GOES_ON)
    assert "Traceback" not in done.stderr
