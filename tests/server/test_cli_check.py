"""``wiretape check``: real clients as commands, the verdict, and the exit code that scripts depend on."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from wiretape_cli.client import ClientRun
from wiretape_cli.main import main

CLIENTS = Path(__file__).parents[1] / "conformance"
RUN_REFERENCE = (
    f"import os, sys; sys.path.insert(0, {str(CLIENTS)!r})\n"
    "from reference_client import *\n"
    "ReferenceClient.from_environment(os.environ).run()\n"
)
REFERENCE = (sys.executable, "-c", RUN_REFERENCE)
ASK_CHALLENGE = (
    "import os, urllib.request as u\n"
    "u.urlopen(os.environ['WIRETAPE_BASE_URL'] + '/backend-api/ios/attestation_challenge').close()\n"
)
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX terminals, pipes and signals")


def broken(rule: str) -> tuple[str, ...]:
    return (sys.executable, str(CLIENTS / "broken.py"), rule)


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def check(*arguments: str, client: tuple[str, ...] = REFERENCE, cassette: str = "alefita_way") -> int:
    return main(["check", "--cassette", cassette, "--pace", "instant", *arguments, "--", *client])


def test_a_conforming_client_exits_0(capfd: pytest.CaptureFixture[str]) -> None:
    assert check() == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("alefita_way: ok (")


def test_a_wrong_client_exits_1_and_is_told_the_rule(capfd: pytest.CaptureFixture[str]) -> None:
    assert check(client=broken("return.recipient-is-all")) == 1
    err = capfd.readouterr().err
    assert "FAIL flow_a.return.recipient-is-all" in err
    assert '  want  "all"\n  got   "alefita_way"\n' in err
    assert "cassette: flow_a/alefita_way.yaml" in err


def test_the_client_gets_all_it_needs_from_its_environment(tmp_path: Path) -> None:
    file = tmp_path / "seen.json"
    code = f"import json, os; json.dump(dict(os.environ), open({str(file)!r}, 'w'))"
    assert check(client=python(code), cassette="handoff") == 3
    seen = json.loads(file.read_text("utf-8"))
    assert seen["WIRETAPE_BASE_URL"].startswith("http://127.0.0.1:")
    assert "/play/" in seen["WIRETAPE_BASE_URL"]
    assert seen["WIRETAPE_CASSETTE"] == "handoff"
    assert seen["WIRETAPE_USER_MESSAGE"]
    tools = json.loads(seen["WIRETAPE_TOOLS"])
    assert {"name", "description", "params", "type"} == set(tools[0])
    assert json.loads(seen["WIRETAPE_TOOL_RESULTS"]).keys() == {"handoff"}


def test_a_result_that_depends_on_the_arguments_is_not_in_the_environment(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code = "import os, sys; sys.exit(os.environ['WIRETAPE_TOOL_RESULTS'])"
    check(client=python(code))
    assert "  | {}\n" in capfd.readouterr().err


def test_a_command_that_cannot_be_started_exits_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert check(client=("wiretape-no-such-program",)) == 2
    assert "there is no program 'wiretape-no-such-program' on PATH" in capfd.readouterr().err


def test_a_client_that_crashes_before_its_first_request_exits_2_with_its_stderr(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert check(client=python("import no_such_module")) == 2
    err = capfd.readouterr().err
    assert "client: ended with exit code 1, without having sent a request" in err
    assert "  | ModuleNotFoundError: No module named 'no_such_module'" in err


def test_a_crash_after_a_request_is_shown_and_the_verdict_counts(capfd: pytest.CaptureFixture[str]) -> None:
    assert check(client=python(ASK_CHALLENGE + "raise SystemExit(9)")) == 3
    assert "client: ended with exit code 9\n" in capfd.readouterr().err
    wrapper = f"import subprocess, sys; subprocess.run({list(REFERENCE)!r}, check=True); sys.exit(7)"
    assert check(client=python(wrapper)) == 0
    assert "client: ended with exit code 7\n" in capfd.readouterr().err


def test_a_client_that_ends_well_without_asking_exits_3(capfd: pytest.CaptureFixture[str]) -> None:
    assert check(client=python("pass")) == 3
    err = capfd.readouterr().err
    assert "not played to its end" in err
    assert "interaction 1" in err


def test_what_a_client_said_is_shown_where_the_session_was_not_played_to_its_end(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code = ASK_CHALLENGE + "import sys; print('I give up'); print('my client: 404', file=sys.stderr)"
    assert check(client=python(code)) == 3
    err = capfd.readouterr().err
    assert "client: the end of its stdout\n  | I give up\n" in err
    assert "client: the end of its stderr\n  | my client: 404\n" in err


def test_the_time_limit_ends_a_client_that_asks_nothing_and_exits_3(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert check("--timeout", "0.5", client=python("import threading; threading.Event().wait()")) == 3
    assert "client: ended at its time limit of 0.5 s; no call was open" in capfd.readouterr().err


@pytest.mark.parametrize(("pace", "pauses"), [("recorded", 0.787), ("x3", 2.361), ("instant", 0.0)])
def test_the_pauses_of_the_pace_come_on_top_of_the_time_limit(
    monkeypatch: pytest.MonkeyPatch, pace: str, pauses: float
) -> None:
    def run(*_: object, timeout: float) -> ClientRun:
        limits.append(timeout)
        return ClientRun(exit_code=0, seconds=timeout, stdout="", stderr="")

    limits: list[float] = []
    monkeypatch.setattr("wiretape_cli.checking.run_client", run)
    check("--timeout", "5", "--pace", pace)
    assert limits == [5.0 + pauses]


def test_a_call_without_a_return_fails_its_rule_and_the_text_says_which_call_is_open(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code = (
        f"import sys, threading; sys.path.insert(0, {str(CLIENTS)!r})\n"
        "import os; from reference_client import *\n"
        "client = ReferenceClient.from_environment(os.environ, Hooks(answers=lambda *_: False))\n"
        "client.run(); print('the end is near', flush=True); threading.Event().wait()\n"
    )
    assert check("--timeout", "3", "--ids", "recorded", client=python(code)) == 1
    err = capfd.readouterr().err
    assert "FAIL flow_a.return.exactly-once" in err
    assert "client: ended at its time limit of 3 s; open, without a return: call " in err
    assert "(alefita_way)" in err.partition("without a return: call ")[2]
    assert "  | the end is near" in err


def test_over_several_cassettes_the_exit_code_is_the_worst(capfd: pytest.CaptureFixture[str]) -> None:
    both = ("--cassette", "plain_answer")
    assert check(*both, client=broken("return.recipient-is-all")) == 1
    err = capfd.readouterr().err
    assert "alefita_way: violations" in err
    assert "plain_answer: ok" in err


def test_without_names_every_bundled_cassette_is_played(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    assert main(["check", "--pace", "instant", "--report", f"json:{file}", "--", *REFERENCE]) == 0
    report = json.loads(file.read_text("ascii"))
    names = [each["name"] for each in report["cassettes"]]
    assert names == sorted(names)
    assert {"alefita_way", "handoff", "plain_answer", "two_calls"} <= set(names)
    assert (report["ok"], report["played"]) == (True, True)


def test_all_and_names_exclude_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    assert check("--all") == 2
    assert "--cassette and --all exclude each other" in capfd.readouterr().err


def test_every_report_is_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kinds = {kind: tmp_path / f"report.{kind}" for kind in ("json", "junit", "md", "html")}
    options = [text for kind, file in kinds.items() for text in ("--report", f"{kind}:{file}")]
    assert check(*options, client=broken("return.recipient-is-all")) == 1
    report = json.loads(kinds["json"].read_text("ascii"))
    assert report["run"]["command"][-1] == "return.recipient-is-all"
    assert report["run"]["clients"][0]["exit_code"] == 0
    failed = [each for each in report["cassettes"][0]["findings"] if each["outcome"] == "fail"]
    assert [each["rule"] for each in failed] == ["flow_a.return.recipient-is-all"]
    assert failed[0].keys() >= {"rule", "level", "outcome", "path", "want", "got", "at", "spec", "hint"}
    suite = ElementTree.parse(kinds["junit"]).getroot()[0]
    assert (suite.get("name"), suite.get("failures")) == ("alefita_way", "1")
    assert "recipient-is-all" in kinds["md"].read_text("utf-8")
    assert "recipient-is-all" in kinds["html"].read_text("utf-8")
    assert "recipient-is-all" in capfd.readouterr().err, "the report is printed too"


@pytest.mark.parametrize(
    ("value", "why"),
    [("pdf:x", "expected json:FILE or junit:FILE"), ("json:", "expected"), ("json:no/folder/x", "no folder")],
)
def test_a_report_that_cannot_be_written_is_refused_before_the_client_runs(
    capfd: pytest.CaptureFixture[str], value: str, why: str
) -> None:
    assert check("--report", value, client=("wiretape-no-such-program",)) == 2
    assert why in capfd.readouterr().err


def test_an_accepted_finding_does_not_fail_and_a_stale_entry_does(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    baseline = tmp_path / "baseline.json"
    entry = {
        "rule": "flow_a.return.recipient-is-all",
        "cassette": "alefita_way",
        "path": "messages[0].recipient",
    }
    baseline.write_text(json.dumps([entry]), encoding="utf-8")
    accepting = ("--baseline", str(baseline))
    assert check(*accepting, client=broken("return.recipient-is-all")) == 0
    capfd.readouterr()
    assert check(*accepting) == 1
    err = capfd.readouterr().err
    stale = "flow_a.return.recipient-is-all at messages[0].recipient in alefita_way"
    assert f"{stale} accepts nothing any more; remove the entry" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--pace", "fast"), "pace is 'fast'"),
        (("--chunks", "2"), "chunks is '2'"),
        (("--ids", "new"), "ids is 'new'"),
        (("--profile", "flow_a=web"), "profile is 'flow_a=web'; give one of flow_a=seed-capture, "),
        (("--profile", "0.98"), "profile is '0.98'; give one of"),
        (("--timeout", "0"), "--timeout"),
        (("--baseline", "no-such-file.json"), "no-such-file.json"),
        (("--cassette", "alefita_wy"), "did you mean alefita_way?"),
    ],
)
def test_a_value_that_means_nothing_is_a_usage_error(
    capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], why: str
) -> None:
    assert check(*arguments) == 2
    assert why in capfd.readouterr().err


def test_a_profile_is_demanded(capfd: pytest.CaptureFixture[str]) -> None:
    assert check("--profile", "seed-capture") == 0
    assert "warning" not in capfd.readouterr().err
    assert check("--profile", "flow_a=app") == 0
    assert "WARN flow_a.return.metadata-profile" in capfd.readouterr().err


def test_without_a_command_the_error_shows_how_it_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--all"]) == 2
    assert "wiretape check -- python client.py" in capfd.readouterr().err


@posix_only
@pytest.mark.parametrize("cassettes", [("plain_answer",), ("plain_answer", "handoff")])
def test_a_terminal_shows_progress_over_many_cassettes(cassettes: tuple[str, ...]) -> None:
    shown = on_a_terminal(
        "check", *(f"--cassette={name}" for name in cassettes), "--pace=instant", "--", *REFERENCE
    )
    assert ("0/2" in shown) is (len(cassettes) == 2)
    for name in cassettes:
        assert re.search(rf"(^|\n|\x1b\[2K)(\x1b\[[0-9;]*m)*{name}: ok", shown), "not on a line of its own"


def on_a_terminal(*arguments: str) -> str:
    """What a run of the command shows where stderr is a terminal."""
    leader, follower = os.openpty()
    command = [sys.executable, "-m", "wiretape_cli", *arguments]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stderr=follower, env=environment) as process:
        os.close(follower)
        pieces: list[bytes] = []
        # Reading a terminal whose other side is closed is an error on Linux and an end elsewhere.
        with contextlib.suppress(OSError):
            while piece := os.read(leader, 65536):
                pieces.append(piece)
        os.close(leader)
        assert process.wait(20) == 0
    return b"".join(pieces).decode()
