"""Bodies of returns, right and wrong in one point, against ``check_return``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wiretape.contract import Finding
from wiretape.flow_a import check_return

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "flow_a" / "returns.json").read_text(encoding="utf-8")
)
LEVELS = {"error": "must", "warning": "should"}


def cases(verdict: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in VECTORS["cases"] if case["verdict"] == verdict]


def failures(case: dict[str, Any]) -> list[Finding]:
    call = VECTORS["calls"][case["call"]]
    findings = check_return(case["request"], call, conversation_id=VECTORS["conversation_id"])
    return [finding for finding in findings if finding.failed]


def test_there_are_cases_of_both_verdicts() -> None:
    assert len(cases("valid")) >= 11
    assert len(cases("fault")) >= 53
    assert len(cases("valid")) + len(cases("fault")) == len(VECTORS["cases"])


@pytest.mark.parametrize("case", cases("valid"))
def test_a_right_return_draws_no_complaint(case: dict[str, Any]) -> None:
    found = failures(case)
    if "advice" in case:
        found = [finding for finding in found if finding.rule != "flow_a.return.result-shape"]
    assert found == []


@pytest.mark.parametrize("case", cases("fault"))
def test_a_wrong_return_draws_one_complaint_at_the_wrong_field(case: dict[str, Any]) -> None:
    (finding,) = failures(case)
    assert (finding.path, finding.level) == (case["broken"]["path"], LEVELS[case["level"]])
