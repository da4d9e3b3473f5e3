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


OTHER = Accepted("flow_a.return.end-turn-null", "alefita_way", "messages[0].end_turn")
ELSEWHERE = Accepted(RECIPIENT, "handoff", "messages[0].recipient")
WARNED = Accepted("flow_a.request.handoff-declared", "alefita_way", "local_function_signatures")


def test_an_updated_baseline_accepts_what_is_violated_now_and_nothing_else() -> None:
    assert baseline.updated([OTHER], [report(finding())]) == {ENTRY}


def test_an_update_keeps_the_entries_of_cassettes_that_were_not_played() -> None:
    assert baseline.updated([ELSEWHERE], [report(finding())]) == {ENTRY, ELSEWHERE}


def test_an_update_keeps_the_entries_of_a_session_that_broke_off() -> None:
    broke_off = Report(name="alefita_way", protocol="flow_a", findings=(), unplayed=("answer 2",))
    assert baseline.updated([ENTRY], [broke_off]) == {ENTRY}


def test_an_update_keeps_an_accepted_warning_and_adds_none() -> None:
    warning = finding(WARNED.rule, level="should", path=WARNED.path)
    assert baseline.updated([WARNED], [report(warning)]) == {WARNED}
    assert baseline.updated([], [report(warning)]) == set()


def test_the_changes_of_a_baseline_are_told_entry_by_entry() -> None:
    assert baseline.changes([OTHER, ELSEWHERE], [ELSEWHERE, ENTRY]) == [
        f"- {RECIPIENT.replace('recipient-is-all', 'end-turn-null')} at messages[0].end_turn in alefita_way",
        f"+ {RECIPIENT} at messages[0].recipient in alefita_way",
    ]
    assert baseline.changes([ENTRY], [ENTRY]) == []


@pytest.mark.parametrize("entries", [[], [ENTRY], [ENTRY, OTHER, ELSEWHERE]])
def test_a_baseline_that_was_written_is_read_again_and_does_not_change(
    tmp_path: Path, entries: list[Accepted]
) -> None:
    file = tmp_path / "baseline.json"
    baseline.write(file, entries)
    first = file.read_bytes()
    assert baseline.read(file) == set(entries)
    baseline.write(file, reversed(entries))
    assert file.read_bytes() == first
    assert first.count(b"\n") == (len(entries) + 2 if entries else 1)
    assert [each.name for each in tmp_path.iterdir()] == ["baseline.json"]
