"""Where text goes: the result of a verb to stdout, what is said about it to stderr."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wiretape.contract import Report

COLORS = {"FAIL": "red", "WARN": "yellow", "NOTE": "cyan"}
"""The colour of a finding's first word."""


def put(text: str) -> None:
    """Write machine output, or the text that was asked for, to stdout; a reader that has left is no error."""
    try:
        click.echo(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give it a place where that can't fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Write human text to stderr."""
    click.echo(text, err=True)


def say_report(report: Report, *, source: str) -> None:
    """Show a verdict on ``source``: what failed in full, the others as counts; in colour without NO_COLOR."""
    from wiretape.report import to_text

    verdict, *rest = to_text(report, source=source).splitlines()
    if "NO_COLOR" not in os.environ:
        color = "red" if not report.ok else "green" if report.played else "yellow"
        # click takes colour off again where stderr is no terminal.
        verdict, rest = click.style(verdict, fg=color, bold=True), [_colored(line) for line in rest]
    say("\n".join([verdict, *rest, ""] if rest else [verdict]))


def quoted(text: str) -> str:
    """Foreign text, set off from wiretape's own; its control characters don't reach the terminal."""
    from wiretape.report import printable

    return "\n".join(f"  | {printable(line)}" for line in text.rstrip().split("\n"))


def replace_what_stdout_cannot_write() -> None:
    """Let a stdout with a small character set show an escape instead of failing."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _colored(line: str) -> str:
    first = line.partition(" ")[0]
    # click takes the colour off again where stderr is no terminal.
    return click.style(first, fg=COLORS[first], bold=True) + line[len(first) :] if first in COLORS else line
