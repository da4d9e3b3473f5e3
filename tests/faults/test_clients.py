"""What the verdict is on clients under each fault: one that gives up, one that copes, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from tests.conformance import reference_client
from tests.conformance.in_trouble import TROUBLE, answer_what_came, ask, in_spite_of
from tests.conformance.playing import client_of, failures, reference, verdict
from tests.conformance.reference_client import Hooks, ReferenceClient
from tests.faults.patient import PatientClient
from wiretape import load_cassette
from wiretape.contract import Report
from wiretape.delta import DeltaError
from wiretape.faults import KINDS, delivery, hits, parse
from wiretape.faults.delivery import ENDINGS
from wiretape.faults.edits import EDITS
from wiretape.flow_a.rules import RULES
from wiretape_server.thread import Playback

Play = Callable[..., Playback]
CASSETTE = "alefita_way_split_arguments"
GIVES_UP = (*TROUBLE, DeltaError, ValueError)
"""What clients raise when they give up; ValueError is JSON that does not parse."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Whether clients come to the end of a session, and what is to be seen of the rules about faults."""

    reference: bool
    """The reference client, which gives up when something goes wrong."""
    patient: bool
    passed: tuple[str, ...] = ()
    """Rules (``flow_a.fault.`` left out) that the patient client keeps."""


