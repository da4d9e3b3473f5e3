"""pytest-recording patches HTTP clients: installed it disturbs nothing, in use it has to be told."""

from __future__ import annotations

import pytest

VCR = """
    import pytest
    from client import ask

    {config}

    @pytest.mark.vcr
    def test_it(wiretape):
        ask(wiretape.play("plain_answer"))
"""
IGNORES_LOCALHOST = """
    @pytest.fixture
    def vcr_config():
        return {"ignore_localhost": True}
"""


def test_a_test_without_its_marker_is_not_touched(project: pytest.Pytester) -> None:
    project.makepyfile(test_it=VCR.format(config="").replace("@pytest.mark.vcr", ""))
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["plugins: *recording-*"])


def test_a_marked_test_works_when_vcr_leaves_this_machine_alone(project: pytest.Pytester) -> None:
    project.makepyfile(test_it=VCR.format(config=IGNORES_LOCALHOST.strip()))
    project.runpytest_subprocess("--record-mode=none").assert_outcomes(passed=1)


def test_without_that_the_failure_says_what_to_configure(project: pytest.Pytester) -> None:
    project.makepyfile(test_it=VCR.format(config=""))
    result = project.runpytest_subprocess("--record-mode=none")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ignore_localhost*"])


def test_a_blocked_network_may_still_allow_this_machine(project: pytest.Pytester) -> None:
    project.makepyfile(test_it=VCR.format(config="").replace("@pytest.mark.vcr", ""))
    result = project.runpytest_subprocess("--block-network", "--allowed-hosts=127.0.0.1")
    result.assert_outcomes(passed=1)
