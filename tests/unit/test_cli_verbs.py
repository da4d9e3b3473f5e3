"""The offline verbs: decode, rules, verify, lint."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from wiretape.cassette import bundled, bundled_directory
from wiretape.verdict import VERIFIERS
from wiretape_cli.main import main

RULES = [rule for verifier in VERIFIERS.values() for rule in verifier.rules]
CODEX_LOGS = Path(__file__).parents[1] / "vectors" / "codex" / "transcripts"

TAPE = bundled_directory() / "flow_a" / "alefita_way.yaml"
STREAM = b'event: delta_encoding\ndata: "v1"\n\nevent: delta\ndata: {"p":"","o":"add","v":"caf\\u00e9"}\n\n'
RECIPIENT = b'"recipient":"all"'


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A cassette whose recorded return is addressed to the tool."""
    data = TAPE.read_bytes()
    assert data.count(RECIPIENT) >= 1
    file = tmp_path / "torn.yaml"
    head, tail = data.rsplit(b'"role":"tool"', 1)
    file.write_bytes(head + b'"role":"tool"' + tail.replace(RECIPIENT, b'"recipient":"xyz"', 1))
    return file


def test_decode_prints_ascii_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "stream"
    file.write_bytes(STREAM)
    assert main(["decode", str(file)]) == 0
    out, err = capsys.readouterr()
    assert out.isascii()
    assert err == ""
    assert json.loads(out) == {
        "values": {"0": "café"},
        "messages": [],
        "events": [],
        "done": False,
        "complete": False,
        "unterminated_tail": False,
        "errors": [],
    }


def test_decode_reads_stdin_and_exits_1_with_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STREAM + b"event: delta\ndata: {]\n\n")))
    assert main(["decode", "-"]) == 1
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert [(each["event"], each["kind"]) for each in errors] == [(3, "invalid_json")]


def test_rules_lists_every_rule_with_level_and_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(RULES)
    assert all(rule.id in line and rule.title in line for rule, line in zip(RULES, lines, strict=True))


def test_rules_as_json_hold_the_quoted_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0
    catalogue = json.loads(capsys.readouterr().out)
    assert [each["id"] for each in catalogue] == [rule.id for rule in RULES]
    for each in catalogue:
        assert each.keys() >= {"id", "level", "title", "evidence", "good", "bad"}
        assert all(each["spec"][part] for part in ("document", "section", "quote"))


@pytest.mark.parametrize("rule_id", ["codex.call.id-exact", "call.id-exact"])
def test_a_rule_is_found_in_either_protocol(rule_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", rule_id]) == 0
    assert capsys.readouterr().out.startswith("codex.call.id-exact\n")


@pytest.mark.parametrize("rule_id", ["flow_a.return.recipient-is-all", "return.recipient-is-all"])
def test_one_rule_is_shown_whole(rule_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", rule_id]) == 0
    out = capsys.readouterr().out
    for part in ("flow_a.return.recipient-is-all", "must", "evidence: wire", "«", "good", "bad"):
        assert part in out
    assert main(["rules", "--json", rule_id]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "flow_a.return.recipient-is-all"


def test_an_unknown_rule_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "flow_a.return.recipient-all"]) == 2
    assert "Did you mean flow_a.return.recipient-is-all?" in capsys.readouterr().err
    assert main(["rules", "qqqq"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize(("protocol", "name"), [(each, name) for each in VERIFIERS for name in bundled(each)])
def test_every_bundled_cassette_verifies_and_lints(
    protocol: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(bundled_directory() / protocol / f"{name}.yaml")
    assert main(["verify", file]) == 0
    assert main(["lint", file]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{name}: ok (" in err
    assert f"ok {file}" in err


def test_verify_judges_a_wrong_cassette(torn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(TAPE), str(torn)]) == 1
    err = capsys.readouterr().err
    assert "alefita_way: ok" in err
    assert "FAIL flow_a.return.recipient-is-all" in err
    assert str(torn) in err


def test_verify_prints_json_on_stdout_and_writes_reports(
    torn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.md"
    assert main(["verify", "--json", "--report", f"md:{file}", str(torn)]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    report = json.loads(out)
    assert (report["ok"], report["cassettes"][0]["name"]) == (False, "torn")
    assert "recipient-is-all" in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("log", "code", "said"),
    [
        ("0.171.0-stdio-success_text", 0, "ok ("),
        ("0.171.0-stdio-old_shape", 1, "FAIL codex.response.no-legacy-output"),
    ],
)
def test_verify_judges_a_log_of_the_app_server(
    log: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(CODEX_LOGS / f"{log}.jsonl")]) == code
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("log.jsonl", b'{"t": 0.0, "dir": "meta", "msg": {}}\n7\n', "line 2: expected an object"),
        ("log.jsonl", b'{"dir": "out", "msg": {}}\n', "'client->server' or 'server->client', got none"),
        ("other.jsonl", b'{"a": 1}\n', "expected a header"),
        ("other.jsonl", b"\xff", "expected a JSON object"),
        ("empty.jsonl", b"", "empty file"),
        ("x.jsonl", b'{"transcript": 1, "protocol": "x"}', "expected flow_a or codex, got 'x'"),
        ("x.jsonl", b'{"transcript": 1, "protocol": "flow_a", "profile": "0.98"}', "got '0.98'"),
        ("other.yaml", b"a: 1\n", "format"),
        ("x.yaml", TAPE.read_bytes().replace(b"title:", b'profile: "0.98"\ntitle:', 1), "got '0.98'"),
    ],
)
def test_verify_of_another_file_exits_2_and_names_it(
    name: str, data: bytes, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    assert main(["verify", str(file)]) == 2
    err = capsys.readouterr().err
    assert why in err
    assert str(file) in err


def test_verify_demands_a_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--profile", "flow_a=app", str(TAPE)]) == 0
    app = capsys.readouterr().err
    assert main(["verify", "--profile", "seed-capture", str(TAPE)]) == 0
    assert ("WARN" in app) != ("WARN" in capsys.readouterr().err)
