"""``wiretape fuzz client``: any client, its finds on disk, and how they are shown again."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from wiretape.cassette import load_cassette
from wiretape_cli.exits import Exit
from wiretape_cli.main import main

SCRIPT = Path(__file__).with_name("client_process.py")


def once(fault: str = "") -> list[str]:
    return ["--", sys.executable, str(SCRIPT), "once", fault]


def stays(fault: str = "") -> list[str]:
    return ["--persistent", "--", sys.executable, str(SCRIPT), "stays", fault]


@pytest.fixture
def fuzz(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the verb; gives its exit code, its report, and what it said."""

    def run(*arguments: str, examples: int = 3) -> tuple[int, Any, str]:
        more = ["--max-examples", str(examples), "--corpus", str(tmp_path / "corpus"), "--json"]
        code = main(["fuzz", "client", *more, *arguments])
        said = capsys.readouterr()
        return code, json.loads(said.out) if said.out else None, said.err

    return run


def failed(report: Any) -> set[str]:
    return {kind["kind"] for kind in report["kinds"] if not kind["ok"]}


def again(said: str) -> list[str]:
    """The command that is to show the find again, without ``wiretape`` itself."""
    (line,) = [line for line in said.splitlines() if line.startswith("  again ")]
    program, *arguments = shlex.split(line.removeprefix("  again "))
    assert program == "wiretape"
    return arguments


def test_a_right_client_that_stays_up_draws_no_find(fuzz: Any) -> None:
    code, report, said = fuzz(*stays())
    assert code == Exit.FINE
    assert report["ok"]
    assert report["protocol"] == "flow_a"
    assert {kind["examples"] for kind in report["kinds"]} == {3}
    assert "FAIL" not in said


def test_a_right_client_that_is_run_each_time_draws_no_find(fuzz: Any) -> None:
    code, report, _ = fuzz("--kind", "arguments", *once(), examples=2)
    assert (code, failed(report)) == (Exit.FINE, set())


