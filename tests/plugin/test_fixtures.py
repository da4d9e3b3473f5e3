"""The fixtures: what a test's author gets to see, for a client that is right and for one that is wrong."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import run

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


def test_a_client_that_fails_in_a_fixture_is_shown_with_what_was_seen(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
@pytest.fixture
def connected(wiretape):
    ask(wiretape.play("alefita_way"), **WRONG_RECIPIENT)
    raise ConnectionError("no answer")

def test_never_runs(connected):
    pass
""",
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ConnectionError: no answer*", "*wiretape alefita_way*", FINDING[0]])


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


def test_a_fault_of_the_server_itself_reaches_the_test(project: pytest.Pytester) -> None:
    result = run(
        project,
        """
import urllib.request

def test_it(wiretape, monkeypatch):
    def broken(*_):
        raise RuntimeError("broken inside")

    monkeypatch.setattr("wiretape_server.exchange.Exchange.answer", broken)
    play = wiretape.play("plain_answer")
    with pytest.raises(OSError):
        urllib.request.urlopen(play.base_url + "/backend-api/ios/attestation_challenge")
    monkeypatch.undo()
    ask(play)
""",
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*RuntimeError: broken inside*"])


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
    project.makepyfile("""
import threading

def test_it(wiretape):
    assert threading.active_count() == 1
""")
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=1)
