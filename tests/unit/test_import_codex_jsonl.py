"""Importing logs of an app-server's messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wiretape import load_cassette, verify
from wiretape.cassette import Cassette, Step
from wiretape.imports import LogKeys, SourceError, complete, read_codex_log
from wiretape.redaction import Redactor
from wiretape_cli.main import main

LOGS = Path(__file__).parents[1] / "vectors" / "codex" / "transcripts"
LOG = LOGS / "0.171.0-stdio-success_text.jsonl"
OTHER_KEYS = LogKeys(direction="who", message="m", time="ts", connection="c", client="out", server="in")
HELLO = {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "a", "version": "1"}}}


def imported(*lines: object, keys: LogKeys | None = None) -> Cassette:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return complete(read_codex_log(data, name="a.jsonl", keys=keys or LogKeys(), tool="a tool"))


def said(direction: str, message: object, **more: object) -> dict[str, object]:
    return {"dir": direction, "msg": message} | more


def test_a_log_becomes_a_cassette_that_conforms() -> None:
    cassette = complete(read_codex_log(LOG.read_bytes(), name=LOG.name, keys=LogKeys(), tool="a tool"))
    assert verify(cassette).violations == ()
    assert cassette.title == "Imported: go"
    assert cassette.profile == "0.171"
    assert len(cassette.model) == 2
    assert cassette.provenance.basis == (f"the log {LOG.name}",)
    assert "7 lines of other directions are left out." in cassette.provenance.gaps


def test_times_become_delays_and_the_first_connection_needs_no_name() -> None:
    frames = imported(
        said("client->server", HELLO, t=1.5, conn="c7"),
        said("server->client", {"id": 1, "result": {}}, t=1.75, conn="c7"),
        said("client->server", HELLO, t=2, conn="c8"),
    ).frames
    assert [(each.direction, each.delay, each.connection) for each in frames] == [
        ("client", 0, ""),
        ("server", 250, ""),
        ("client", 250, "c8"),
    ]


def test_other_names_are_mapped() -> None:
    lines = [{"who": "out", "m": HELLO, "ts": 1.0}, {"who": "in", "m": {"id": 1, "result": {}}, "ts": 2.0}]
    frames = imported(*lines, keys=OTHER_KEYS).frames
    assert [(each.direction, each.delay) for each in frames] == [("client", 0), ("server", 1000)]


def test_a_message_may_stand_as_text_and_what_is_no_json_as_raw() -> None:
    text = '{"id": 1,  "method": "initialize"}'
    frames = imported(said("client->server", text), said("client->server", {"_raw": "{]"})).frames
    assert [each.data for each in frames] == [text.encode(), b"{]"]


def test_a_log_without_times_says_so() -> None:
    cassette = imported(said("client->server", HELLO))
    assert "The log has no times." in cassette.provenance.gaps
    assert not any("directions" in gap for gap in cassette.provenance.gaps)


def test_a_session_without_a_turn_plays_one_empty_step() -> None:
    assert imported(said("client->server", HELLO)).model == (Step(),)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "got none of 0"),
        (
            [{"dir": "sideways", "msg": 1}],
            "expected lines whose 'dir' is 'client->server' or 'server->client'",
        ),
        ([{"direction": "x"}], 'line 1: expected an object with "dir" and "msg"'),
        ([said("client->server", HELLO), 7], "line 2: expected an object"),
        ([said("client->server", HELLO, t="now")], "line 1: t: expected seconds, got 'now'"),
    ],
)
def test_what_can_not_be_imported_says_where_and_how_to_map_it(lines: list[Any], why: str) -> None:
    with pytest.raises(SourceError) as told:
        imported(*lines)
    assert str(told.value).startswith("a.jsonl: ")
    assert why in str(told.value)
    assert "--direction-key NAME" in str(told.value)


def test_the_command_takes_the_mapping(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = {"client->server": "out", "server->client": "in"}
    records = map(json.loads, LOG.read_text("utf-8").splitlines())
    file, out = tmp_path / "app.jsonl", tmp_path / "app.yaml"
    file.write_text("\n".join(json.dumps({"who": sides.get(r["dir"], "?"), "m": r["msg"]}) for r in records))
    mapping = ["--direction-key", "who", "--message-key", "m", "--client", "out", "--server", "in"]
    assert main(["import", "codex-jsonl", str(file), "--out", str(out)]) == 2
    assert "--direction-key NAME" in capsys.readouterr().err
    assert main(["import", "codex-jsonl", str(file), "--out", str(out), *mapping]) == 0
    assert "messages\n" in capsys.readouterr().err
    assert verify(load_cassette(out)).violations == ()


def test_the_command_is_told_where_times_and_connections_stand(tmp_path: Path) -> None:
    file, out = tmp_path / "app.jsonl", tmp_path / "app.yaml"
    places = [{"seconds": 1.0, "line": "first"}, {"seconds": 1.25, "line": "second"}]
    records = [said("client->server", HELLO) | place for place in places]
    file.write_text("\n".join(map(json.dumps, records)))
    command = ["import", "codex-jsonl", str(file), "--out", str(out)]
    assert main([*command, "--time-key", "seconds", "--connection-key", "line"]) == 0
    frames = load_cassette(out).frames
    assert [(each.connection, each.delay) for each in frames] == [("", 0), ("second", 250)]


@pytest.mark.parametrize("log", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_log_of_the_app_server_can_be_saved_and_loaded(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.yaml"
    assert main(["import", "codex-jsonl", str(log), "--out", str(out)]) == 0
    assert load_cassette(out).frames


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    file, out = tmp_path / "a.jsonl", tmp_path / "a.yaml"
    login = {"id": 2, "method": "account/login/start", "params": {"accessToken": "SECRET-0123456789"}}
    file.write_text("\n".join(json.dumps(said("client->server", each)) for each in (HELLO, login)))
    assert main(["import", "codex-jsonl", str(file), "--out", str(out)]) == 0
    assert "SECRET" not in out.read_text("utf-8")


def test_a_secret_that_is_split_over_deltas_reaches_neither_frames_nor_steps(tmp_path: Path) -> None:
    log, out = tmp_path / "a.jsonl", tmp_path / "a.yaml"
    data = (LOGS / "0.171.0-stdio-text_deltas.jsonl").read_text("utf-8")
    secret = "sk-proj-0123456789abcdefghijklm"
    pieces = {"one t": secret[:5], "wo th": secret[5:30], "ree": secret[30:], "one two three": secret}
    for old, new in pieces.items():
        assert json.dumps(old) in data
        data = data.replace(json.dumps(old), json.dumps(new))
    log.write_text(data)
    assert main(["import", "codex-jsonl", str(log), "--out", str(out)]) == 0
    text = out.read_text("utf-8")
    assert "0123456789abcdef" not in text


class Blind(Redactor):
    """A redactor that sees nothing."""

    def cassette(self, cassette: Cassette) -> Cassette:
        return cassette


def test_a_secret_that_redaction_leaves_refuses_the_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "a.jsonl", tmp_path / "a.yaml"
    secret = "sk-proj-0123456789abcdefghijklmnop"
    file.write_text(json.dumps(said("client->server", HELLO | {"x": secret})))
    monkeypatch.setattr("wiretape_cli.saving.Redactor", Blind)
    assert main(["import", "codex-jsonl", str(file), "--out", str(out)]) == 4
    err = capsys.readouterr().err
    assert "was not saved" in err
    assert secret not in err
    assert not out.exists()


def test_rules_of_the_users_own_hide_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out, rules = (tmp_path / name for name in ("a.jsonl", "a.yaml", "redact.yaml"))
    file.write_text(json.dumps(said("client->server", HELLO | {"x": "our own word"})))
    rules.write_text("values: [our own word]\n")
    command = ["import", "codex-jsonl", str(file), "--out", str(out), "--redact", str(rules)]
    assert main(command) == 0
    assert "our own word" not in out.read_text("utf-8")
    out.unlink()
    rules.write_text("nonsense: 1\n")
    assert main(command) == 2
    assert "nonsense" in capsys.readouterr().err
