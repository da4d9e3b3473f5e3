"""The same client hears the same from wiretape's app-server as from the real one, and so does the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.allowed import REMAINING
from tests.differential.playing import Theatre
from tests.differential.scenario import Scenario
from tests.differential.scenarios.all import ALL
from tests.differential.transcripts import differences

ATTEMPTS = 5
"""The real program does some things at once, and says them in one order or another."""


def parameter(scenario: Scenario) -> object:
    """A scenario that is known to differ must go on to do so, or leave the list."""
    why = REMAINING.get(scenario.name)
    marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
    return pytest.param(scenario, id=scenario.name, marks=marks)


@pytest.mark.parametrize("scenario", [parameter(each) for each in ALL])
def test_both_say_the_same(stages: Theatre, scenario: Scenario, tmp_path: Path) -> None:
    found: list[str] = []
    for attempt in range(ATTEMPTS):
        real, ours = stages.play(scenario, tmp_path / str(attempt))
        found = differences(real, ours)
        if not found:
            return
    pytest.fail("\n".join(["- real, + wiretape", *found]), pytrace=False)
