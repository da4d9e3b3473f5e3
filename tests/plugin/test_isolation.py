"""Nothing leaks from test to test, although the server lives as long as the session (PLUG-3)."""

from __future__ import annotations

import pytest

TEST_A = """
    def test_a_counts_wrongly(wiretape):
        play = wiretape.play("plain_answer")
        for _ in range(2):
            urlopen(play.base_url + "/backend-api/ios/attestation_challenge").close()
        assert len(play.requests) == 1
"""
TEST_B = """
    def test_b_starts_at_nothing(wiretape):
        play = wiretape.play("plain_answer")
        assert play.requests == []
        assert play.transcript.entries == []
        ask(play)
        assert {request.number for request in play.requests} == {1, 2, 3}
"""


def written(project: pytest.Pytester, *tests: str) -> pytest.Pytester:
    project.makepyfile(
        test_it="\n    from urllib.request import urlopen\n    from client import ask\n" + "".join(tests)
    )
    return project


@pytest.mark.parametrize("tests", [(TEST_A, TEST_B), (TEST_B, TEST_A)], ids=["A then B", "B then A"])
def test_each_test_sees_only_its_own_requests(project: pytest.Pytester, tests: tuple[str, str]) -> None:
    result = written(project, *tests).runpytest_inprocess("-v")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines_random(
        ["*test_a_counts_wrongly FAILED*", "*test_b_starts_at_nothing PASSED*"]
    )


def test_the_same_holds_in_the_run_of_what_failed_last(project: pytest.Pytester) -> None:
    written(project, TEST_A, TEST_B).runpytest_inprocess()
    result = project.runpytest_inprocess("--lf", "-v")
    result.assert_outcomes(failed=1)


def test_the_same_holds_in_two_workers(project: pytest.Pytester) -> None:
    result = written(project, TEST_A, TEST_B).runpytest_subprocess("-n", "2")
    result.assert_outcomes(failed=1, passed=1)


def test_two_plays_of_one_cassette_in_one_test_are_strangers(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        from client import ask

        def test_it(wiretape):
            first, second = wiretape.play("plain_answer"), wiretape.play("plain_answer")
            assert first.base_url != second.base_url
            ask(first)
            assert second.requests == []
            ask(second)
        """
    )
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_client_that_lives_longer_than_its_test_reaches_no_other_test(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        import urllib.error
        import urllib.request
        import pytest
        from client import ask

        LEFT = []

        def test_first(wiretape):
            play = wiretape.play("plain_answer")
            LEFT.append(play.base_url)
            ask(play)

        def test_second(wiretape):
            play = wiretape.play("plain_answer")
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(LEFT[0] + "/backend-api/ios/attestation_challenge")
            caught.value.close()
            assert play.requests == []
            ask(play)
        """
    )
    project.runpytest_inprocess().assert_outcomes(passed=2)


def test_examples_of_a_hypothesis_test_each_get_a_play_of_their_own(project: pytest.Pytester) -> None:
    """FUZZ-1: a function-scoped fixture would be a health check failure."""
    project.makepyfile(
        test_it="""
        from hypothesis import given, settings, strategies as st
        from client import ask

        @settings(max_examples=5, deadline=None, database=None)
        @given(st.integers())
        def test_it(wiretape_server, number):
            with wiretape_server.play("plain_answer", pace="instant") as play:
                assert play.requests == []
                ask(play)
        """
    )
    project.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_the_block_of_the_session_server_judges_at_its_end(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        import pytest
        from client import WRONG_RECIPIENT, ask
        from pytest_wiretape import WiretapeViolation

        def test_violation(wiretape_server):
            with pytest.raises(WiretapeViolation, match="recipient-is-all"):
                with wiretape_server.play("alefita_way") as play:
                    ask(play, **WRONG_RECIPIENT)

        def test_not_played(wiretape_server):
            with pytest.raises(WiretapeViolation, match="not played"):
                with wiretape_server.play("alefita_way"):
                    pass

        def test_an_error_of_its_own_is_not_replaced(wiretape_server):
            with pytest.raises(RuntimeError, match="mine"):
                with wiretape_server.play("alefita_way"):
                    raise RuntimeError("mine")

        def test_a_verdict_that_was_taken_is_not_taken_again(wiretape_server):
            with wiretape_server.play("alefita_way") as play:
                ask(play, **WRONG_RECIPIENT)
                assert not play.judge().ok
        """
    )
    project.runpytest_inprocess().assert_outcomes(passed=4)


def test_what_a_test_played_is_gone_when_it_is_over(project: pytest.Pytester) -> None:
    tests = """
    import gc, weakref
    played = []

    def test_a_plays(wiretape):
        play = wiretape.play("plain_answer")
        played.append(weakref.ref(play))
        ask(play)

    def test_b_finds_nothing_left_of_it():
        gc.collect()
        assert played[0]() is None
"""
    result = written(project, tests).runpytest_inprocess("--wiretape-report=json:report.json")
    result.assert_outcomes(passed=2)
    assert '"name":"plain_answer"' in project.path.joinpath("report.json").read_text("ascii")
