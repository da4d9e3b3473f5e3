"""The kit's self-test: every rule catches its broken client, and none complains of the reference."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conformance.broken import BROKEN
from tests.conformance.playing import failures, judged, run, verdict
from tests.conformance.reference_client import ClientError
from wiretape import load_cassette
from wiretape.cassette import bundled
from wiretape.contract import Report, Rule
from wiretape.flow_a.rules import RULES
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

CASSETTES = bundled("flow_a")
PACES = ("instant", "x0.2")
"""Some rules need to see time pass."""
LEVELS = {rule.id: rule.level for rule in RULES}


def short(rule_id: str) -> str:
    return rule_id.removeprefix("flow_a.")


@pytest.fixture(scope="module")
def reference_reports(server: ServerThread) -> dict[str, list[Report]]:
    """The verdicts on the reference client, by cassette."""
    return {name: [judged(server, name, pace=pace) for pace in PACES] for name in CASSETTES}


def passed(reports: list[Report]) -> set[str]:
    return {each.rule for report in reports for each in report.findings if each.outcome == "pass"}


def test_every_rule_has_a_broken_client_and_every_broken_client_a_rule() -> None:
    assert set(BROKEN) == {short(rule.id) for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: short(rule.id))
def test_a_broken_client_fails_its_rule_and_no_other(rule: Rule, server: ServerThread) -> None:
    broken = BROKEN[short(rule.id)]
    report = judged(server, broken.cassette, broken.hooks, pace=broken.pace, faults=broken.faults)
    failed = {short(finding.rule) for finding in failures(report)}
    assert failed - set(broken.also) == {short(rule.id)}, failures(report)
    assert report.ok == all(LEVELS[f"flow_a.{each}"] != "must" for each in failed)


@pytest.mark.parametrize("rule", ["return.recipient-is-all", "request.valid-json", "behavior.reads-to-end"])
def test_a_broken_client_runs_as_a_command_too(rule: str, server: ServerThread) -> None:
    broken = BROKEN[rule]
    playback = server.play(load_cassette(broken.cassette), PlayOptions(pace=broken.pace))
    done = run([sys.executable, str(Path(__file__).with_name("broken.py")), f"flow_a.{rule}"], playback)
    report = verdict(playback)
    playback.close()
    assert (done.returncode, done.stderr) == (0, "")
    assert {short(finding.rule) for finding in failures(report)} == {rule}


@pytest.mark.parametrize("name", CASSETTES)
def test_no_rule_complains_of_the_reference_client(
    name: str, reference_reports: dict[str, list[Report]]
) -> None:
    for report in reference_reports[name]:
        assert failures(report) == []
        assert report.played, (report.unplayed, report.errors)


@pytest.mark.parametrize("name", CASSETTES)
def test_a_strict_server_has_no_objection_to_the_reference_client(name: str, server: ServerThread) -> None:
    assert judged(server, name, strict=True).played


def test_a_strict_server_refuses_a_wrong_return_and_says_which_rule_it_breaks(server: ServerThread) -> None:
    with pytest.raises(ClientError, match=r"422.*flow_a\.return\.recipient-is-all"):
        judged(server, "alefita_way", BROKEN["return.recipient-is-all"].hooks, strict=True)


@pytest.mark.parametrize("name", CASSETTES)
def test_a_cassette_exercises_the_rules_that_it_names(
    name: str, reference_reports: dict[str, list[Report]]
) -> None:
    assert set(load_cassette(name).expect.rules) <= passed(reference_reports[name])


def test_every_must_rule_is_exercised_by_some_cassette(reference_reports: dict[str, list[Report]]) -> None:
    exercised = set().union(*map(passed, reference_reports.values()))
    of_faults = {rule.id for rule in RULES if rule.id.startswith("flow_a.fault.")}
    assert {rule.id for rule in RULES if rule.level == "must"} - exercised - of_faults == set()
