"""``--wiretape-report``: the verdicts of a whole test run as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import INI, run
from tests.schemas import complaint

TESTS = """
def test_right(wiretape):
    ask(wiretape.play("plain_answer"))

@pytest.mark.parametrize("way", [1])
def test_wrong(wiretape, way):
    ask(wiretape.play("alefita_way"), **WRONG_RECIPIENT)

def test_without_a_play():
    pass
"""


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WIRETAPE_REPORT", raising=False)


def read(file: Path) -> Any:
    whole = json.loads(file.read_text("ascii"))
    assert complaint("report", whole) is None
    return whole


def seen(whole: Any) -> list[tuple[str, str, bool]]:
    return [(each["name"], each["test"], each["ok"]) for each in whole["cassettes"]]


VERDICTS = [
    ("plain_answer", "test_it.py::test_right", True),
    ("alefita_way", "test_it.py::test_wrong[1]", False),
]


def test_a_report_holds_every_verdict_with_its_test_and_how_to_run_it_again(
    project: pytest.Pytester,
) -> None:
    run(project, TESTS, "--wiretape-report=json:r.json", "--wiretape-chunks=event")
    whole = read(project.path / "r.json")
    assert seen(whole) == VERDICTS
    wrong = whole["cassettes"][1]
    assert wrong["reproduce"] == "pytest --wiretape-chunks=event 'test_it.py::test_wrong[1]'"
    assert wrong["line"] == 8
    assert [each["name"] for each in whole["run"]["cassettes"]] == ["plain_answer", "alefita_way"]
    assert whole["run"]["command"][0] == "pytest"
    assert (whole["run"]["pace"], whole["run"]["chunks"]) == ("instant", "event")


def test_a_report_tells_how_each_session_was_played(project: pytest.Pytester) -> None:
    code = """
@pytest.mark.wiretape("plain_answer", pace="x0.1", faults=["delay@event:2"])
def test_it(wiretape_playback):
    ask(wiretape_playback)
"""
    run(project, code, "--wiretape-report=json:r.json", "--wiretape-strict", "--wiretape-seed=7")
    whole = read(project.path / "r.json")
    (session,) = whole["cassettes"]
    assert (session["pace"], session["faults"]) == ("x0.1", ["delay@event:2"])
    assert (whole["run"]["strict"], whole["run"]["seed"]) == (True, "7")


def test_faults_of_the_whole_run_are_told(project: pytest.Pytester) -> None:
    run(project, TESTS, "--wiretape-report=json:r.json", "--wiretape-faults=delay@event:2 delay@event:3")
    whole = read(project.path / "r.json")
    assert whole["run"]["faults"] == ["delay@event:2", "delay@event:3"]
    assert "'--wiretape-faults=delay@event:2 delay@event:3'" in whole["cassettes"][0]["reproduce"]


def test_what_the_environment_asks_for_is_in_the_line_that_runs_it_again(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIRETAPE_FAULTS", "delay@event:2")
    run(project, TESTS, "--wiretape-report=json:r.json")
    again = read(project.path / "r.json")["cassettes"][0]["reproduce"]
    assert again == "pytest --wiretape-faults=delay@event:2 test_it.py::test_right"


def test_a_failed_test_shows_no_secret_of_the_session(project: pytest.Pytester) -> None:
    code = """
TOKEN = "Zr8qLw" + "3nTf6Yh2Vb9KxPd5Mc"

def test_it(wiretape):
    play = wiretape.play("alefita_way")
    ask(play, returned=lambda message, _: message.update(recipient=TOKEN, metadata={"api_key": TOKEN}))
    play.verify()
"""
    result = run(project, code, "--tb=short")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*want  "all"*', '*got   "hidden-*'])
    result.stdout.no_fnmatch_line("*Zr8qLw3nTf6Yh2Vb9KxPd5Mc*")


def test_a_secret_in_the_command_line_is_not_told(project: pytest.Pytester) -> None:
    run(project, TESTS, "--wiretape-report=json:r.json", "-o", "api_key=Zr8qLw3nTf6Yh2Vb9KxPd5Mc")
    assert "Zr8qLw3n" not in (project.path / "r.json").read_text("ascii")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_report_that_does_not_fit_on_the_disk_fails_the_run_with_a_sentence(
    project: pytest.Pytester,
) -> None:
    right = "def test_right(wiretape):\n    ask(wiretape.play('plain_answer'))\n"
    result = run(project, right, "--wiretape-report=html:/dev/full")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["wiretape: no report was written: /dev/full: No space left on device"])
    result.stdout.no_fnmatch_line("*Traceback*")


ON_THE_SERVER = """
def test_many(wiretape_server):
    for hooks in ({}, WRONG_RECIPIENT, {"returned": lambda message, _: message.update(recipient="last")}, {}):
        with pytest.raises(BaseException) if hooks else nullcontext():
            with wiretape_server.play("alefita_way") as play:
                ask(play, **hooks)
    for _ in range(2):
        with wiretape_server.play("plain_answer") as play:
            ask(play)
    with suppress(LookupError), wiretape_server.play("handoff"):
        raise LookupError

