"""Reports of real runs: ``check``, ``verify`` and ``report``, and a baseline that is brought up to date."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.schemas import complaint
from wiretape.cassette.model import Cassette, Provenance
from wiretape_cli import rerun
from wiretape_cli.main import main
from wiretape_server.options import PlayOptions

CLIENTS = Path(__file__).parents[1] / "conformance"
RECIPIENT = "return.recipient-is-all"


def broken(rule: str) -> tuple[str, ...]:
    return (sys.executable, str(CLIENTS / "broken.py"), rule)


RUN_REFERENCE = (
    f"import os, sys; sys.path.insert(0, {str(CLIENTS)!r})\n"
    "from reference_client import *\n"
    "ReferenceClient.from_environment(os.environ).run()\n"
)
REFERENCE = (sys.executable, "-c", RUN_REFERENCE)


def check(
    *arguments: str, client: tuple[str, ...] = REFERENCE, cassettes: tuple[str, ...] = ("alefita_way",)
) -> int:
    named = [word for name in cassettes for word in ("--cassette", name)]
    return main(["check", *named, "--pace", "instant", *arguments, "--", *client])


def read(file: Path) -> Any:
    whole = json.loads(file.read_text("ascii"))
    assert complaint("report", whole) is None
    return whole


@pytest.mark.parametrize("protocol", ["flow_a", "codex"])
def test_a_client_that_cannot_be_started_leaves_a_report_of_sessions_that_were_not_played(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], protocol: str
) -> None:
    name = {"flow_a": "handoff", "codex": "codex/auth_refresh"}[protocol]
    kinds = ("json", "junit", "html", "md", "badge")
    targets = [word for kind in kinds for word in ("--report", f"{kind}:{tmp_path / kind}")]
    client = ("wiretape-no-such-program", "--api-key", "sk-AbC123dEf456GhI789")
    said = (*targets, "--report", "github", "--protocol", protocol)
    assert check(*said, client=client, cassettes=(name, "auto")) == 2
    whole = read(tmp_path / "json")
    why = "the command can't be started: there is no program 'wiretape-no-such-program' on PATH"
    assert not whole["played"]
    assert [(each["name"], each["errors"]) for each in whole["cassettes"]] == [(name, [why]), ("auto", [why])]
    assert {each["outcome"] for one in whole["cassettes"] for each in one["findings"]} == {"not_observed"}
    assert whole["run"]["clients"] == []
    assert "0/2 sessions" in (tmp_path / "badge").read_text("utf-8")
    for kind in kinds:
        assert "AbC123dEf456" not in (tmp_path / kind).read_text("utf-8")
    out, err = capfd.readouterr()
    assert [line.partition("title=")[2].partition("::")[0] for line in out.splitlines()] == [
        f"not played to its end%3A {each}" for each in (name, "auto")
    ]
    assert why in err


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_what_was_judged_before_a_client_could_not_be_started_stays_in_the_report(tmp_path: Path) -> None:
    client = tmp_path / "client"
    text = f"#!{sys.executable}\nimport os\nos.unlink({str(client)!r})\n{RUN_REFERENCE}"
    client.write_text(text, encoding="utf-8")
    client.chmod(0o755)
    report = ("--report", f"json:{tmp_path / 'r'}")
    assert check(*report, client=(str(client),), cassettes=("handoff", "plain_answer")) == 2
    whole = read(tmp_path / "r")
    assert [(each["name"], each["played"]) for each in whole["cassettes"]] == [
        ("handoff", True),
        ("plain_answer", False),
    ]
    assert [each["cassette"] for each in whole["run"]["clients"]] == ["handoff"]


# --- what a report holds


def test_a_report_tells_how_it_came_about(tmp_path: Path) -> None:
    client = broken(RECIPIENT)
    check("--chunks", "random:7", "--report", f"json:{tmp_path / 'r'}", client=client)
    whole = read(tmp_path / "r")
    run = whole["run"]
    assert run["command"] == list(client)
    assert (run["pace"], run["chunks"], run["faults"]) == ("instant", "random:7", [])
    assert [each["name"] for each in run["sources"]] == ["flow-a-tool-protocol"]
    assert [each["name"] for each in run["cassettes"]] == ["alefita_way"]
    (cassette,) = whole["cassettes"]
    assert cassette["source"] == "flow_a/alefita_way.yaml"
    assert cassette["behavior"] == "violated"
    assert cassette["ending"]["streams"] == {"complete": 2}
    assert [each["place"] for each in cassette["streams"]] == [
        "answer to request 3",
        "answer to request 6",
    ]
    assert 0.8 < whole["coverage"]["must"]["share"] < 1


def test_what_a_report_says_to_run_again_goes_wrong_again(tmp_path: Path) -> None:
    import shlex

    check("--strict", "--report", f"json:{tmp_path / 'r'}", client=broken(RECIPIENT))
    again = shlex.split(read(tmp_path / "r")["cassettes"][0]["reproduce"])
    assert again[0] == "wiretape"
    assert main(again[1:]) == 1


CHANGES = re.compile(
    r'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9]{9,}\.?[0-9]*|"(?:played_ms|seconds)": [0-9.e-]+'
)
"""What two runs may differ in: ids and times."""


@pytest.mark.parametrize("rule", ["", RECIPIENT, "return.result-as-expected", "return.no-extra-fields"])
def test_two_runs_of_the_same_differ_in_nothing_but_times_and_ids(tmp_path: Path, rule: str) -> None:
    # The time that a client writes has more or fewer digits, and moves what stands behind it.
    run_broken = f"import runpy; runpy.run_path({broken(rule)[1]!r}, run_name='__main__')"
    clock = f"import sys, time; time.time = lambda: 1796069664.25; sys.argv[1:] = [{rule!r}]\n"
    code = clock + (run_broken if rule else RUN_REFERENCE)
    both = []
    for name in ("first", "second"):
        options = ("--report", f"json:{tmp_path / name}", "--ids", "recorded")
        assert (
            check(*options, client=(sys.executable, "-c", code), cassettes=("alefita_way", "two_calls")) < 2
        )
        both.append(CHANGES.sub("…", json.dumps(read(tmp_path / name), indent=1)))
    assert both[0] == both[1]


def test_a_secret_of_the_command_and_of_the_wire_is_in_no_report(tmp_path: Path) -> None:
    secret = "sk-proj-" + "Ab3dEf9hIjKlMn0pQrStUvWx" * 2
    kinds = ("json", "junit", "html", "md", "github", "text")
    targets = [word for kind in kinds for word in ("--report", f"{kind}:{tmp_path / kind}")]
    code = RUN_REFERENCE.replace(
        "from_environment(os.environ)",
        f"from_environment(os.environ, Hooks(returned=lambda m, _: m.update(recipient={secret!r})))",
    )
    assert check(*targets, client=(sys.executable, "-c", code)) == 1
    for kind in kinds:
        text = (tmp_path / kind).read_text("utf-8")
        assert "recipient" in text
        assert secret not in text


# --- annotations, verify, report


def test_annotations_go_to_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    assert check("--report", "github", client=broken(RECIPIENT)) == 1
    (line,) = capfd.readouterr().out.splitlines()
    assert line.startswith("::error file=flow_a/alefita_way.yaml,title=flow_a.return.recipient-is-all in")


def test_a_right_client_has_no_annotations(capfd: pytest.CaptureFixture[str]) -> None:
    assert check("--report", "github") == 0
    assert capfd.readouterr().out == ""


def test_verify_reports_a_cassette_with_what_was_recorded(tmp_path: Path) -> None:
    cassette = Path(__file__).parents[2] / "cassettes" / "flow_a" / "alefita_way.yaml"
    assert main(["verify", str(cassette), "--report", f"json:{tmp_path / 'r'}"]) in (0, 1)
    whole = read(tmp_path / "r")
    assert whole["run"]["files"] == [str(cassette)]
    assert whole["cassettes"][0]["reproduce"] == f"wiretape verify {cassette}"
    points = whole["cassettes"][0]["streams"][0]["points"]
    assert {each["recorded_ms"] is None for each in points} != {each["played_ms"] is None for each in points}


def test_reports_of_several_clients_become_one_page(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    check("--report", f"json:{right}")
    check("--report", f"json:{wrong}", client=broken(RECIPIENT))
    page = tmp_path / "page.html"
    assert main(["report", str(right), str(wrong), "--report", f"html:{page}"]) == 1
    text = page.read_text("utf-8")
    assert "right: PASS, no rule broken; wrong: FAIL, flow_a.return.recipient-is-all" in text
    capfd.readouterr()
    assert main(["report", str(right)]) == 0
    assert capfd.readouterr().out.startswith("1 session as the protocol demands.")


def test_reports_of_the_same_name_are_told_apart_by_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = [str(Path(client, "report.json")) for client in ("node", "python")]
    for file in files:
        Path(file).parent.mkdir()
        check("--report", f"json:{file}")
    assert main(["report", *files]) == 0
    assert {"node/report", "python/report"} <= {*capfd.readouterr().out.splitlines()}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "this is no JSON"),
        ("[]", "is not of type 'object'"),
        ('{"ok": true, "played": true, "run": {}, "cassettes": []}', "without coverage"),
        ('{"ok": true, "played": true, "run": {}, "cassettes": [], "coverage": {}}', "at \\$"),
    ],
)
def test_what_is_no_report_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    file = tmp_path / "r.json"
    file.write_text(text, encoding="utf-8")
    assert main(["report", str(file)]) == 2
    said = capsys.readouterr().err
    assert str(file) in said
    assert re.search(why, said)


def test_a_report_verb_makes_no_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "r.json"
    check("--report", f"json:{file}", client=(sys.executable, "-c", "pass"))
    assert main(["report", str(file), "--report", f"json:{file}2"]) == 2
    assert "ask for another kind" in capsys.readouterr().err
    assert main(["report", str(file)]) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (PlayOptions(), ""),
        (PlayOptions(pace="instant", strict=True), "--pace instant --strict "),
        (
            PlayOptions.parse(faults=["cut@event:3", "delay@event:*"], seed=7),
            "--fault cut@event:3 --fault 'delay@event:*' --seed 7 ",
        ),
    ],
)
def test_the_line_to_run_again_has_the_options_that_are_no_defaults(options: PlayOptions, said: str) -> None:
    tape = Cassette(protocol="flow_a", provenance=Provenance(kind="synthetic"), name="my tape")
    line = rerun.check(tape, options, 30, ["node", "my client.mjs"])
    assert line == f"wiretape check --cassette 'my tape' {said}-- node 'my client.mjs'"


def test_a_session_that_is_made_up_for_the_other_protocol_is_made_up_for_it_again() -> None:
    auto = Cassette(protocol="codex", provenance=Provenance(kind="synthetic"), name="auto")
    line = rerun.check(auto, PlayOptions(), 5, ["client"])
    assert line == "wiretape check --cassette auto --protocol codex --timeout 5 -- client"


def test_two_things_do_not_go_to_stdout_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", __file__, "--json", "--report", "github"]) == 2
    assert "both go to stdout" in capsys.readouterr().err


# --- the baseline


def test_an_updated_baseline_shows_its_difference_and_accepts_what_is_violated(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "baseline.json"
    update = ("--baseline", str(file), "--update-baseline")
    assert check(*update, client=broken(RECIPIENT)) == 0
    err = capfd.readouterr().err
    assert "+ flow_a.return.recipient-is-all at messages[0].recipient in alefita_way\n" in err
    assert "accepts 1 findings, 1 of them new; 0 are gone" in err
    assert check("--baseline", str(file), client=broken(RECIPIENT)) == 0
    capfd.readouterr()
    assert check("--baseline", str(file)) == 1  # the entry is stale now
    assert "accepts nothing any more" in capfd.readouterr().err
    assert check(*update) == 0
    assert "- flow_a.return.recipient-is-all at messages[0].recipient" in capfd.readouterr().err
    assert json.loads(file.read_bytes()) == []
    assert check(*update) == 0
    assert "nothing to change" in capfd.readouterr().err


def test_an_update_needs_to_know_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("--update-baseline") == 2
    assert "--update-baseline needs --baseline FILE" in capsys.readouterr().err


def test_a_stale_entry_stands_in_the_reports_too(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    entry = {"rule": "flow_a.x", "cassette": "alefita_way", "path": "messages"}
    file.write_text(json.dumps([entry]), encoding="utf-8")
    assert check("--baseline", str(file), "--report", f"json:{tmp_path / 'r'}") == 1
    assert read(tmp_path / "r")["stale"] == ["flow_a.x at messages in alefita_way"]
