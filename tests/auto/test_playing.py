"""``auto`` over HTTP: what the client declares is called, and judged as with any cassette."""

from __future__ import annotations

from typing import Any

import pytest

from tests.auto.playing import TOOLS, client, judged
from tests.auto.schemas import signature
from tests.conformance.broken import BROKEN
from tests.conformance.playing import failures, verdict
from tests.conformance.reference_client import Hooks, ReferenceClient
from wiretape.cassette import Cassette, load_cassette, save
from wiretape.contract import Report
from wiretape.flow_a.facts import read_stream
from wiretape.scenario import Adaptive, adaptive
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

ODD = [
    signature("nothing"),
    signature("não-é.ascii", "mensagem", optional=("b", "c")),
    signature("handoff", "prompt", "reason"),
]


@pytest.mark.parametrize("tools", [TOOLS, ODD], ids=["seed", "odd"])
@pytest.mark.parametrize("seed", range(3))
def test_no_rule_complains_of_the_reference_client(
    server: ServerThread, tools: list[dict[str, Any]], seed: int
) -> None:
    report, made = judged(server, tools=tools, seed=seed)
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)
    assert len(made.interactions) == len(tools) + 1


@pytest.mark.parametrize("chunks", ["event", "one", "byte", "random:3"])
def test_what_is_made_up_can_be_cut_as_any_cassette(server: ServerThread, chunks: str) -> None:
    report, _ = judged(server, chunks=chunks)
    assert failures(report) == []
    assert report.played


def test_at_a_recorded_pace_every_rule_about_time_is_judged(server: ServerThread) -> None:
    report, _ = judged(server, pace="x0.2")
    passed = {finding.rule for finding in report.findings if finding.outcome == "pass"}
    assert {"flow_a.behavior.waits-for-complete-call", "flow_a.behavior.reads-to-end"} <= passed


def test_what_a_tool_gave_is_not_judged_but_its_shape_is(server: ServerThread) -> None:
    report, _ = judged(server)
    outcomes = {finding.rule: finding.outcome for finding in report.findings}
    assert outcomes["flow_a.return.result-as-expected"] == "not_observed"
    assert outcomes["flow_a.return.result-is-object"] == "pass"
    assert outcomes["flow_a.behavior.only-local-recipients"] == "pass"


NOT_EXERCISED = {
    "behavior.arguments-intact": "nobody knows what the tool gives",
    "return.result-as-expected": "nobody knows what the tool gives",
    "request.tool-declared": "what is not declared is not called",
}
"""Rules that have nothing to judge here; the broken client is not caught."""
CAUGHT_BY = {
    "behavior.no-unsolicited-return": "return.exactly-once",  # to the call that there was, a second one
}
"""Rules of another name that catch the broken client here."""


EXERCISED = sorted(rule for rule in BROKEN.keys() - NOT_EXERCISED.keys() if not rule.startswith("fault."))
"""Those of faults need one."""


@pytest.mark.parametrize("rule", EXERCISED)
def test_a_broken_client_is_caught(server: ServerThread, rule: str) -> None:
    broken = BROKEN[rule]
    # With the seed 1 the first call comes whole, and a client that answers too early can read it.
    early = rule == "behavior.waits-for-complete-call"
    report, _ = judged(server, broken.hooks, TOOLS[1:] if early else TOOLS, pace=broken.pace, seed=1)
    assert f"flow_a.{CAUGHT_BY.get(rule, rule)}" in {finding.rule for finding in failures(report)}


def on_return(change: Any) -> Hooks:
    return Hooks(request=lambda body, sending: sending.is_return and change(body))


def test_a_tool_that_is_called_and_no_longer_declared_by_then_is_noticed(server: ServerThread) -> None:
    report, _ = judged(server, on_return(lambda body: body.update(local_function_signatures=TOOLS[:1])))
    assert "flow_a.request.tool-declared" in {finding.rule for finding in failures(report)}


def test_a_client_that_declares_nothing_is_told_so_and_has_not_played(server: ServerThread) -> None:
    report, made = judged(server, tools=[])
    assert report.ok
    assert not report.played
    assert len(report.unplayed) == 1
    assert report.unplayed[0].startswith("nothing to call: no request declared a tool")
    assert len(made.interactions) == 1


