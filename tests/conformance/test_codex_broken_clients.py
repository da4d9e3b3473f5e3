"""The kit's self-test for codex: a rule catches its broken client, and none complains of the reference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conformance.codex_broken import BROKEN
from tests.conformance.codex_playing import judged
from tests.conformance.playing import failures
from wiretape.cassette import Cassette, Step, bundled, load_cassette
from wiretape.codex.rules import RULES
from wiretape.contract import Report, Rule

CASSETTES = bundled("codex")
OLDER_PROFILES = ("0.98", "0.110")
NEEDS_NAMESPACES = "namespaced_tool"


def short(rule_id: str) -> str:
    return rule_id.removeprefix("codex.")


def played(name: str, profile: str = "0.171") -> Report:
    return judged(load_cassette(f"codex/{name}"), profile=profile)


def busy(cassette: Cassette) -> Cassette:
    """The same, but the model never comes to its last answer."""
    return replace(cassette, model=(*cassette.model[:-1], Step(wait="until_interrupt")))


def test_every_rule_has_a_broken_client_and_every_broken_client_a_rule() -> None:
    assert set(BROKEN) == {short(rule.id) for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: short(rule.id))
def test_a_broken_client_fails_its_rule_and_no_other(rule: Rule) -> None:
    broken = BROKEN[short(rule.id)]
    cassette = load_cassette(f"codex/{broken.cassette}")
    played = busy(cassette) if broken.busy else cassette
    report = judged(played, broken.hooks, fault=broken.fault, behind=broken.behind)
    failed = failures(report)
    assert {finding.rule for finding in failed} == {rule.id}, failed
    assert report.ok == all(finding.level != "must" for finding in failed)


@pytest.mark.parametrize("name", CASSETTES)
def test_no_rule_complains_of_the_reference_client(name: str) -> None:
    report = played(name)
    assert failures(report) == []
    assert report.errors == ()


@pytest.mark.parametrize("profile", OLDER_PROFILES)
@pytest.mark.parametrize("name", [name for name in CASSETTES if name != NEEDS_NAMESPACES])
def test_no_rule_complains_of_the_reference_client_at_an_older_server(name: str, profile: str) -> None:
    report = played(name, profile)
    assert failures(report) == []
    assert report.errors == ()


@pytest.mark.parametrize("name", CASSETTES)
def test_no_rule_complains_of_the_reference_client_behind_a_real_app_server(name: str) -> None:
    report = judged(load_cassette(f"codex/{name}"), behind=True)
    assert failures(report) == []
    (output,) = [f for f in report.findings if f.rule == "codex.response.reaches-model"]
    unknown = {"auth_refresh", "plain_turn", "interrupt_during_call", "dynamic_tool_text"}
    assert (output.outcome == "not_observed") == (name in unknown), output


@pytest.mark.parametrize("name", CASSETTES)
def test_a_cassette_exercises_the_rules_that_it_names(name: str) -> None:
    passed = {finding.rule for finding in played(name).findings if finding.outcome == "pass"}
    assert set(load_cassette(f"codex/{name}").expect.rules) <= passed
