"""Colour on a terminal, none elsewhere; NO_COLOR and FORCE_COLOR say otherwise."""

from __future__ import annotations

import re
import sys

import pytest

from tests.unit.reported import finding, report
from wiretape_cli.screen import say_report

WRONG = report(
    "x",
    finding("a.wrong", path="messages", want="all", got="FAIL [bold]x[/bold]\x1b[31m"),
    finding("b.warned", "should", hint="declare it. " * 40),
)


def said(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    terminal: bool = False,
    **environment: str,
) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    say_report(WRONG, source="x.yaml")
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("terminal", "environment", "colored"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "xterm", "FORCE_COLOR": "0"}, False),
        (False, {}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_where_it_is_seen_or_asked_for(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    environment: dict[str, str],
    colored: bool,
) -> None:
    assert ("\x1b[" in said(capsys, monkeypatch, terminal=terminal, **environment)) == colored


def test_colour_changes_no_character(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:

    plain = said(capsys, monkeypatch)
    colored = said(capsys, monkeypatch, FORCE_COLOR="1", COLUMNS="40")
    assert colored != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
    assert "\\u001b[31m" in plain  # what came over the wire colours nothing
