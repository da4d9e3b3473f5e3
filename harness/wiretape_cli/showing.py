"""``show``: a recorded session as a timeline, in colour on a terminal and as plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from wiretape import timeline
from wiretape.cassette import Cassette
from wiretape.report import printable
from wiretape.timeline import Row
from wiretape.transcript import Transcript
from wiretape.verdict import transcript_of
from wiretape_cli.exits import Exit
from wiretape_cli.screen import is_terminal, put
from wiretape_cli.sources import find_session

if TYPE_CHECKING:
    from rich.text import Text

VIEWS: Final[Mapping[str, Callable[[Transcript], Iterator[Row]]]] = {
    "decoded": timeline.rows,
    "raw": timeline.wire,
    "final": timeline.final,
}
ARROWS: Final = {"client": "→", "server": "←"}
BLOCK: Final = 500
"""Lines that are written at once."""


def run(name: str, view: str) -> Exit:
    """Show a session. Raises SetupError or CassetteError."""
    subject = find_session(name)
    transcript = transcript_of(subject) if isinstance(subject, Cassette) else subject
    rows = VIEWS[view](transcript)
    if is_terminal(sys.stdout):
        _on_terminal(_titles(subject), rows)
    else:
        _plainly(_titles(subject), rows)
    return Exit.FINE


def _titles(subject: Cassette | Transcript) -> list[str]:
    """What the session is, one line each."""
    if isinstance(subject, Transcript):
        return [f"{subject.name}: a transcript, {subject.protocol}"]
    origin = subject.provenance
    made = " ".join(part for part in (origin.captured_at, origin.tool) if part)
    return [
        f"{subject.name}: {subject.title}",
        f"a cassette, {subject.protocol}, {origin.kind}" + (f" ({made})" if made else ""),
        *(f"not captured: {gap}" for gap in origin.gaps),
    ]


def _plainly(titles: Iterable[str], rows: Iterable[Row]) -> None:
    put("\n".join(map(printable, titles)))
    lines = map(line, rows)
    while block := [*islice(lines, BLOCK)]:
        put("\n".join(block))


def line(row: Row) -> str:
    """A row as a line of text."""
    head, text = _head(row), printable(row.text)
    said = f"{printable(row.before)}│{text}" if row.before else text
    return f"{head}  {said}".rstrip()


def _head(row: Row) -> str:
    event = printable(" ".join(part for part in (row.event, row.op) if part))
    return f"{row.at:9.3f} {printable(row.place):>6} {ARROWS[row.side]} {event}"


def _on_terminal(titles: Iterable[str], rows: Iterable[Row]) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    for title in titles:
        console.print(printable(title), style="bold", markup=False)
    for row in rows:
        console.print(_colored(row))


def _colored(row: Row) -> Text:
    from rich.text import Text

    client = row.side == "client"
    event = (
        "red"
        if row.event.startswith(("error", "unreadable", "unfinished"))
        else "cyan"
        if client
        else "green"
    )
    return Text.assemble(
        (f"{row.at:9.3f} {printable(row.place):>6} ", "dim"),
        (f"{ARROWS[row.side]} {printable(row.event)} ", event),
        (f"{printable(row.op)}  ", "yellow") if row.op else "",
        (printable(row.before), "dim"),
        (printable(row.text), "bold" if row.before else ""),
    )
