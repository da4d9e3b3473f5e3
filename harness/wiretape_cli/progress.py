"""A progress display for many cassettes: on a terminal only, and only while a client is at work."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wiretape_cli.screen import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress


class Display:
    """Shows how far ``total`` cassettes got. What is said in between stands where the display was."""

    def __init__(self, total: int) -> None:
        self._bar = _bar(total) if total > 1 and is_terminal(sys.stderr) else None

    @contextmanager
    def at_work(self, name: str) -> Iterator[None]:
        """Show meanwhile that a client is at work on the cassette of this name."""
        if self._bar is None:
            yield
            return
        (task,) = self._bar.task_ids
        self._bar.update(task, description=name)
        with self._bar:
            yield
        self._bar.advance(task)


def _bar(total: int) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    name = TextColumn("{task.description}", markup=False)
    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), name)
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=total)
    return bar
