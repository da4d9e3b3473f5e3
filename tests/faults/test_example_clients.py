"""The example clients under faults: they give up in one sentence, or go on where nothing is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests.conformance.playing import CLIENTS, failures, needs_node, run, verdict
from wiretape_server.thread import Playback

Play = Callable[..., Playback]
COMMANDS = [
    pytest.param([sys.executable, str(CLIENTS / "flow_a_client.py")], id="python"),
    pytest.param(["node", str(CLIENTS / "flow_a_client.mjs")], id="node", marks=needs_node),
]
SAID = {
    "cut@event:5": "",  # whatever its HTTP library says
    "early-end@event:5": "[DONE]",
    "unknown-op@event:5": "wiretape_unknown",
    "error-event@event:5": "Something went wrong",
    "resume@event:5": "stream_handoff",
    "content-type@request:3": "text/html",
    "429@request:6": "429",
}
HARMLESS = ("unknown-event@event:*", "duplicate@event:4", "prepare-refused@request:*")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("fault", SAID)
def test_it_gives_up_in_one_sentence_and_breaks_no_rule(play: Play, command: list[str], fault: str) -> None:
    playback = play("alefita_way", fault, ids="fresh")
    done = run(command, playback)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert SAID[fault] in done.stderr
    report = verdict(playback)
    assert failures(report) == []
    assert report.played


@pytest.mark.parametrize("command", COMMANDS)
def test_it_does_not_mind_what_is_harmless(play: Play, command: list[str]) -> None:
    playback = play("alefita_way", *HARMLESS, ids="fresh")
    done = run(command, playback)
    assert (done.returncode, done.stderr) == (0, "")
    assert "segundo eco do caminho" in done.stdout
    report = verdict(playback)
    assert failures(report) == []
    assert report.played, report.errors
