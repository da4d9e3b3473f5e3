"""``auto`` as an app-server: the dynamic tools of each thread are called, and the answers judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.auto.schemas import TEXT, function
from tests.conformance.codex_broken import BROKEN, answer_and_leave
from tests.conformance.codex_playing import Session
from tests.conformance.codex_reference import CONFORMING, CodexClient, Hooks, StdioWire
from tests.conformance.playing import failures, verdict
from tests.server.codex_wires import Websocket
from wiretape import verify
from wiretape.cassette import load_cassette, save
from wiretape.codex.environment import client_steps
from wiretape.contract import Report
from wiretape.scenario import Adaptive, adaptive
from wiretape_server.auto_codex import AutoModel
from wiretape_server.codex.provider import ProviderRequest
from wiretape_server.options import PlayOptions
from wiretape_server.thread import CodexPlayback, ServerThread

TURN = client_steps(adaptive("codex"))
SUM = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "number"}}, "required": ["a"]}
TOOLS = [
    function("demo_echo", TEXT),
    {
        "type": "namespace",
        "name": "math",
        "description": "",
        "tools": [function("sum", SUM, deferLoading=True)],
    },
    function("odd", {"type": "object", "properties": {"x": {"type": ["string", "null"]}}, "required": ["x"]}),
]
FLAT = [{"name": "demo_echo", "description": "", "inputSchema": TEXT}]


def client(
    connect: Any, hooks: Hooks = CONFORMING, tools: Sequence[Any] = TOOLS, steps: Sequence[Any] = TURN
) -> CodexClient:
    """The reference client with tools of its own."""
    return CodexClient(connect=connect, steps=steps, tools=tools, results={}, hooks=hooks)


def in_memory(
    hooks: Hooks = CONFORMING, tools: Sequence[Any] = TOOLS, *, profile: str = "0.171", seed: int = 0
) -> Report:
    """The verdict on the reference client without any process or socket."""
    session = Session(adaptive("codex"), profile)
    session.script = AutoModel(seed=seed, profile=profile)  # type: ignore[assignment]
    client(session.connect, hooks, tools).run()
    return verify(session.finished())


def playing(server: ServerThread, **options: Any) -> CodexPlayback:
    playback = server.play(adaptive("codex"), PlayOptions(**{"pace": "instant"} | options))
    assert isinstance(playback, CodexPlayback)
    assert playback.tools == []
    return playback


@pytest.mark.parametrize("seed", range(3))
def test_no_rule_complains_of_the_reference_client(seed: int) -> None:
    assert failures(in_memory(seed=seed)) == []


@pytest.mark.parametrize("profile", ["0.98", "0.110"])
def test_an_older_server_calls_flat_tools(profile: str) -> None:
    report = in_memory(tools=FLAT, profile=profile)
    assert failures(report) == []
    outcomes = {finding.rule: finding.outcome for finding in report.findings}
    assert outcomes["codex.call.answered"] == "pass"
    assert outcomes["codex.response.result-as-expected"] == "not_observed"


NOT_EXERCISED = {
    "response.result-as-expected": "nobody knows what the tool gives",
    "auth-refresh.answered": "nobody logs in",
    "auth-refresh.result-shape": "nobody logs in",
    "call.handled": "its broken client refuses new tokens, and nobody logs in",
    "response.reaches-model": "it takes a real app-server",
    "behavior.keeps-reading": "in memory the model is never busy; see below",
}


EXERCISED = sorted(rule for rule in BROKEN.keys() - NOT_EXERCISED.keys() if not rule.startswith("fault."))
"""Those of faults need one."""


@pytest.mark.parametrize("rule", EXERCISED)
def test_a_broken_client_is_caught(rule: str) -> None:
    report = in_memory(BROKEN[rule].hooks)
    assert f"codex.{rule}" in {finding.rule for finding in failures(report)}


def test_a_client_that_leaves_before_its_turn_ends_is_caught(server: ServerThread) -> None:
    playback = playing(server, pace="recorded")
    client(lambda: StdioWire(playback.command), Hooks(call=answer_and_leave), FLAT).run()
    report = verdict(playback)
    assert "codex.behavior.keeps-reading" in {finding.rule for finding in failures(report)}
    assert report.unplayed == ("model step 2 of 2 (text) was not asked for",) or report.played
    playback.close()


def test_a_session_is_played_made_up_and_plays_again_from_its_file(
    server: ServerThread, tmp_path: Any
) -> None:
    playback = playing(server)
    client(lambda: StdioWire(playback.command)).run()
    report = verdict(playback)
    assert (failures(report), report.unplayed, report.errors) == ([], (), ())
    save(playback.cassette, tmp_path / "kept.yaml")
    playback.close()
    kept = load_cassette(tmp_path / "kept.yaml")
    again = server.play(kept, PlayOptions(pace="instant"))
    assert isinstance(again, CodexPlayback)
    client(lambda: StdioWire(again.command), tools=again.tools).run()
    replayed = verdict(again)
    again.close()
    assert replayed.played
    assert [(each.rule, each.outcome) for each in replayed.findings] == [
        (each.rule, each.outcome) for each in report.findings
    ]


def test_a_client_that_declares_nothing_is_told_so_and_has_not_played(server: ServerThread) -> None:
    playback = playing(server)
    client(lambda: StdioWire(playback.command), tools=[]).run()
    report = verdict(playback)
    playback.close()
    assert report.ok
    (why,) = report.unplayed
    assert why.startswith("nothing to call: no thread with a turn declared a tool in dynamicTools")


def test_a_play_that_nobody_uses_has_not_been_played(server: ServerThread) -> None:
    playback = playing(server)
    assert verdict(playback).unplayed == ("nothing was made up: no client began a turn",)
    assert isinstance(playback.cassette, Adaptive)
    playback.close()


def test_a_tool_without_fitting_arguments_leaves_the_session_unplayed(server: ServerThread) -> None:
    never = function("never", {"type": "object", "properties": {"a": False}, "required": ["a"]})
    playback = playing(server)
    client(lambda: StdioWire(playback.command), tools=[never]).run()
    report = verdict(playback)
    playback.close()
    assert report.unplayed == ("never was not called, no arguments were found that fit: a takes nothing.",)


def asked(
    number: int, turn: str = "t1", thread: str = "th1", declared: Sequence[Any] = TOOLS
) -> ProviderRequest:
    return ProviderRequest(
        thread_id=thread, turn_id=turn, number=number, body={}, bearer=None, declared=declared
    )


def test_a_further_turn_calls_what_is_new_and_the_cassette_holds_both() -> None:
    model = AutoModel(seed=0, profile="0.171")
    first = [model.next_step(asked(number, declared=FLAT)) for number in range(2)]
    second = model.next_step(asked(2, "t2", declared=[*FLAT, TOOLS[2]]))
    assert [len(step.items) for step in (*first, second)] == [2, 1, 2]
    made = model.cassettes["th1"]
    assert len(made.model) == 4
    assert [step.value for step in made.client] == [made.expect.user_message] * 2


def test_a_turn_that_is_steered_on_is_answered_again() -> None:
    model = AutoModel(seed=0, profile="0.171")
    steps = [model.next_step(asked(number, declared=())) for number in range(3)]
    assert steps == steps[:1] * 3


def test_two_clients_of_one_websocket_are_played_their_own_tools(server: ServerThread) -> None:
    playback = playing(server)
    with Websocket(playback.ws_url) as first, Websocket(playback.ws_url) as second:
        for speaker, tool in ((first, "note"), (second, "look_up")):
            speaker.initialize()
            speaker.start_turn(speaker.start_thread([function(tool, TEXT)]))
        calls = [speaker.until("item/tool/call") for speaker in (first, second)]
        assert [call["params"]["tool"] for call in calls] == ["note", "look_up"]
        for speaker, call in zip((first, second), calls, strict=True):
            speaker.answer(call)
            speaker.until("turn/completed")
    report = verdict(playback)
    playback.close()
    assert report.ok
    assert report.played, (report.unplayed, report.errors)
