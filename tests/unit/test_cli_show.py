"""``wiretape show`` on a terminal and elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wiretape.cassette import bundled_directory, loads
from wiretape.transcript_file import dump
from wiretape.verdict import transcript_of
from wiretape_cli.main import main

TAPE = bundled_directory() / "flow_a" / "alefita_way.yaml"
LOGS = Path(__file__).parents[1] / "vectors" / "codex" / "transcripts"


def test_a_timeline_has_a_line_for_each_event(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "alefita_way"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "a cassette, flow_a, reconstructed" in out
    assert "not captured: The user's message is invented." in out
    assert (
        "    0.062    2.7 ← delta c0 append /message/content/parts/0  I executed│ the alefita_way tool" in out
    )
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("option", "has", "has_not"),
    [
        ("--raw", "← chunk 34 bytes  event: delta_encoding", "│"),
        ("--final", "← message assistant → all", "delta"),
    ],
)
def test_the_other_views_are_chosen_by_option(
    option: str, has: str, has_not: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", option, str(TAPE)]) == 0
    shown = capsys.readouterr().out.partition("0.000 ")[2]
    assert has in shown
    assert has_not not in shown


def test_a_saved_transcript_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(dump(transcript_of(loads(TAPE.read_bytes(), name="run"))))
    assert main(["show", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("run: a transcript, flow_a\n")
    assert "← message_stream_complete" in out


def test_a_log_of_the_app_server_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(LOGS / "0.171.0-stdio-success_text.jsonl")]) == 0
    assert "→ answer to item/tool/call id 0  dynamic-ok · success" in capsys.readouterr().out


@pytest.mark.parametrize("terminal", [False, True])
def test_wire_text_never_reaches_the_screen_raw(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = b"\\u001b[2J[red]\\u202e"
    file = tmp_path / "evil.yaml"
    file.write_bytes(TAPE.read_bytes().replace(b"I executed", evil).replace(b"+93\n", b"+103\n"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "400")
    assert main(["show", str(file)]) == 0
    out = capsys.readouterr().out
    assert "\\x1b[2J[red]\\u202e" in out
    assert "\x1b[2J" not in out
    assert "\u202e" not in out


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(["show", "alefita_way"]) == 0
    assert "\x1b[" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("x.yaml", b"a: 1\n", "format"),
        ("x.jsonl", b"{}\n", "expected a header"),
        ("x.jsonl", b"", "empty file"),
        ("x.har", b'{"log": {}}', "is made of it by: wiretape import har"),
        ("x.yaml.partial", b'{"recording": 1}', "is made of it by: wiretape record --recover"),
    ],
)
def test_what_is_no_session_is_refused_with_its_name(
    name: str, data: bytes, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    assert main(["show", str(file)]) == 2
    err = capsys.readouterr().err
    assert why in err
    assert str(file) in err


def test_an_unknown_name_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "alefita_wy"]) == 2
    assert "did you mean" in capsys.readouterr().err
