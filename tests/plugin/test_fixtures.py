"""The fixtures: what a test's author gets to see, for a client that is right and for one that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import INI
from wiretape.cassette import bundled_directory


def run(project: pytest.Pytester, code: str, *arguments: str) -> pytest.RunResult:
    project.makepyfile(
        test_it="from client import WRONG_RECIPIENT, ask, ask_natively\nimport pytest\n\n" + code
    )
    return project.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


FINDING = [
    "*FAIL flow_a.return.recipient-is-all *must · evidence: *",
    "*at *POST */f/conversation (request *messages[[]0].recipient*",
    '*want *"all"*',
    '*got *"alefita_way"*',
    "*spec *§3 «*»*",
]


def test_a_conforming_client_passes_and_verify_gives_the_report(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
def test_my_client(wiretape):
    play = wiretape.play("alefita_way")
    ask(play)
    report = play.verify()
    assert report.ok and report.played and not report.violations
    assert any(finding.outcome == "pass" for finding in report.findings)
""",
    )
    result.assert_outcomes(passed=1)


def test_verify_shows_every_failed_rule_in_full(failing: pytest.Pytester) -> None:
    result = failing.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*play.verify()*", *FINDING])
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_my_client - *WiretapeViolation*"])
    assert "playing.py" not in result.stdout.str(), "the plugin's own frames only hide the findings"


def test_a_violation_is_an_assertion_error_that_carries_the_report(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
from pytest_wiretape import WiretapeViolation

def test_my_client(wiretape):
    play = wiretape.play("alefita_way")
    ask(play, **WRONG_RECIPIENT)
    with pytest.raises(WiretapeViolation) as caught:
        play.verify()
    assert isinstance(caught.value, AssertionError)
    assert [found.rule for found in caught.value.reports[0].violations] == ["flow_a.return.recipient-is-all"]
""",
    )
    result.assert_outcomes(passed=1)


def test_a_test_that_never_verifies_is_judged_at_its_end(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
def test_right(wiretape):
    ask(wiretape.play("alefita_way"))

def test_wrong(wiretape):
    ask(wiretape.play("alefita_way"), **WRONG_RECIPIENT)
""",
    )
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*ERROR at teardown of test_wrong*", *FINDING])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_verdict_that_the_test_took_is_not_taken_again(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
def test_expects_the_violation(wiretape):
    play = wiretape.play("alefita_way")
    ask(play, **WRONG_RECIPIENT)
    with pytest.raises(AssertionError):
        play.verify()
""",
    )
    result.assert_outcomes(passed=1)


def test_a_test_that_failed_by_itself_is_not_judged_on_top_but_shows_what_was_seen(
    project: pytest.Pytester,
) -> None:
    result = run(
        project,
        """
def test_fails(wiretape):
    ask(wiretape.play("alefita_way"), **WRONG_RECIPIENT)
    raise RuntimeError("of my own")
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*RuntimeError: of my own", "*- wiretape alefita_way -*", FINDING[0]])


def test_a_skip_inside_the_test_is_not_judged(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
def test_skips(wiretape):
    wiretape.play("alefita_way")
    pytest.skip("the client is not there")
""",
    )
    result.assert_outcomes(skipped=1)


def test_a_session_that_is_not_played_to_its_end_fails(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
def test_never_asks(wiretape):
    wiretape.play("alefita_way")

def test_asks_and_verifies(wiretape):
    wiretape.play("alefita_way").verify()
""",
    )
    result.assert_outcomes(passed=1, errors=1, failed=1)
    result.stdout.fnmatch_lines(["*not played to its end*", "*not played:*"])


def test_all_plays_of_a_test_are_judged_and_none_hides_another(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
def test_two(wiretape):
    first = wiretape.play("alefita_way")
    second = wiretape.play("plain_answer")
    ask(first, **WRONG_RECIPIENT)
""",
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*alefita_way: violations*", FINDING[0], "*plain_answer: not played*"])


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
            "*no option speed; it has chunks, ids, own_port, pace*",
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


def test_an_error_of_the_client_shows_beside_it_what_the_server_could_not_answer(
    project: pytest.Pytester,
) -> None:
    result = run(
        project,
        """
import urllib.request

def test_wrong_path(wiretape):
    play = wiretape.play("plain_answer")
    urllib.request.urlopen(play.base_url + "/backend-api/no/such/thing")
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*HTTP Error 404*", "*could not be answered:*", "*/no/such/thing*"])


def test_nothing_of_the_server_is_left_when_the_session_ends(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        import threading

        def pytest_unconfigure(config):
            print("threads:", [thread.name for thread in threading.enumerate()])
        """
    )
    project.makepyfile(
        test_it="""
        from client import ask

        def test_it(wiretape):
            ask(wiretape.play("plain_answer"))
        """
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["threads: [[]'MainThread']"])


def test_a_session_that_plays_nothing_starts_no_server(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
import threading

def test_it(wiretape):
    assert threading.active_count() == 1
""",
    )
    result.assert_outcomes(passed=1)


def test_the_bundled_cassettes_are_where_these_tests_look() -> None:
    assert Path(bundled_directory() / "flow_a" / "plain_answer.yaml").is_file()
