"""Which cassette is played, and how: markers, names, paths, ports; and what is refused."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import INI, run
from wiretape.cassette import bundled_directory


def test_the_marker_names_the_cassette_and_how_it_plays(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
@pytest.mark.wiretape("alefita_way", pace="x0.01", chunks="byte")
def test_marked(wiretape_playback):
    assert wiretape_playback.cassette.name == "alefita_way"
    assert wiretape_playback.transcript.pace == "x0.01"
    ask(wiretape_playback)

class TestInside:
    pytestmark = pytest.mark.wiretape("plain_answer", pace="x0.02")

    @pytest.mark.wiretape(pace="x0.03")
    def test_the_nearest_marker_wins(self, wiretape_playback):
        assert wiretape_playback.cassette.name == "plain_answer"
        assert wiretape_playback.transcript.pace == "x0.03"
        ask(wiretape_playback)
""",
        "--strict-markers",
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def test_it(wiretape_playback): pass", "*needs a cassette: mark the test*"),
        (
            "@pytest.mark.wiretape('plain_answer', speed=1)\ndef test_it(wiretape_playback): pass",
            "*no option speed; it has chunks, faults, ids, own_port, pace*",
        ),
        (
            "@pytest.mark.wiretape('plain_answer', 'handoff')\ndef test_it(wiretape_playback): pass",
            "*takes one cassette, got ('plain_answer', 'handoff')*",
        ),
        (
            "@pytest.mark.wiretape('plain_answer', strict='perhaps')\ndef test_it(wiretape_playback): pass",
            "*strict is 'perhaps'; give*",
        ),
        ("def test_it(wiretape): wiretape.play('plain_answer', pace='fast')", "*pace is 'fast'; give*"),
        ("def test_it(wiretape): wiretape.play('plain_anser')", "*did you mean plain_answer*"),
        ("def test_it(wiretape): wiretape.play('no/such.yaml')", "*no/such.yaml*"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(
    project: pytest.Pytester, code: str, said: str
) -> None:
    result = run(project, code)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_cassette_may_be_a_path_or_an_object(project: pytest.Pytester) -> None:
    path = bundled_directory() / "flow_a" / "plain_answer.yaml"
    result = run(
        project,
        f"""
import pathlib
from wiretape import load_cassette

PATH = {str(path)!r}

@pytest.mark.parametrize("cassette", [PATH, pathlib.Path(PATH), load_cassette("plain_answer")])
def test_it(wiretape, cassette):
    ask(wiretape.play(cassette))
""",
    )
    result.assert_outcomes(passed=3)


def test_a_name_is_looked_up_in_the_configured_folder_first(project: pytest.Pytester) -> None:
    mine = project.mkdir("tapes") / "mine.yaml"
    mine.write_bytes((bundled_directory() / "flow_a" / "plain_answer.yaml").read_bytes())
    code = "def test_it(wiretape): ask(wiretape.play('mine'))"
    run(project, code, "--wiretape-cassette-dir=tapes").assert_outcomes(passed=1)
    project.makeini(INI + "wiretape_cassette_dir = tapes\n")
    run(project, code).assert_outcomes(passed=1)
    project.makeini(INI)
    run(project, code).assert_outcomes(failed=1)


def test_a_play_can_have_a_port_of_its_own(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
from urllib.parse import urlsplit

def test_own(wiretape):
    shared, own = wiretape.play("plain_answer"), wiretape.play("plain_answer", own_port=True)
    assert urlsplit(shared.base_url).path.startswith("/play/")
    assert urlsplit(own.base_url).path == ""
    assert urlsplit(own.base_url).port != urlsplit(shared.base_url).port
    ask(shared)
    ask(own)

@pytest.mark.wiretape("plain_answer", own_port=True)
def test_marked(wiretape_playback):
    assert urlsplit(wiretape_playback.base_url).path == ""
    ask(wiretape_playback)
""",
    )
    result.assert_outcomes(passed=2)
