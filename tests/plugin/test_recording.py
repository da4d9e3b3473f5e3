"""Record modes: when a test's own cassette is made, played and replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugin.conftest import run
from wiretape import load_cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

CODE = """
MESSAGE = {message!r}
TOOLS = {tools!r}

def session(play):
    play.user_message, play.tools = MESSAGE, TOOLS
    return ask(play)

def test_it(wiretape):
    session(wiretape.play())
"""
TWICE = """
def test_twice(wiretape):
    session(wiretape.play())
    session(wiretape.play())
"""


@pytest.fixture
def backend() -> Iterator[Playback]:
    """A real backend, as far as a test can tell."""
    with ServerThread() as server:
        yield server.play(load_cassette("alefita_way"), PlayOptions(pace="instant"))


def code(backend: Playback, more: str = "") -> str:
    return CODE.format(message=backend.user_message, tools=backend.tools) + more


def asked(backend: Playback) -> int:
    """How many requests the backend has had."""
    return len([each for each in backend.transcript().entries if type(each).__name__ == "Request"])


def recorded(project: pytest.Pytester, name: str = "test_it") -> Path:
    return project.path / "cassettes" / "test_it" / f"{name}.yaml"


def test_a_test_records_its_cassette_once_and_then_plays_it(
    project: pytest.Pytester, backend: Playback
) -> None:
    mode = "--wiretape-record=once", f"--wiretape-upstream={backend.base_url}"
    result = run(project, code(backend), *mode)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*wiretape recordings*", f"*{recorded(project)} is new"])
    assert load_cassette(recorded(project)).expect.results == {"alefita_way": "echo"}
    assert not list(recorded(project).parent.glob("*.partial"))
    before = asked(backend)
    for arguments in (mode, ()):
        again = run(project, code(backend), *arguments)
        again.assert_outcomes(passed=1)
        again.stdout.no_fnmatch_line("*wiretape recordings*")
    assert asked(backend) == before


def test_what_a_recording_tells_stands_in_for_what_the_test_knew(
    project: pytest.Pytester, backend: Playback
) -> None:
    run(project, code(backend), "--wiretape-record=all", f"--wiretape-upstream={backend.base_url}")
    run(project, "def test_it(wiretape): ask(wiretape.play())").assert_outcomes(passed=1)
    marked = "@pytest.mark.wiretape\ndef test_it(wiretape_playback): ask(wiretape_playback)"
    run(project, marked).assert_outcomes(passed=1)


def test_without_a_mode_nothing_is_recorded(project: pytest.Pytester, backend: Playback) -> None:
    result = run(project, code(backend), f"--wiretape-upstream={backend.base_url}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_it.yaml does not exist. Record it: pytest --wiretape-record=*"])
    assert asked(backend) == 0
    assert not recorded(project).parent.exists()


def test_a_second_play_is_an_episode_of_its_own(project: pytest.Pytester, backend: Playback) -> None:
    upstream = f"--wiretape-upstream={backend.base_url}"
    run(project, code(backend, TWICE), "--wiretape-record=once", upstream).assert_outcomes(passed=2)
    first, second = recorded(project, "test_twice"), recorded(project, "test_twice-2")
    kept = first.read_bytes()
    second.unlink()
    refused = run(project, code(backend, TWICE), "--wiretape-record=once", upstream)
    refused.assert_outcomes(passed=1, failed=1)
    refused.stdout.fnmatch_lines(["*test_twice-2.yaml does not exist (mode once: another cassette*"])
    result = run(project, code(backend, TWICE), "--wiretape-record=new_episodes", upstream)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"*{second} is new"])
    assert first.read_bytes() == kept


def test_tests_of_the_same_name_do_not_replace_each_others_cassette(
    project: pytest.Pytester, backend: Playback
) -> None:
    for folder in ("one", "other"):
        project.mkdir(folder).joinpath("test_it.py").write_text(
            "from client import ask\n" + code(backend), encoding="utf-8"
        )
    mode = "--wiretape-record=all", f"--wiretape-upstream={backend.base_url}"
    result = project.runpytest_inprocess("--import-mode=importlib", "-o", "pythonpath=.", *mode)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"*{recorded(project)} is the own cassette of one/test_it.py::test_it too*"])


def test_all_records_again_and_rewrite_says_what_is_different(
    project: pytest.Pytester, backend: Playback
) -> None:
    upstream = f"--wiretape-upstream={backend.base_url}"
    run(project, code(backend), "--wiretape-record=once", upstream)
    kept = recorded(project).read_bytes()
    same = run(project, code(backend), "--wiretape-record=rewrite", upstream)
    same.assert_outcomes(passed=1)
    same.stdout.fnmatch_lines([f"*{recorded(project)} is replaced: nothing is different but ids and times"])
    assert recorded(project).read_bytes() != kept
    shorter = code(backend).replace("in which film", "where")
    other = run(project, shorter, "--wiretape-record=all", upstream)
    other.stdout.fnmatch_lines(["*is replaced: ", "*changed*in which film*→*where did Mickey*"])
    assert b"where did Mickey" in recorded(project).read_bytes()


def test_a_test_that_fails_records_nothing(project: pytest.Pytester, backend: Playback) -> None:
    failing = code(backend).replace("session(wiretape.play())", "session(wiretape.play()); assert False")
    result = run(project, failing, "--wiretape-record=once", f"--wiretape-upstream={backend.base_url}")
    result.assert_outcomes(failed=1)
    assert asked(backend)
    assert not list(recorded(project).parent.iterdir())


def test_a_client_that_breaks_a_rule_is_caught_while_it_is_recorded_and_nothing_is_saved(
    project: pytest.Pytester, backend: Playback
) -> None:
    wrong = code(backend).replace("return ask(play)", "return ask(play, **WRONG_RECIPIENT)")
    result = run(project, wrong, "--wiretape-record=once", f"--wiretape-upstream={backend.base_url}")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*FAIL flow_a.return.recipient-is-all*"])
    assert not list(recorded(project).parent.iterdir())


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (b"format: [", "*mend it, or remove it to record it anew*"),
        (
            Path(load_cassette("codex/dynamic_tool_text").source).read_bytes(),
            "*test_it.yaml holds codex, and tests record flow_a: remove it*",
        ),
    ],
    ids=["broken", "codex"],
)
def test_a_file_that_can_not_be_compared_is_not_replaced(
    project: pytest.Pytester, backend: Playback, there: bytes, said: str
) -> None:
    recorded(project).parent.mkdir(parents=True)
    recorded(project).write_bytes(there)
    mode = "--wiretape-record=rewrite", f"--wiretape-upstream={backend.base_url}"
    result = run(project, code(backend), *mode)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*harness/wiretape/*")
    assert recorded(project).read_bytes() == there
    assert asked(backend) == 0


def test_a_client_that_never_asks_records_nothing_and_fails(
    project: pytest.Pytester, backend: Playback
) -> None:
    silent = "def test_it(wiretape): wiretape.play()"
    result = run(project, silent, "--wiretape-record=once", f"--wiretape-upstream={backend.base_url}")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*nothing was recorded: of 0 requests*"])
    assert not list(recorded(project).parent.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--wiretape-record=sometimes",),
            "*record is 'sometimes'; give none, once, new_episodes, all, rewrite*",
        ),
        (
            ("--wiretape-record=once",),
            "*recording needs the address of a real backend: --wiretape-upstream=URL*",
        ),
        (("--wiretape-record=once", "--wiretape-upstream=backend"), "*expected an upstream such as*"),
    ],
)
def test_an_option_without_meaning_fails_the_test(
    project: pytest.Pytester, arguments: tuple[str, ...], said: str
) -> None:
    result = run(project, "def test_it(wiretape): wiretape.play()", *arguments)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])


def test_rules_of_the_users_own_hold_too(project: pytest.Pytester, backend: Playback) -> None:
    (project.path / "mine.yaml").write_text("values: [Mickey Mouse]\n")
    mode = "--wiretape-record=all", f"--wiretape-upstream={backend.base_url}"
    run(project, code(backend), *mode, "--wiretape-redact=mine.yaml").assert_outcomes(passed=1)
    assert b"Mickey Mouse" not in recorded(project).read_bytes()
    run(project, code(backend), *mode).assert_outcomes(passed=1)
    assert b"Mickey Mouse" in recorded(project).read_bytes()
    refused = run(project, code(backend), *mode, "--wiretape-redact=none.yaml")
    refused.assert_outcomes(failed=1)
    refused.stdout.fnmatch_lines(["*none.yaml: expected a readable YAML file*"])


def test_only_one_process_writes_a_cassette(project: pytest.Pytester, backend: Playback) -> None:
    recorded(project).parent.mkdir(parents=True)
    partial = recorded(project).with_name("test_it.yaml.partial")
    partial.write_text("theirs")
    result = run(project, code(backend), "--wiretape-record=once", f"--wiretape-upstream={backend.base_url}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_it.yaml.partial exists: another process is recording this test*"])
    assert partial.read_text() == "theirs"


def test_workers_record_and_the_summary_says_what(project: pytest.Pytester, backend: Playback) -> None:
    project.makepyfile(test_it="from client import ask\n\n" + code(backend, TWICE))
    result = project.runpytest_subprocess(
        "-p",
        "no:cacheprovider",
        "-n",
        "2",
        "--wiretape-record=once",
        f"--wiretape-upstream={backend.base_url}",
    )
    result.assert_outcomes(passed=2)
    names = sorted(path.name for path in recorded(project).parent.iterdir())
    assert names == ["test_it.yaml", "test_twice-2.yaml", "test_twice.yaml"]
    result.stdout.fnmatch_lines(["*wiretape recordings*", "*test_it.yaml is new"])


def test_the_name_of_a_cassette_is_one_that_every_system_takes(
    project: pytest.Pytester, backend: Playback
) -> None:
    classes = """
class TestInside:
    @pytest.mark.parametrize("name", ["a/b:c", "d"])
    def test_deep(self, wiretape, name):
        session(wiretape.play())
"""
    upstream = f"--wiretape-upstream={backend.base_url}"
    run(project, code(backend, classes), "--wiretape-record=once", upstream).assert_outcomes(passed=3)
    names = sorted(path.name for path in recorded(project).parent.iterdir())
    assert names == ["TestInside.test_deep[a-b-c].yaml", "TestInside.test_deep[d].yaml", "test_it.yaml"]
