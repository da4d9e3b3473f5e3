"""``wiretape diff``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.drift_sessions import TAPE, again, edited
from wiretape.cassette import Cassette, save
from wiretape_cli.main import main


@pytest.fixture
def june(tmp_path: Path) -> str:
    """The scenario of alefita_way in another session, with a new member that could harm a terminal."""
    new = edited(TAPE, lambda data: data.replace(b'"kind": "topic"', b'"kind": "topic", "x": "\\u001b[2J"'))
    return saved(again(new), tmp_path / "june.yaml")


def saved(cassette: Cassette, path: Path) -> str:
    save(cassette, path)
    return str(path)


def test_no_drift_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(again(TAPE), tmp_path / "june.yaml")
    assert main(["diff", "alefita_way", file]) == 0
    assert capsys.readouterr().out == f"alefita_way → {file}: no drift\n"


def test_drift_exits_5_and_says_what(june: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "alefita_way", june]) == 5
    out = capsys.readouterr().out
    assert out == (
        f"alefita_way → {june}: 1 difference\n\n"
        "NEW field: resume_conversation_token (2 times)\n"
        "  at    answer 1, event 2 → answer 1, event 2\n"
        "  path  x\n"
        '  now   "\\u001b[2J"\n'
    )


def test_drift_as_json(june: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--json", "alefita_way", june]) == 5
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["old"], report["new"]) == (False, "alefita_way", june)
    assert report["drifts"] == [
        {
            "kind": "new",
            "what": "field",
            "message": "resume_conversation_token",
            "path": "x",
            "was": {"$absent": True},
            "now": "\x1b[2J",
            "old_at": "answer 1, event 2",
            "new_at": "answer 1, event 2",
            "count": 2,
        }
    ]


def test_the_shape_alone_may_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(edited(TAPE, lambda data: data.replace(b"Mickey", b"Minnie")), tmp_path / "a.yaml")
    assert main(["diff", "alefita_way", file]) == 5
    assert main(["diff", "--shape", "alefita_way", file]) == 0
    assert "no drift" in capsys.readouterr().out


def test_two_protocols_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "alefita_way", "dynamic_tool_text"]) == 2
    assert "got 'flow_a' and 'codex'" in capsys.readouterr().err


def test_a_missing_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "alefita_way", "nowhere.yaml"]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_cassette_whose_answer_broke_off_can_be_compared(tmp_path: Path) -> None:
    first, *others = TAPE.interactions
    cut = replace(first.response, body=first.response.body[:700], chunks=None, end="reset")
    file = saved(replace(TAPE, interactions=(replace(first, response=cut), *others)), tmp_path / "a.yaml")
    assert main(["diff", "alefita_way", file]) == 5