def test_without_a_play():
    pass

@pytest.fixture(scope="module")
def play(wiretape_server):
    with wiretape_server.play("plain_answer") as play:
        yield play

def test_of_a_module(play):
    ask(play)
"""


@pytest.mark.parametrize("workers", [(), ("-n2", "--dist=loadfile")], ids=["here", "workers"])
def test_plays_on_the_server_are_in_the_report_one_for_each_test_and_cassette(
    project: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    imports = "from contextlib import nullcontext, suppress\nfrom client import WRONG_RECIPIENT, ask\n"
    project.makepyfile(test_it=f"{imports}import pytest\n{ON_THE_SERVER}")
    report = "--wiretape-report=json:r.json"
    project.runpytest_subprocess("-p", "no:cacheprovider", report, *workers).assert_outcomes(passed=3)
    whole = read(project.path / "r.json")
    assert seen(whole) == [
        ("alefita_way", "test_it.py::test_many", False),
        ("plain_answer", "test_it.py::test_many", True),
        ("plain_answer", "test_it.py::test_of_a_module", True),
    ]
    (wrong,) = [each for each in whole["cassettes"][0]["findings"] if each["outcome"] == "fail"]
    assert wrong["got"] == "last"
    assert whole["cassettes"][0]["line"] == 5


def test_workers_bring_their_verdicts_together(project: pytest.Pytester) -> None:
    project.makepyfile(test_it="from client import WRONG_RECIPIENT, ask\nimport pytest\n\n" + TESTS)
    project.runpytest_subprocess("-p", "no:cacheprovider", "-n2", "--wiretape-report=json:r.json")
    assert seen(read(project.path / "r.json")) == VERDICTS


def test_several_reports_are_written_and_annotations_stand_on_lines_of_their_own(
    project: pytest.Pytester,
) -> None:
    result = run(project, TESTS, "--wiretape-report=html:r.html", "--wiretape-report=github", "-q")
    result.stdout.fnmatch_lines(["::error file=test_it.py,line=8,title=flow_a.return.recipient-is-all*"])
    assert "flow_a.return.recipient-is-all" in (project.path / "r.html").read_text("utf-8")


def test_a_run_that_shows_nothing_shows_no_annotations(project: pytest.Pytester) -> None:
    result = run(project, TESTS, "--wiretape-report=github", "-p", "no:terminal")
    assert not result.outlines


@pytest.mark.parametrize("first", ["command line", "environment", "ini"])
def test_the_first_level_that_asks_for_reports_wins(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """``first`` and all below it ask for a report; the others' are not written."""
    levels = ["command line", "environment", "ini"]
    asked = levels[levels.index(first) :]
    if "environment" in asked:
        monkeypatch.setenv("WIRETAPE_REPORT", "json:environment text:environment.txt")
    if "ini" in asked:
        project.makeini(INI + "wiretape_report = json:ini text:ini.txt\n")
    said = ["--wiretape-report=json:command line"] if "command line" in asked else []
    run(project, TESTS, *said)
    assert [name for name in levels if (project.path / name).exists()] == [first]
    assert (project.path / f"{first}.txt").exists() == (first != "command line")


@pytest.mark.parametrize("text", ["pdf:r.pdf", "json", "json:no/such/folder/r.json"])
def test_a_report_that_can_not_be_written_is_refused_before_any_test_runs(
    project: pytest.Pytester, text: str
) -> None:
    result = run(project, TESTS, f"--wiretape-report={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --wiretape-report: *"])


def test_nothing_is_written_that_nobody_asked_for(project: pytest.Pytester) -> None:
    before = set(project.path.iterdir())
    run(project, "def test_it(): pass\n")
    assert {each.name for each in set(project.path.iterdir()) - before} <= {"test_it.py", "__pycache__"}
