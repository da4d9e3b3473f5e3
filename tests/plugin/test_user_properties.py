"""Findings travel with the test's report, as JUnit properties and to other plugins; also when it passes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

TESTS = """
    from client import WRONG_RECIPIENT, ask

    def test_right(wiretape):
        ask(wiretape.play("alefita_way"))

    def test_wrong(wiretape):
        ask(wiretape.play("alefita_way"), **WRONG_RECIPIENT)

    def test_wrong_and_verified(wiretape):
        play = wiretape.play("alefita_way")
        ask(play, **WRONG_RECIPIENT)
        play.verify()

    def test_wrong_and_failed_by_itself(wiretape):
        ask(wiretape.play("alefita_way"), **WRONG_RECIPIENT)
        raise RuntimeError

    def test_without_wiretape():
        pass
"""


def properties(file: Path) -> dict[str, list[tuple[str, str]]]:
    cases = ElementTree.parse(file).iter("testcase")
    return {
        case.get("name", ""): [
            (each.get("name", ""), each.get("value", "")) for each in case.iter("property")
        ]
        for case in cases
    }


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "in a worker"])
def test_junit_has_the_verdict_of_every_play(project: pytest.Pytester, workers: tuple[str, ...]) -> None:
    project.makepyfile(test_it=TESTS)
    file = project.path / "junit.xml"
    run = project.runpytest_subprocess if workers else project.runpytest_inprocess
    run(f"--junit-xml={file}", *workers)
    found = properties(file)
    assert [name for name, _ in found["test_right"]] == ["wiretape"]
    assert found["test_right"][0][1].startswith("alefita_way: ok (")
    assert found["test_without_wiretape"] == []
    for name in ("test_wrong", "test_wrong_and_verified", "test_wrong_and_failed_by_itself"):
        verdict, failure = found[name]
        assert verdict[1].startswith("alefita_way: violations (")
        assert failure[0] == "wiretape.must"
        assert "flow_a.return.recipient-is-all: messages[0].recipient" in failure[1]
        assert 'want "all" got "alefita_way"' in failure[1]
