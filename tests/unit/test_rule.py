"""A rule keeps the findings that it gives again and again, and no more of them than it needs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wiretape.contract import Rule, Skip, Unseen
from wiretape.flow_a.rules import RULES


@pytest.fixture
def rule() -> Rule:
    """A rule that has not judged anything."""
    return replace(RULES[0])


def test_a_finding_that_blames_nobody_is_made_once(rule: Rule) -> None:
    assert rule.unfailed(Skip("another rule")) is rule.unfailed(Skip("another rule"))
    assert rule.unfailed(Skip("x")) != rule.unfailed(Unseen("x"))
    assert rule.unfailed(None) is rule.passed


def test_reasons_that_name_what_clients_made_up_are_not_all_kept(rule: Rule) -> None:
    for number in range(1000):
        finding = rule.unfailed(Unseen(f"the cassette does not say what tool_{number} gives"))
        assert finding.because.endswith(f"tool_{number} gives")
    assert len(rule.said) < 100
