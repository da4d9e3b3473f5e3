"""Faults in tests: as a marker's argument, as a play's, in a file, from outside."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import run

ASKED_IN_VAIN = """
def ask_in_vain(play):
    try:
        ask(play)
    except Exception:
        pass
    return play.transcript.faults
"""


def test_a_marker_or_a_play_says_what_goes_wrong(project: pytest.Pytester) -> None:
    result = run(
        project,
        f"""{ASKED_IN_VAIN}
@pytest.mark.wiretape("alefita_way", faults=["cut@event:5"])
def test_marked(wiretape_playback):
    assert ask_in_vain(wiretape_playback) == ("cut@event:5",)

def test_played(wiretape):
    assert ask_in_vain(wiretape.play("alefita_way", faults="delay@event:2 429@request:6")) == (
        "delay@event:2", "429@request:6")

@pytest.mark.wiretape(faults=["cut@event:5"])
def test_the_nearest_wins(wiretape):
    assert ask_in_vain(wiretape.play("alefita_way", faults=[])) == ()
""",
        "--strict-markers",
    )
    result.assert_outcomes(passed=3)


def test_a_file_says_what_goes_wrong(project: pytest.Pytester) -> None:
    project.path.joinpath("faults.yaml").write_text("- cut@event:5\n- {kind: 500, at: request:6}\n")
    result = run(
        project,
        f"""{ASKED_IN_VAIN}
from pathlib import Path

def test_by_name(wiretape):
    assert ask_in_vain(wiretape.play("alefita_way", faults="faults.yaml")) == (
        "cut@event:5", "500@request:6")

def test_by_path(wiretape):
    assert ask_in_vain(wiretape.play("alefita_way", faults=Path("faults.yaml"))) == (
        "cut@event:5", "500@request:6")
""",
    )
    result.assert_outcomes(passed=2)


def test_the_command_line_says_what_goes_wrong_in_every_test(project: pytest.Pytester) -> None:
    result = run(
        project,
        f"""{ASKED_IN_VAIN}
def test_played(wiretape):
    assert ask_in_vain(wiretape.play("alefita_way", faults=["drop@event:1"])) == ("cut@event:5",)
""",
        "--wiretape-faults=cut@event:5",
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ("'cat@event:5'", "*there is no kind 'cat'*"),
        ("'cut@event:99'", "*cut@event:99 hits nothing in alefita_way*"),
        ("'none.yaml'", "*none.yaml*"),
    ],
)
def test_a_fault_that_means_nothing_fails_the_test_in_one_sentence(
    project: pytest.Pytester, faults: str, said: str
) -> None:
    result = run(project, f"def test_it(wiretape): wiretape.play('alefita_way', faults={faults})")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*Traceback*")
