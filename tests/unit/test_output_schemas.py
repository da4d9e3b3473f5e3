"""The transcripts and reports that wiretape writes are as their schemas say."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.schemas import complaint
from wiretape import strictjson
from wiretape.contract import Fault, Finding, Report, Rule, Spec
from wiretape.flow_a.rules import RULES
from wiretape.report import to_json
from wiretape.strictjson import ABSENT
from wiretape.transcript import Body, Chunk, End, Request, Response, Transcript
from wiretape.transcript_file import dump

RULE = Rule(
    id="flow_a.return.recipient-is-all",
    level="must",
    title="The return is for all",
    spec=Spec(document="flow-a-tool-protocol", section="§3", quote='recipient: "all"'),
    evidence="wire",
    scope="return",
    check=lambda _: None,
    good='"all"',
    bad=('"alefita_way"',),
)


def report(*findings: Finding) -> Any:
    """A report as a program reads it."""
    one = Report(name="alefita_way", protocol="flow_a", findings=findings, unplayed=("the continuation",))
    return json.loads(strictjson.dumps(to_json([one], {"command": ["client"]})))


EVERY_OUTCOME = report(
    RULE.finding("pass"),
    RULE.finding("not_observed", because="no call was played"),
    RULE.finding("not_applicable", because="flow_a.request.valid-json"),
    RULE.failed(Fault("messages[0].recipient", "all", ABSENT), "request 4"),
    RULE.failed(Fault("messages[0].recipient", "all", {"a": [1, None, "\ud83d"]}), "request 4"),
    RULE.failed(Fault("messages[0].recipient", "all", None), "request 4"),
)


def test_a_report_with_every_outcome_is_valid() -> None:
    assert complaint("report", EVERY_OUTCOME) is None
    assert [finding["outcome"] for finding in EVERY_OUTCOME["cassettes"][0]["findings"]].count("fail") == 3


def test_every_rule_of_the_catalogue_can_stand_in_a_report() -> None:
    assert complaint("report", report(*(rule.passed for rule in RULES))) is None


def test_an_empty_report_is_valid() -> None:
    assert complaint("report", json.loads(strictjson.dumps(to_json([], {})))) is None


@pytest.mark.parametrize("key", ["ok", "played", "run", "cassettes"])
def test_a_report_without_one_of_its_keys_is_refused(key: str) -> None:
    spoilt = copy.deepcopy(EVERY_OUTCOME)
    del spoilt[key]
    assert complaint("report", spoilt) is not None


FINDING_KEYS = ["rule", "level", "outcome", "path", "want", "got", "at", "spec", "hint"]


@pytest.mark.parametrize("key", FINDING_KEYS)
def test_a_finding_without_one_of_its_keys_is_refused(key: str) -> None:
    spoilt = copy.deepcopy(EVERY_OUTCOME)
    del spoilt["cassettes"][0]["findings"][3][key]
    assert complaint("report", spoilt) is not None


@pytest.mark.parametrize(
    ("key", "value"),
    [("level", "error"), ("outcome", "failed"), ("rule", "recipient"), ("at", None), ("outcome", "pass")],
)
def test_a_failed_finding_with_another_value_is_refused(key: str, value: object) -> None:
    spoilt = copy.deepcopy(EVERY_OUTCOME)
    spoilt["cassettes"][0]["findings"][3][key] = value
    assert complaint("report", spoilt) is not None


def lines() -> list[Any]:
    """A transcript with every kind of entry, as a program reads it, line by line."""
    pairs = (("content-type", "application/json"), ("authorization", "Bearer s"))
    transcript = Transcript(protocol="flow_a", name="alefita_way", live=True, errors=("no answer",))
    transcript.entries = [
        Request(number=1, method="POST", path="/a?verify=s", headers=pairs, body=b"{}", at=0.0),
        Response(number=1, status=200, headers=pairs, body=Body(b"data: \xff\n\n"), at=0.25),
        Chunk(number=1, start=0, stop=9, at=0.5),
        End(number=1, how="client-left", at=1.0),
    ]
    return [json.loads(line) for line in dump(transcript).splitlines()]


LINES = lines()
KINDS = ["header", *(line["entry"] for line in LINES[1:])]


@pytest.mark.parametrize("line", LINES, ids=KINDS)
def test_every_line_of_a_transcript_is_valid(line: Any) -> None:
    assert complaint("transcript", line) is None


@pytest.mark.parametrize("line", LINES[1:], ids=KINDS[1:])
@pytest.mark.parametrize("key", ["entry", "number", "at"])
def test_an_entry_without_its_kind_number_or_time_is_refused(line: Any, key: str) -> None:
    assert complaint("transcript", {name: value for name, value in line.items() if name != key}) is not None


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("header", {"transcript": 2}),
        ("header", {"protocol": "http"}),
        ("request", {"entry": "question"}),
        ("request", {"headers": {"a": "b"}}),
        ("request", {"body_base64": "e30="}),
        ("response", {"status": "200"}),
        ("chunk", {"start": -1}),
        ("end", {"how": "well"}),
    ],
)
def test_a_spoilt_line_is_refused(kind: str, change: dict[str, object]) -> None:
    line = LINES[KINDS.index(kind)]
    assert complaint("transcript", line | change) is not None


@pytest.mark.parametrize("kind", ["request", "response"])
def test_a_line_without_its_body_is_refused(kind: str) -> None:
    line = {key: value for key, value in LINES[KINDS.index(kind)].items() if not key.startswith("body")}
    assert complaint("transcript", line) is not None
