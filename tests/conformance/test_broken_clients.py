"""The kit's self-test: every rule catches its broken client, and none complains of the reference."""

from __future__ import annotations

import pytest
from broken import BROKEN
from conftest import Judge

from wiretape import load_cassette
from wiretape.cassette import bundled
from wiretape.contract import Finding, Report, Rule
from wiretape.flow_a.rules import RULES

CASSETTES = bundled("flow_a")
LEVELS = {rule.id: rule.level for rule in RULES}


def short(rule_id: str) -> str:
    return rule_id.removeprefix("flow_a.")


def failures(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.failed]


@pytest.fixture(scope="module")
def reference_reports(judge: Judge) -> dict[str, Report]:
    """The verdicts on the reference client: every cassette at once, and one as it was recorded."""
    reports = {name: judge(name) for name in CASSETTES}
    return reports | {"alefita_way, recorded pace": judge("alefita_way", pace="recorded")}


def test_every_rule_has_a_broken_client_and_every_broken_client_a_rule() -> None:
    assert set(BROKEN) == {short(rule.id) for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: short(rule.id))
def test_a_broken_client_fails_its_rule_and_no_other(rule: Rule, judge: Judge) -> None:
    broken = BROKEN[short(rule.id)]
    report = judge(broken.cassette, broken.hooks, pace=broken.pace)
    failed = {short(finding.rule) for finding in failures(report)}
    assert failed - set(broken.also) == {short(rule.id)}, failures(report)
    assert report.ok == all(LEVELS[f"flow_a.{each}"] != "must" for each in failed)


@pytest.mark.parametrize("name", CASSETTES)
def test_no_rule_complains_of_the_reference_client(name: str, reference_reports: dict[str, Report]) -> None:
    report = reference_reports[name]
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)


def test_the_reference_client_at_recorded_pace_passes_too(reference_reports: dict[str, Report]) -> None:
    assert failures(reference_reports["alefita_way, recorded pace"]) == []


def test_every_must_rule_is_exercised_by_some_cassette(reference_reports: dict[str, Report]) -> None:
    passed = {
        finding.rule
        for report in reference_reports.values()
        for finding in report.findings
        if finding.outcome == "pass"
    }
    assert {rule.id for rule in RULES if rule.level == "must"} - passed == set()


@pytest.mark.parametrize("name", CASSETTES)
def test_a_cassette_exercises_the_rules_that_it_names(
    name: str, reference_reports: dict[str, Report]
) -> None:
    reports = [report for key, report in reference_reports.items() if key.split(",")[0] == name]
    seen = {each.rule for report in reports for each in report.findings if each.outcome == "pass"}
    assert set(load_cassette(name).expect.rules) <= seen
