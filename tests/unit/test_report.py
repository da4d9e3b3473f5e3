from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.unit.flow_a_wire import Wire, answer_stream, call_stream, conforming, tool_return, user_turn
from wiretape.contract import Fault, Finding, Note, Report, Rule, Skip, Spec, Unseen, Verifier, judge
from wiretape.report import finding_text, printable_lines, shown, to_json, to_text, verdict_line
from wiretape.strictjson import ABSENT


def wrong_recipient() -> Report:
    wire = Wire(name="alefita_way")
    wire.turn(user_turn(), call_stream())
    body = tool_return()
    body["messages"][0]["recipient"] = "alefita_way"
    wire.turn(body, answer_stream())
    return wire.report()


def test_a_finding_is_shown_with_place_values_sentence_and_hint() -> None:
    (finding,) = wrong_recipient().violations
    assert finding_text(finding, source="flow_a/alefita_way.yaml").splitlines() == [
        "FAIL flow_a.return.recipient-is-all                                      must · evidence: wire",
        "  at    POST …/f/conversation (request 6)   messages[0].recipient",
        '  want  "all"',
        '  got   "alefita_way"',
        '  spec  §3 «recipient: "all" — NOT the tool name»',
        "  hint  the tool's name belongs in author.name                  cassette: flow_a/alefita_way.yaml",
    ]


@pytest.mark.parametrize(
    ("hint", "shown_as"),
    [
        ("", ["        cassette: x.yaml"]),
        ("declare it. " * 9, [f"  hint  {'declare it. ' * 9}", "        cassette: x.yaml"]),
    ],
)
def test_a_cassette_is_never_read_as_part_of_a_hint(hint: str, shown_as: list[str]) -> None:
    (finding,) = wrong_recipient().violations
    assert finding_text(replace(finding, hint=hint), source="x.yaml").splitlines()[5:] == shown_as
    assert "cassette" not in finding_text(replace(finding, hint=hint))


def test_the_report_leads_with_the_verdict_and_counts() -> None:
    text = to_text(wrong_recipient())
    assert text.startswith("alefita_way: violations (")
    assert "1 violated" in text.splitlines()[0]
    assert "flow_a.return.recipient-is-all" in text


def test_a_conforming_session_has_one_line() -> None:
    text = to_text(conforming(name="x").report())
    assert text.count("\n") == 1
    assert text.startswith("x: ok (")


def test_rules_that_hold_are_listed_on_request_with_their_notes() -> None:
    text = to_text(conforming().report(), passed=True)
    assert "pass           flow_a.return.recipient-is-all" in text
    assert "(metadata is that of the profile seed-capture)" in text


def test_what_was_not_played_is_listed() -> None:
    report = Report(name="x", protocol="flow_a", findings=(), unplayed=("answer 2",), errors=("one\ntwo",))
    assert not report.played
    text = to_text(report)
    assert "not played:\n  answer 2" in text
    assert "could not be answered:\n  one\n  two" in text
    assert verdict_line(report).startswith("x: not played to its end")


def test_warnings_are_counted_apart_and_leave_the_verdict() -> None:
    wire = Wire()
    wire.turn(user_turn(parent_message_id="x"), answer_stream())
    report = wire.report()
    assert report.ok
    assert " 1 warning," in verdict_line(report)
    assert "WARN flow_a.request.first-turn-omits-ids" in to_text(report)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ABSENT, "absent"),
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (1.0, "1.0"),
        ("coração", '"coração"'),
        ("\x1b[31m", '"\\u001b[31m"'),
        ("\u202e", '"\\u202e"'),
        ("\ud83d", '"\\ud83d"'),
        ([ABSENT], '["ABSENT"]'),
        ({(1,): 2}, "{(1,): 2}"),
    ],
)
def test_values_are_shown_as_json_and_can_not_move_the_cursor(value: object, text: str) -> None:
    assert shown(value) == text


def test_long_values_are_cut_and_say_how_long_they_were() -> None:
    assert shown("x" * 1000).endswith("… (1002 characters)")


def test_line_ends_survive_where_lines_are_wanted() -> None:
    assert printable_lines("a\nb\x07") == "a\nb\\x07"


def test_the_json_report_tells_absent_from_null() -> None:
    wire = Wire(name="x")
    wire.turn(user_turn(), call_stream())
    body = tool_return()
    del body["messages"][0]["end_turn"]
    wire.turn(body, answer_stream())
    document = to_json([wire.report()], {"version": "1"})
    (finding,) = [f for f in document["cassettes"][0]["findings"] if f["outcome"] == "fail"]
    assert finding["got"] == {"$absent": True}
    assert finding["want"] is None
    assert document["ok"] is False
    assert document["played"] is True
    assert json.loads(json.dumps(document)) == document


def test_values_that_json_can_not_carry_are_shown_as_text_in_the_json_report() -> None:
    finding = Finding(
        rule="r",
        level="must",
        outcome="fail",
        evidence="wire",
        spec="",
        want=float("inf"),
        got="x" * 9000,
    )
    report = Report(name="x", protocol="flow_a", findings=(finding,))
    (record,) = to_json([report], {})["cassettes"][0]["findings"]
    assert record["want"] == "Infinity"
    assert record["got"].endswith("characters)")


class Place:
    at = "here"


def rule_that_answers(*answers: object) -> Rule:
    queue = list(answers)
    return Rule(
        id="t.rule",
        level="observed",
        title="t",
        spec=Spec(document="d", section="§1", quote="q"),
        evidence="doc",
        scope="s",
        check=lambda _subject: queue.pop(0),
        good="g",
        bad=("b",),
        hint="the rule's hint",
    )


@pytest.mark.parametrize(
    ("answers", "outcome", "because"),
    [
        ((None, Skip("x")), "pass", ""),
        ((Note("said"), None), "pass", "said"),
        ((Skip("x"), Unseen("y")), "not_applicable", "x"),
        ((Unseen("y"),), "not_observed", "y"),
        ((), "not_observed", "nothing there"),
    ],
)
def test_the_outcome_over_many_subjects(answers: tuple[object, ...], outcome: str, because: str) -> None:
    subjects = [Place() for _ in answers]
    (finding,) = judge([rule_that_answers(*answers)], subjects, "nothing there")
    assert (finding.outcome, finding.because) == (outcome, because)


def test_every_fault_is_kept_and_hints_fall_back_to_the_rules() -> None:
    faults = (Fault("a", 1, 2), None, Fault("b", 1, 3, hint="own", at="elsewhere"))
    findings = judge([rule_that_answers(*faults)], [Place() for _ in faults])
    assert [(f.path, f.hint, f.at) for f in findings] == [
        ("a", "the rule's hint", "here"),
        ("b", "own", "elsewhere"),
    ]
    report = Report(name="", protocol="p", findings=tuple(findings))
    assert report.ok
    assert report.notes == tuple(findings)


def test_a_rule_is_found_by_its_id() -> None:
    rule = rule_that_answers()
    verifier = Verifier(protocol="p", read=lambda _t: None, rules=(rule,), unseen={"s": "no s"})  # type: ignore[arg-type,return-value]
    assert verifier.rule("t.rule") is rule
    with pytest.raises(KeyError):
        verifier.rule("t.other")