_CUT = ("no-return-to-cut-call", "accepted-return-not-repeated", "resume-offset")
_AGAIN = ("retry-fresh-challenge",)
EXPECTED = {
    "stall@event:6": Expected(False, True, _CUT),
    "delay@event:6": Expected(True, True),
    "jitter@event:*": Expected(True, True),
    "cut@event:6": Expected(False, True, _CUT),
    "cut@event:3": Expected(False, True, _CUT[1:]),
    "cut@type:[DONE]": Expected(False, True, _CUT[1:]),
    "cut@byte:1900": Expected(False, True, _CUT),
    "cut-inside@event:6": Expected(False, True, _CUT),
    "cut-character@event:9": Expected(False, True, _CUT),
    "reset@event:6": Expected(False, True, _CUT),
    "early-end@event:6": Expected(False, True, _CUT),
    "bad-chunk@event:6": Expected(False, True, _CUT),
    "duplicate@event:5": Expected(True, True),
    "duplicate@type:message_stream_complete": Expected(True, True),
    "drop@event:6": Expected(False, False),
    "drop@type:message_stream_complete": Expected(True, True),
    "drop@type:[DONE]": Expected(False, False),
    "reorder@event:5": Expected(False, False),
    "reorder@type:message_stream_complete": Expected(True, True),
    "unknown-op@event:6": Expected(False, False),
    "unknown-field@event:*": Expected(True, True),
    "unknown-event@event:*": Expected(True, True),
    "invalid-json@event:6": Expected(False, False),
    "invalid-utf8@event:6": Expected(False, False),
    "error-event@event:6": Expected(False, False, ("failed-turn-unanswered",)),
    "content-type@request:3": Expected(False, False),
    "401@request:6": Expected(False, True, _AGAIN),
    "403@request:6": Expected(False, False),
    "403-html@request:6": Expected(False, False),
    "404@request:6": Expected(False, False),
    "409@request:6": Expected(False, True, _AGAIN),
    "413@request:6": Expected(False, False),
    "422@request:6": Expected(False, False),
    "429@request:6": Expected(False, True, (*_AGAIN, "retry-after-kept")),
    "429@request:4": Expected(False, True),
    "500@request:3": Expected(False, True, _AGAIN),
    "500@request:5": Expected(True, True),
    "502@request:6": Expected(False, True, _AGAIN),
    "challenge-used@request:6": Expected(False, True, _AGAIN),
    "prepare-refused@request:*": Expected(True, True),
    "conduit-changed@request:6": Expected(False, True, _AGAIN),
    "handoff@request:3": Expected(False, True, ("resume-offset",)),
    "resume@event:6": Expected(False, True, _CUT),
    "conversation-deleted@request:6": Expected(False, False, ("deleted-left-alone",)),
}


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a minute here until a stream is taken for dead."""
    monkeypatch.setattr(reference_client, "TIMEOUT", 1.5)
    monkeypatch.setattr(delivery, "DELAY", 0.2)
    monkeypatch.setattr(delivery, "JITTER", 0.02)


def came_to_the_end(client: ReferenceClient) -> bool:
    try:
        return client.run() != ""
    except GIVES_UP:
        return False


def outcomes(report: Report) -> dict[str, str]:
    return {
        finding.rule.removeprefix("flow_a.fault."): finding.outcome
        for finding in report.findings
        if finding.rule.startswith("flow_a.fault.")
    }


def patient(playback: Playback) -> PatientClient:
    return client_of(PatientClient, playback)


def test_every_kind_is_here() -> None:
    tried = {fault.partition("@")[0] for fault in EXPECTED}
    assert tried == {name for name, kind in KINDS.items() if kind.protocol == "flow_a"}


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_client_that_gives_up_breaks_no_rule(play: Play, fault: str) -> None:
    playback = play(CASSETTE, fault, ids="fresh")
    assert came_to_the_end(reference(playback)) == EXPECTED[fault].reference
    report = verdict(playback)
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)


@pytest.mark.parametrize("fault", EXPECTED)
def test_a_client_that_copes_keeps_the_rules_about_it(play: Play, fault: str) -> None:
    playback = play(CASSETTE, fault, ids="fresh")
    assert came_to_the_end(patient(playback)) == EXPECTED[fault].patient
    report = verdict(playback)
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)
    seen = outcomes(report)
    assert {rule for rule, outcome in seen.items() if outcome == "pass"} == set(EXPECTED[fault].passed)
    assert set(seen.values()) <= {"pass", "not_observed"}


@pytest.mark.parametrize("fault", EXPECTED)
def test_the_page_names_the_rules_that_judge_a_kind(fault: str) -> None:
    known = {rule.id for rule in RULES}
    named = KINDS[fault.partition("@")[0]].rules
    assert set(named) <= known
    assert {f"flow_a.fault.{rule}" for rule in EXPECTED[fault].passed} <= set(named)


def test_without_a_fault_no_rule_about_faults_is_observed(play: Play) -> None:
    playback = play("alefita_way", ids="fresh")
    assert came_to_the_end(reference(playback))
    assert set(outcomes(verdict(playback)).values()) == {"not_observed"}


def run(playback: Playback, hooks: Hooks) -> Report:
    with suppress(*GIVES_UP):
        reference(playback, hooks).run()
    return verdict(playback)


def ignore(_client: ReferenceClient) -> None:
    """Do nothing about it."""


UNEXCUSED: dict[str, tuple[str, Hooks, str]] = {
    "no return after a duplicate": (
        "duplicate@type:message_stream_complete",
        Hooks(answers=lambda _recipient, _client: False),
        "return.exactly-once",
    ),
    "no return after an unknown event": (
        "unknown-event@event:3",
        Hooks(answers=lambda _recipient, _client: False),
        "return.exactly-once",
    ),
    "a return for each of two": (
        "duplicate@event:4",
        Hooks(play=lambda client: (ask(client), client.answer(next(iter(client.answered.values()))))),
        "return.exactly-once",
    ),
    "no return after a prepare was refused": (
        "prepare-refused@request:5",
        Hooks(prepares=lambda _: False, answers=lambda _recipient, _client: False),
        "return.exactly-once",
    ),
    "success although the prepare was refused": (
        "prepare-refused@request:2",
        Hooks(request=lambda body, _: body.update(client_prepare_state="success")),
        "request.prepare-state-truthful",
    ),
    "a wrong field under a fault": (
        "delay@event:2",
        Hooks(returned=lambda message, _: message.update(recipient="alefita_way")),
        "return.recipient-is-all",
    ),
}


@pytest.mark.parametrize(("fault", "hooks", "rule"), UNEXCUSED.values(), ids=UNEXCUSED.keys())
def test_a_fault_excuses_nothing_but_what_it_made_impossible(
    play: Play, fault: str, hooks: Hooks, rule: str
) -> None:
    found = {each.rule.removeprefix("flow_a.") for each in failures(run(play("alefita_way", fault), hooks))}
    assert found == {rule}


def test_a_rule_that_a_fault_made_impossible_to_keep_names_the_fault(play: Play) -> None:
    report = run(play("alefita_way", "cut@event:5"), Hooks(play=in_spite_of(ask, ignore)))
    because = {each.rule: each.because for each in report.findings if each.outcome == "not_applicable"}
    assert because["flow_a.return.exactly-once"] == "the fault cut@event:5"
    assert because["flow_a.behavior.reads-to-end"] == "the fault cut@event:5"


def test_a_return_to_a_cut_call_is_judged_once(play: Play) -> None:
    report = run(play("alefita_way", "cut@event:5"), Hooks(play=in_spite_of(ask, answer_what_came)))
    because = {each.rule: each.because for each in report.findings if each.outcome == "not_applicable"}
    assert because["flow_a.behavior.waits-for-complete-call"] == "the fault cut@event:5"


def test_a_session_that_no_fault_ended_has_to_be_played(play: Play) -> None:
    report = run(play("alefita_way", "delay@event:2"), Hooks(answers=lambda _recipient, _client: False))
    assert [line.partition(" (")[0] for line in report.unplayed] == ["interaction 2, a tool's return"]


def test_a_fault_that_did_not_come_about_is_said(play: Play) -> None:
    report = run(play("alefita_way", "prepare-refused@request:9"), Hooks())
    assert report.ok
    assert not report.played
    said = "fault prepare-refused@request:9 struck nothing: the client did not come to that place, or sent"
    assert [each.startswith(said) for each in report.errors] == [True]


def test_a_saved_transcript_draws_the_same_verdict(play: Play) -> None:
    from wiretape import verify
    from wiretape.transcript_file import dump, load

    playback = play("alefita_way", "cut@event:5", ids="fresh")
    live = run(playback, Hooks(play=in_spite_of(ask, answer_what_came)))
    saved = verify(load(dump(playback.transcript())))

    def of(report: Report) -> list[tuple[Any, ...]]:
        return [(each.rule, each.outcome, each.because) for each in report.findings]

    assert of(saved) == of(live)
    assert {each.rule for each in failures(saved)} == {"flow_a.fault.no-return-to-cut-call"}


@pytest.mark.parametrize("kind", sorted({*EDITS, *ENDINGS, "resume"} - {"stall"}))
def test_no_place_of_a_fault_makes_a_right_client_wrong(play: Play, kind: str) -> None:
    cassette = load_cassette(CASSETTE)
    for number in range(1, 16):
        fault = f"{kind}@event:{number}"
        if not hits([parse(fault)], cassette):
            continue
        playback = play(CASSETTE, fault, ids="fresh")
        came_to_the_end(patient(playback))
        report = verdict(playback)
        assert (fault, failures(report), report.unplayed, report.errors) == (fault, [], (), ())