def test_a_client_that_never_asks_has_not_played(server: ServerThread) -> None:
    playback = server.play(adaptive(), PlayOptions(pace="instant"))
    report = verdict(playback)
    assert report.unplayed == ("nothing was made up: the client sent no conversation request",)
    assert isinstance(playback.cassette, Adaptive)
    playback.close()


def test_wrong_declarations_are_judged_and_only_the_others_called(server: ServerThread) -> None:
    wrong = [{"name": "broken"}, *TOOLS]
    report, made = judged(server, tools=wrong)
    assert {finding.rule for finding in failures(report)} == {"flow_a.signature.shape"}
    assert report.played
    assert len(made.interactions) == 3


def test_a_tool_without_fitting_arguments_leaves_the_session_unplayed(server: ServerThread) -> None:
    tool = signature("plate", "number")
    tool["params"][0]["type"]["pattern"] = "^[A-Z]{9}$"
    report, _ = judged(server, tools=[tool, *TOOLS])
    assert not report.played
    assert [each.partition(",")[0] for each in report.unplayed] == ["plate was not called"]


def test_a_client_that_leaves_calls_open_is_caught_and_has_not_played(server: ServerThread) -> None:
    report, _ = judged(server, Hooks(answers=lambda _recipient, _client: False))
    assert "flow_a.return.exactly-once" in {finding.rule for finding in failures(report)}
    assert report.unplayed == (
        "interaction 2, a tool's return (of 3) was not asked for",
        "interaction 3, a tool's return (of 3) was not asked for",
    )


def test_conversations_with_other_tools_are_made_up_each_for_itself(server: ServerThread) -> None:
    playback = server.play(adaptive(), PlayOptions(pace="instant"))
    for tools in (TOOLS, TOOLS, [signature("note", "message")], []):
        client(playback, tools=tools).run()
    report = verdict(playback)
    assert {finding.rule for finding in failures(report)} == {"flow_a.request.handoff-declared"}
    assert report.played
    assert len(playback.cassette.interactions) == 3 + 2 + 1
    playback.close()


def ask_again(client: ReferenceClient) -> None:
    client.ask(client.user_message)
    client.tools = [*client.tools, signature("note", "message")]
    client.ask("And again.")
    client.ask("And once more.")
    client.ask("Thank you.")


@pytest.mark.parametrize("ids", ["fresh", "recorded"])
def test_a_further_turn_calls_the_tools_that_are_new(server: ServerThread, ids: str) -> None:
    report, made = judged(server, Hooks(play=ask_again), ids=ids)
    assert failures(report) == []
    assert report.played, report.unplayed
    assert len(made.interactions) == 3 + 2 + 1 + 1
    said = [each for part in made.interactions for each in read_stream(part.response.body).message_ids]
    assert len(said) == len(set(said))


def test_a_strict_server_has_no_objection_to_the_reference_client(server: ServerThread) -> None:
    report, _ = judged(server, strict=True)
    assert report.played


def replayed(server: ServerThread, cassette: Cassette, hooks: Hooks) -> Report:
    playback = server.play(cassette, PlayOptions(pace="instant"))
    try:
        ReferenceClient(
            base_url=playback.base_url,
            user_message=playback.user_message,
            tools=playback.tools,
            results={"handoff": {"accepted": True, "thread_id": "t1"}},
            hooks=hooks,
        ).run()
        return verdict(playback)
    finally:
        playback.close()


@pytest.mark.parametrize(
    "hooks",
    [
        BROKEN["return.recipient-is-all"].hooks,
        BROKEN["return.tool-at-root"].hooks,
        Hooks(),
        Hooks(play=ask_again),
    ],
    ids=["recipient", "tool", "right", "four turns"],
)
def test_what_was_made_up_plays_again_from_its_file_with_the_same_verdict(
    server: ServerThread, hooks: Hooks, tmp_path: Any
) -> None:
    report, made = judged(server, hooks)
    save(made, tmp_path / "kept.yaml")
    again = replayed(server, load_cassette(tmp_path / "kept.yaml"), hooks)
    assert [(each.rule, each.outcome) for each in again.findings] == [
        (each.rule, each.outcome) for each in report.findings
    ]
