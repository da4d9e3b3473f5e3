"""Accepted findings: what they set aside, and that a stale one is noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wiretape.contract import Finding, Report
from wiretape_cli import baseline
from wiretape_cli.baseline import Accepted
from wiretape_cli.errors import SetupError

RECIPIENT = "flow_a.return.recipient-is-all"
ENTRY = Accepted(RECIPIENT, "alefita_way", "messages[0].recipient")


def finding(rule: str = RECIPIENT, **fields: Any) -> Finding:
    known: dict[str, Any] = {"level": "must", "outcome": "fail", "evidence": "wire", "spec": "§3 «all»"}
    return Finding(rule=rule, **(known | {"path": "messages[0].recipient"} | fields))


def report(*findings: Finding, name: str = "alefita_way") -> Report:
    return Report(name=name, protocol="flow_a", findings=findings)


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "baseline.json"
    file.write_text(text, encoding="utf-8")
    return file


def test_an_accepted_failure_does_not_fail_and_says_who_accepted_it() -> None:
    judged = baseline.apply([ENTRY], report(finding(want="all", got="x")), "base.json")
    assert judged.ok
    assert judged.findings[0].outcome == "not_applicable"
    assert "base.json" in judged.findings[0].because
    assert (judged.findings[0].want, judged.findings[0].got) == ("all", "x")


@pytest.mark.parametrize(
    "other",
    [
        finding("flow_a.return.end-turn-null"),
        finding(path="messages[1].recipient"),
    ],
)
def test_a_failure_of_another_rule_or_path_still_fails(other: Finding) -> None:
    assert not baseline.apply([ENTRY], report(other), "base.json").ok


def test_a_failure_in_another_cassette_still_fails() -> None:
    assert not baseline.apply([ENTRY], report(finding(), name="handoff"), "base.json").ok


@pytest.mark.parametrize("name", ["alefita_way", "flow_a/alefita_way", "cassettes/flow_a/alefita_way.yaml"])
def test_a_cassette_is_the_same_however_it_was_asked_for(name: str) -> None:
    assert baseline.apply([ENTRY], report(finding(), name=name), "base.json").ok
    assert not baseline.stale([ENTRY], [report(finding(), name=name)])


def test_an_entry_that_nothing_matches_any_more_is_stale() -> None:
    assert baseline.stale([ENTRY], [report(finding(outcome="pass"))]) == [ENTRY]


def test_an_entry_of_a_cassette_that_was_not_played_is_not_stale() -> None:
    assert not baseline.stale([ENTRY], [report(name="handoff")])


def test_a_baseline_is_read_from_its_three_keys(tmp_path: Path) -> None:
    text = f'[{{"path": "messages[0].recipient", "rule": "{RECIPIENT}", "cassette": "flow_a/alefita_way"}}]'
    assert baseline.read(written(tmp_path, text)) == {ENTRY}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "no JSON"),
        ("{}", "a JSON list, but this is dict"),
        ('[{"rule": "r"}]', 'entry 1: expected .* got {"rule":"r"}'),
        ('[{"rule": "r", "cassette": "c", "path": "p", "more": 1}]', "entry 1"),
        ('[{"rule": "r", "cassette": "c", "path": 1}]', "entry 1"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_with_its_name(tmp_path: Path, text: str, why: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(SetupError, match=why) as caught:
        baseline.read(file)
    assert str(file) in caught.value.message
