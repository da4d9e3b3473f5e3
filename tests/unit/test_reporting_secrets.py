"""No secret of a session is in its report, on the screen, or in the command; values of any shape are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.flow_a_wire import Wire
from tests.unit.reported import finding, part, report, wrong_session
from wiretape.contract import Report
from wiretape.reporting.run import hidden
from wiretape.transcript import Body, Request, Response, Transcript
from wiretape_cli.screen import say_report

TOKEN = "Zr8qLw3nTf6Yh2Vb9KxPd5Mc"


@pytest.mark.parametrize(
    "command", [["--token", TOKEN], [f"--token={TOKEN}"], ["-H", f"Authorization: Bearer {TOKEN}"], [TOKEN]]
)
def test_a_secret_in_a_command_is_hidden(command: list[str]) -> None:
    sent = (("Authorization", f"Bearer {TOKEN}"),)
    request = Request(number=1, method="GET", path="/", headers=sent, body=b"", at=0)
    answer = Response(number=1, status=200, headers=(), body=Body(b""), at=0)
    wire = Transcript(protocol="flow_a", entries=[request, answer])
    assert TOKEN not in " ".join(hidden(["client", *command], [wire]))


def test_a_command_without_secrets_is_told_as_it_is() -> None:
    command = ("python", "client.py", "--token-file", "-v", "--name", "x y", "")
    assert hidden(command) == command


def secretive() -> tuple[Wire, Report]:
    wire = wrong_session(**{TOKEN: 1, "recipient": TOKEN, "metadata": {"api_key": TOKEN}})
    at = "POST …/f/conversation (request 6)"
    return wire, report("x", finding("a", path=f"messages[0].{TOKEN}", at=at, want="all", got=TOKEN))


def test_a_secret_that_is_the_name_of_a_member_is_hidden_in_all_of_a_finding() -> None:
    wire, said = secretive()
    whole = part(wire, said)
    assert TOKEN not in json.dumps(whole)
    (marked,) = [line["text"] for line in whole["findings"][0]["exhibit"]["lines"] if line["marked"]]
    assert marked.endswith(": 1")


def test_the_screen_shows_no_secret_of_the_session(capsys: pytest.CaptureFixture[str]) -> None:
    wire, said = secretive()
    say_report(said, source="x.yaml", transcript=wire.transcript)
    shown = capsys.readouterr().err
    assert "FAIL flow_a.a" in shown
    assert TOKEN not in shown


def test_no_cut_leaves_half_a_secret(capsys: pytest.CaptureFixture[str]) -> None:
    wire, _ = secretive()
    for before in (225, 230, 235):
        said = report("x", finding("a", got="x " * (before // 2) + TOKEN + " y" * 2000))
        assert TOKEN[:4] not in json.dumps(part(wire, said))
        say_report(said, source="x.yaml", transcript=wire.transcript)
        assert TOKEN[:4] not in capsys.readouterr().err


def test_a_value_that_is_no_json_is_reported_all_the_same() -> None:
    whole = part(wrong_session(), report("x", finding("a", got=[{1, 2}], want={"a": float("nan")})))
    assert "1, 2" in whole["findings"][0]["got"]


@pytest.mark.parametrize("levels", [10, 200, 299])
def test_a_value_of_any_depth_that_can_be_read_can_be_reported(levels: int) -> None:
    deep: Any = []
    for _ in range(levels):
        deep = [deep]
    whole = part(wrong_session(), report("x", finding("a", want=deep, got=deep)))
    assert isinstance(whole["findings"][0]["got"], list) == (levels < 100)