def test_a_find_is_kept_as_a_cassette_and_a_check_of_it_gives_the_same_verdict(
    fuzz: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report, said = fuzz("--kind", "arguments", *once("an empty argument is none"), examples=20)
    assert code == Exit.VIOLATIONS
    assert failed(report) == {"arguments"}
    assert "FAIL  a call with any text for its argument" in said
    assert "FAIL flow_a.return.result-as-expected" in said
    kept = load_cassette(tmp_path / "corpus" / "finds" / "arguments.yaml")
    assert kept.extensions["x-find"] == {"kind": "arguments", "rule": "flow_a.return.result-as-expected"}
    assert "arguments" in said
    assert "FAIL flow_a.return.result-as-expected\n\nFAIL  a call" in said
    arguments = again(said)
    assert arguments[0] == "check"
    assert report["kinds"][0]["rule"] == "flow_a.return.result-as-expected"
    assert report["kinds"][0]["again"] == shlex.join(["wiretape", *arguments])
    assert main(arguments) == Exit.VIOLATIONS
    assert "FAIL flow_a.return.result-as-expected" in capsys.readouterr().err


def test_a_difference_that_no_rule_forbids_is_shown_again_by_its_pair(
    fuzz: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, said = fuzz("--kind", "tokens", *stays("tells how often it looked"))
    assert code == Exit.VIOLATIONS
    assert "FAIL same-return-in-any-form" in said
    assert "at    returns[1].messages[0].content.text.result.pieces" in said
    assert (tmp_path / "corpus" / "finds" / "tokens.plain.yaml").exists()
    assert main(again(said)) == Exit.VIOLATIONS
    assert "FAIL same-return-in-any-form" in capsys.readouterr().err


def test_a_find_under_a_fault_is_shown_again_with_the_fault(
    fuzz: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, rule = "does not look for [DONE]", "FAIL flow_a.fault.no-return-to-cut-call"
    code, report, said = fuzz("--kind", "cuts", "--seed", "6", *stays(wrong), examples=100)
    assert code == Exit.VIOLATIONS
    assert rule in said
    file = report["kinds"][0]["files"][0]
    (fault,) = load_cassette(Path(file)).extensions["x-find"]["faults"]
    assert f"fault {fault}" in said
    assert main(again(said)) == Exit.VIOLATIONS
    capsys.readouterr()
    assert main(["check", "--cassette", file, "--fault", fault, *once(wrong)]) == Exit.VIOLATIONS
    assert rule in capsys.readouterr().err


def test_a_find_that_is_repaired_is_shown_no_more(fuzz: Any, tmp_path: Path) -> None:
    fuzz("--kind", "arguments", *stays("trims arguments"), examples=60)
    file = tmp_path / "corpus" / "finds" / "arguments.yaml"
    code, _, said = fuzz("--replay", str(file), *stays())
    assert code == Exit.FINE
    assert f"ok    {file}" in said
    assert fuzz("--replay", str(file), *stays("trims arguments"))[0] == Exit.VIOLATIONS


@pytest.mark.parametrize("fault", ["crashes", "hangs"])
def test_a_client_that_ends_or_hangs_is_a_find_and_the_next_session_has_a_new_one(
    fuzz: Any, fault: str
) -> None:
    limits = ("--timeout", "6", "--time", "1")
    code, report, said = fuzz("--kind", "arguments", *limits, *stays(fault), examples=20)
    assert code == Exit.VIOLATIONS
    assert failed(report) == {"arguments"}
    assert "flow_a.return.exactly-once" in said
    assert ("client: the end of its stderr\n  | It said \\x1b[1mwhat?\n" in said) == (fault == "crashes")


def test_the_end_of_a_crashing_clients_stderr_is_shown(fuzz: Any) -> None:
    _, _, said = fuzz("--kind", "arguments", *once("crashes"), examples=20)
    assert "FAIL flow_a.return.exactly-once" in said
    assert "client: the end of its stderr\n  | It said \\x1b[1mwhat?\n" in said


def test_a_run_that_ran_out_of_time_says_that_it_goes_on(fuzz: Any) -> None:
    code, report, said = fuzz("--time", "0", *stays())
    assert code == Exit.FINE
    assert {kind["examples"] for kind in report["kinds"]} == {0}
    assert "goes on from here" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the client's command behind --"),
        (["--", "no-such-program-at-all"], "can't be started"),
        (["--persistent", "--", "no-such-program-at-all"], "can't be started"),
        (["--kind", "no-such-kind", *stays()], "expected one of calls, tools"),
        (["--kind", "calls", *once("silent")], "sent no request in the simplest session"),
        (["--kind", "calls", *stays("silent")], "what --persistent asks of it"),
        (["--kind", "calls", "--", sys.executable, "-c", "1 / 0"], "  | ZeroDivisionError: division by"),
        (["--persistent", "--", sys.executable, "-c", "1 / 0"], "  | ZeroDivisionError: division by"),
        (["--profile", "flow_a=x", *stays()], "x"),
    ],
)
def test_what_can_not_be_attacked_is_refused_in_words(fuzz: Any, arguments: list[str], said: str) -> None:
    code, _, text = fuzz(*arguments)
    assert code == Exit.SETUP
    assert said in text


BROKEN_CODEX = Path(__file__).parents[1] / "conformance" / "codex_broken.py"
CLIENTS = Path(__file__).parents[1] / "examples" / "clients"


def test_a_client_of_the_app_server_is_attacked_with_its_own_kinds(fuzz: Any) -> None:
    client = ["--", sys.executable, str(CLIENTS / "codex_client.py")]
    code, report, _ = fuzz("--protocol", "codex", "--kind", "steps", *client, examples=2)
    assert (code, failed(report)) == (Exit.FINE, set())
    assert [kind["kind"] for kind in report["kinds"]] == ["steps"]


def test_a_find_against_the_app_server_tells_what_its_model_did(
    fuzz: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = [str(BROKEN_CODEX), "response.success-boolean"]
    code, report, said = fuzz("--protocol", "codex", "--kind", "steps", "--", sys.executable, *broken)
    assert code == Exit.VIOLATIONS
    assert report["kinds"][0]["rule"] == "codex.response.success-boolean"
    assert '  | calls demo_echo with {"text":"hi"}\n  model step 2\n  | says "Done."' in said
    assert main(again(said)) == Exit.VIOLATIONS
    assert "FAIL codex.response.success-boolean" in capsys.readouterr().err


def test_the_example_of_a_client_that_stays_up_draws_no_find(fuzz: Any) -> None:
    code, report, said = fuzz("--persistent", "--", sys.executable, str(CLIENTS / "flow_a_persistent.py"))
    assert (code, failed(report)) == (Exit.FINE, set()), said
