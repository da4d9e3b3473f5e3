"""``wiretape lint``."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

from wiretape.cassette import bundled_directory
from wiretape_cli.linting import EVERY
from wiretape_cli.main import main

TAPE = bundled_directory() / "flow_a" / "alefita_way.yaml"
RECIPIENT = b'"recipient":"all"'


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A cassette whose recorded return is addressed to the tool."""
    file = tmp_path / "torn.yaml"
    head, tail = TAPE.read_bytes().rsplit(b'"role":"tool"', 1)
    file.write_bytes(head + b'"role":"tool"' + tail.replace(RECIPIENT, b'"recipient":"xyz"', 1))
    return file


@pytest.mark.parametrize(
    ("damage", "rule", "said"),
    [
        ((b"format: 1", b"format: 2"), "lint.loads", '  want  "format: 1"'),
        ((b"kind: reconstructed", b"kind: dreamt"), "lint.loads", "dreamt"),
        ((b"\n", b"\n\xff"), "lint.loads", "FAIL"),
        ((b'"v1"', b'"v7"'), "lint.decodes", "event 1: unknown_encoding"),
    ],
)
def test_a_fault_exits_4_and_is_told_once(
    damage: tuple[bytes, bytes], rule: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tape.yaml"
    file.write_bytes(TAPE.read_bytes().replace(*damage))
    assert main(["lint", str(file)]) == 4
    err = capsys.readouterr().err
    assert f"FAIL {file}\nFAIL {rule} " in err
    assert said in err
    assert {line.split()[1] for line in err.splitlines() if line.startswith("FAIL lint.")} == {rule}


def test_what_the_recorded_client_sent_is_judged(torn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", str(torn)]) == 4
    err = capsys.readouterr().err
    assert "FAIL lint.return-conforms" in err
    assert "flow_a.return.recipient-is-all: the tool's name belongs in author.name" in err


def test_several_files_and_folders_are_taken_and_an_empty_one_is_refused(
    torn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", str(bundled_directory())]) == 0
    capsys.readouterr()
    assert main(["lint", str(tmp_path), str(TAPE), str(TAPE)]) == 4
    err = capsys.readouterr().err
    assert err.count(f"ok {TAPE}\n") == 1
    torn.unlink()
    assert main(["lint", str(tmp_path)]) == 2
    assert "no cassette (*.yaml)" in capsys.readouterr().err


def test_every_rule_stands_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "looking-at-cassettes.md").read_text("utf-8")
    named = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `lint.")]
    assert sorted(named) == sorted({"lint.loads", *(rule.id for rule in EVERY)})


def test_a_warning_alone_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tape.yaml"
    file.write_bytes(TAPE.read_bytes().replace(b"    end: complete", b"    end: hang"))
    assert main(["lint", str(file)]) == 0
    assert f"ok {file}\nWARN lint.ends-properly" in capsys.readouterr().err


def report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out, err = capsys.readouterr()
    assert err == ""
    loaded: dict[str, Any] = json.loads(out)
    return loaded


def test_the_json_report_has_every_rule(torn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--json", str(torn)]) == 4
    told = report(capsys)
    assert (told["ok"], told["stale"], told["cassettes"][0]["name"]) == (False, [], "torn")
    outcomes = {each["rule"]: each["outcome"] for each in told["cassettes"][0]["findings"]}
    assert outcomes["lint.return-conforms"] == "fail"
    assert outcomes.keys() == {"lint.loads", *(rule.id for rule in EVERY if rule.protocol != "codex")}


def baseline(tmp_path: Path, *entries: dict[str, str]) -> str:
    file = tmp_path / "accepted.json"
    file.write_text(json.dumps(entries))
    return str(file)


ACCEPTED = {"rule": "lint.return-conforms", "cassette": "torn", "path": "messages[0].recipient"}


def test_a_finding_of_the_baseline_is_accepted(
    torn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "--baseline", baseline(tmp_path, ACCEPTED), str(torn)]) == 0
    assert capsys.readouterr().err == f"ok {torn}\n"


def test_an_entry_that_nothing_matches_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accepted = baseline(tmp_path, ACCEPTED | {"cassette": "alefita_way"})
    assert main(["lint", "--baseline", accepted, str(TAPE)]) == 4
    assert "accepts nothing any more" in capsys.readouterr().err
    assert main(["lint", "--json", "--baseline", accepted, str(TAPE)]) == 4
    assert len(json.loads(capsys.readouterr().out)["stale"]) == 1


def test_a_broken_baseline_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "accepted.json"
    file.write_text("{")
    assert main(["lint", "--baseline", str(file), str(TAPE)]) == 2
    assert "a baseline is a JSON list" in capsys.readouterr().err


def test_rules_of_the_users_own_say_what_is_a_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "redact.yaml"
    rules.write_text("values: [Mickey Mouse]\n")
    assert main(["lint", "--redact", str(rules), str(TAPE)]) == 4
    assert "FAIL lint.no-secrets" in capsys.readouterr().err
    rules.write_text("nonsense: 1\n")
    assert main(["lint", "--redact", str(rules), str(TAPE)]) == 2
    assert "nonsense" in capsys.readouterr().err


def test_detect_secrets_looks_where_it_is_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("detect_secrets", reason="detect-secrets is not installed")
    file = tmp_path / "tape.yaml"
    secret = b"https://someone:hunter2hunter2@intranet.example/"
    file.write_bytes(TAPE.read_bytes().replace(b"title: The", b"title: See " + secret + b" the", 1))
    assert main(["lint", str(file)]) == 4
    err = capsys.readouterr().err
    assert "FAIL lint.no-secrets-detected" in err
    assert "hunter2" not in err


def test_without_detect_secrets_the_report_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def missing(name: str, *arguments: Any) -> Any:
        if name.startswith("detect_secrets"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert main(["lint", "--json", str(TAPE)]) == 0
    (finding,) = [
        f for f in report(capsys)["cassettes"][0]["findings"] if f["rule"] == "lint.no-secrets-detected"
    ]
    assert finding["outcome"] == "not_applicable"
    assert "pip install 'wiretape[lint]'" in finding["because"]
