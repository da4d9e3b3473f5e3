"""A bounded part of ``make selftest``: every broken client is caught, and it would show if one were not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.selftest.killing import (
    EQUIVALENT,
    LEAST,
    PAIRS,
    Family,
    Stage,
    attack,
    blind,
    mutants_of,
    unnoticed,
)
from tests.selftest.mutants import Mutant, fate
from wiretape.transcript import Transcript
from wiretape.verdict import VERIFIERS

FLOW_A = VERIFIERS["flow_a"]
RECIPIENT = "return.recipient-is-all"


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage.played()


@pytest.fixture(scope="module")
def mutants(stage: Stage) -> dict[str, list[Mutant]]:
    """All broken clients; of those with two faults one in seven."""
    return {protocol: [*mutants_of(protocol, stage, every=7)] for protocol in VERIFIERS}


@pytest.fixture
def mutant(mutants: dict[str, list[Mutant]]) -> Mutant:
    """One whose rule is RECIPIENT."""
    return next(each for each in mutants["flow_a"] if each.rules == (RECIPIENT,))


@pytest.mark.parametrize("protocol", VERIFIERS)
def test_every_broken_client_is_caught_and_blamed_for_nothing_else(
    protocol: str, mutants: dict[str, list[Mutant]]
) -> None:
    families = attack(VERIFIERS[protocol], mutants[protocol])
    assert [fault for family in families for fault in family.faults] == []
    assert [each.name for each in families if PAIRS not in each.name and len(each.counted) < LEAST] == []
    assert families[-1].name == f"{protocol} {PAIRS}"
    assert families[-1].killed == len(families[-1].counted) > LEAST


@pytest.mark.parametrize("protocol", VERIFIERS)
def test_no_rule_can_be_switched_off_without_notice(protocol: str, mutants: dict[str, list[Mutant]]) -> None:
    assert unnoticed(VERIFIERS[protocol], mutants[protocol]) == []


def test_a_client_that_is_right_would_survive(stage: Stage) -> None:
    """Else the rate would say nothing."""
    right = Mutant(name="right", rules=(RECIPIENT,), play=lambda: stage.sessions["alefita_way"])
    assert fate(right, FLOW_A).survived == right.rules


def test_a_rule_that_nothing_attacks_is_named() -> None:
    assert unnoticed(FLOW_A, []) == [rule.id for rule in FLOW_A.rules]


def test_a_rule_that_finds_nothing_lets_its_clients_live(mutant: Mutant) -> None:
    assert fate(mutant, FLOW_A).clean
    seen = fate(mutant, blind(FLOW_A, f"flow_a.{RECIPIENT}"))
    assert (seen.killed, seen.survived) == (False, (RECIPIENT,))
    assert str(seen) == f"{mutant.name}: survives {RECIPIENT}"


def test_a_client_that_is_caught_by_another_rule_survives_its_own(mutant: Mutant) -> None:
    seen = fate(replace(mutant, rules=("return.end-turn-null",)), FLOW_A)
    assert seen.survived == ("return.end-turn-null",)
    assert seen.blamed == (RECIPIENT,)


def test_a_rule_that_hides_behind_one_that_passes_is_told(mutants: dict[str, list[Mutant]]) -> None:
    """Not judged because of a rule that found nothing: nobody would know what is wrong."""
    rule = "return.text-is-json-object"
    mutant = next(each for each in mutants["flow_a"] if each.rules == (rule,))
    assert "return.text-keys" in fate(mutant, blind(FLOW_A, f"flow_a.{rule}")).adrift


def test_an_equivalent_that_is_killed_does_not_belong_in_its_table(mutant: Mutant) -> None:
    name = next(iter(EQUIVALENT))
    family = Family(name="flow_a pairs", fates=[fate(replace(mutant, name=name), FLOW_A)])
    assert family.faults == [f"{name}: is killed, and listed as equivalent"]
    assert family.counted == []


def test_the_verifier_does_not_change_what_it_reads(stage: Stage) -> None:
    transcript: Transcript = stage.sessions["alefita_way"]
    first = FLOW_A.verify(transcript)
    assert FLOW_A.verify(transcript) == first
    assert first.ok
