"""Where text goes: the result of a verb to stdout, what is said about it to stderr."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import StringIO
from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wiretape.contract import Report
    from wiretape.transcript import Transcript

COLORS = {"FAIL": "red", "WARN": "yellow", "NOTE": "cyan"}
"""The colour of a finding's first word."""


def put(text: str) -> None:
    """Write machine output, or the text that was asked for, to stdout; a reader that has left is no error."""
    if sys.stdout is None:  # it was closed before the program began
        return
    try:
        click.echo(text)
        sys.stdout.flush()
    except OSError as error:
        # Python flushes stdout once more at exit; give it a place where that can't fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, "stdout") from None


def say(text: str, *, color: bool | None = None) -> None:
    """Write human text to stderr. Where that can't be, the exit code still tells how it went."""
    with suppress(OSError):
        click.echo(text, err=True, color=color)


def say_report(report: Report, *, source: str, transcript: Transcript | None = None) -> None:
    """Show a verdict on ``source``: what failed in full, the others as counts; on a terminal in colour.

    With the session's transcript, its secrets are not shown.
    """
    from wiretape.report import to_text

    if transcript is None or not any(finding.failed for finding in report.findings):
        text = to_text(report, source=source).rstrip("\n")
    else:
        from wiretape.reporting.exhibit import Exhibits

        text = Exhibits(transcript).text(report, source=source).rstrip("\n")
    text += "\n" if "\n" in text else ""
    if _takes_color():
        _say_colored(text, "red" if not report.ok else "green" if report.played else "yellow")
    else:
        say(text)


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a person looks at it; a stream that was closed before the program began is None."""
    return stream is not None and stream.isatty()


def _takes_color() -> bool:
    """NO_COLOR before FORCE_COLOR before what stderr is."""
    if sys.stderr is None or os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced != "0"
    return is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"


def _say_colored(text: str, color: str) -> None:
    from rich.console import Console
    from rich.text import Text

    colored = Text(text)
    colored.stylize(f"bold {color}", 0, len(text.partition("\n")[0]))
    for word, of_word in COLORS.items():
        colored.highlight_regex(rf"(?m)^{word}(?= )", f"bold {of_word}")
    # Into a text: a console ends the program with exit code 1 when the reader of its file has left.
    console = Console(file=StringIO(), force_terminal=True)
    with console.capture() as shown:
        console.print(colored, soft_wrap=True)
    say(shown.get().removesuffix("\n"), color=True)


def quoted(text: str) -> str:
    """Foreign text, set off from wiretape's own; its control characters don't reach the terminal."""
    from wiretape.report import printable

    return "\n".join(f"  | {printable(line)}" for line in text.rstrip().split("\n"))


def end_of(who: str, stream: str, text: str) -> str:
    """The end of what a foreign program wrote, to be shown; empty where it wrote nothing."""
    return f"{who}: the end of its {stream}\n{quoted(text)}" if text.strip() else ""


def replace_what_stdout_cannot_write() -> None:
    """Let a stdout with a small character set show an escape instead of failing."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
