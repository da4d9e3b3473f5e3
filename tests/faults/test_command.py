"""--fault, --faults and --dry-run on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conformance.playing import CLIENTS
from wiretape_cli.client import ClientRun
from wiretape_cli.main import main

CLIENT = [sys.executable, str(CLIENTS / "flow_a_client.py")]
ALEFITA = ["--cassette", "alefita_way"]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("verb", [["check", *ALEFITA], ["serve", "alefita_way"]])
def test_a_dry_run_lists_what_would_be_hit_and_runs_nothing(
    verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, *verb, "--fault", "drop@event:1", "--fault", "429@request:6", "--dry-run")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        'drop@event:1  alefita_way: interaction 1, event 1, bytes 1 to 34: event: delta_encoding data: "v1"',
        'drop@event:1  alefita_way: interaction 2, event 1, bytes 1 to 34: event: delta_encoding data: "v1"',
        "429@request:6  alefita_way: interaction 2, request 6: POST /backend-api/f/conversation",
    ]


@pytest.mark.parametrize("more", [["--dry-run"], ["--", "true"]])
@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("cut@event:99", "hits nothing in alefita_way, where no answer has more than 17 events"),
        ("cutt@event:5", "there is no kind 'cutt'; did you mean cut? It takes cut@event:N or cut@type:NAME"),
        ("eof@event:5", "eof is a fault of codex, and alefita_way is flow_a"),
    ],
)
def test_a_fault_that_is_none_here_ends_with_code_2(
    fault: str, text: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, "check", *ALEFITA, "--fault", fault, *more)
    assert (code, out) == (2, "")
    assert text in err


def test_of_all_cassettes_those_stay_in_which_it_hits_something(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "check", "--fault", "cut@event:16", "--dry-run")
    assert code == 0
    assert "cut@event:16  alefita_way: interaction 2, event 16" in out
    assert "two_calls: left out: fault cut@event:16 hits nothing in two_calls" in err
    assert "two_calls" not in out


def test_a_fault_that_hits_nothing_anywhere_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "check", "--fault", "cut@event:999", "--dry-run")
    assert code == 2
    assert "hits nothing" in err.splitlines()[-1]


def test_a_dry_run_needs_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "check", "--dry-run")
    assert (code, "name some with --fault or --faults" in err) == (2, True)


def test_faults_can_stand_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("- drop@event:1\n- {kind: 429, at: request:6}\n")
    code, out, _ = said(
        capsys, "check", *ALEFITA, "--faults", str(file), "--fault", "cut@event:2", "--dry-run"
    )
    assert code == 0
    assert [line.partition(" ")[0] for line in out.splitlines()] == [
        *("cut@event:2", "cut@event:2", "drop@event:1", "drop@event:1", "429@request:6")
    ]


def test_a_file_that_means_nothing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("- cat@event:1\n")
    code, _, err = said(capsys, "check", *ALEFITA, "--faults", str(file), "--dry-run")
    assert code == 2
    assert f"{file}: entry 1: fault 'cat@event:1': there is no kind 'cat'" in err


def test_nobody_knows_beforehand_what_an_adaptive_scenario_says(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "check", "--cassette", "auto", "--fault", "cut@event:5", "--dry-run")
    assert (code, out) == (0, "")
    assert "nobody knows yet what it will be" in err


def test_a_client_is_checked_under_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    arguments = [
        "check",
        *ALEFITA,
        "--pace",
        "instant",
        "--fault",
        "cut@event:5",
        "--report",
        f"json:{report}",
    ]
    code, _, err = said(capsys, *arguments, "--", *CLIENT)
    assert code == 0, err
    assert "alefita_way: ok" in err
    assert "client: ended with exit code 1" in err
    (checked,) = json.loads(report.read_bytes())["cassettes"]
    because = {each["rule"]: each.get("because") for each in checked["findings"]}
    assert because["flow_a.return.exactly-once"] == "the fault cut@event:5"


def test_pauses_come_on_top_of_the_time_limit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object, timeout: float) -> ClientRun:
        limits.append(timeout)
        return ClientRun(exit_code=None, seconds=timeout, stdout="", stderr="")

    limits: list[float] = []
    monkeypatch.setattr("wiretape_cli.checking.run_client", run)
    instant = ("--pace", "instant")
    arguments = ["check", *ALEFITA, "--fault", "delay@event:3", "--timeout", "5", *instant]
    _, _, err = said(capsys, *arguments, "--", *CLIENT)
    answers = 2
    assert limits == [5.0 + answers]
    assert "client: ended at its time limit of 5 s, on top of 2 s of pauses; " in err
    said(capsys, *arguments[:3], "--cassette", "auto", *arguments[3:], "--", *CLIENT)
    assert limits[1:] == [7.0, 5.0]
