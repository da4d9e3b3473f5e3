"""A progress display for many cassettes: on a terminal only, and gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence

from wiretape.cassette import Cassette
from wiretape_cli.screen import is_terminal


def tracked(cassettes: Sequence[Cassette]) -> Generator[Cassette]:
    """Yield the cassettes; when there are several and stderr is a terminal, show meanwhile how far it got."""
    if len(cassettes) < 2 or not is_terminal(sys.stderr):
        yield from cassettes
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task("", total=len(cassettes))
        for cassette in cassettes:
            display.update(task, description=escape(cassette.name))
            yield cassette
            display.advance(task)
