"""What a person sees while a recording runs: on a terminal a line that counts, else only what goes wrong."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from threading import Event

from wiretape.report import printable
from wiretape_cli.screen import is_terminal, say
from wiretape_server.recording.session import Recording, Totals

_TICK = 0.25
"""Seconds. With a limit: on Windows a wait without one can't be interrupted by Ctrl-C."""


def watch(recording: Recording, ended: Event) -> None:
    """Show how the recording goes until it is to end."""
    if not is_terminal(sys.stderr):
        _wait(recording, ended, say)
        return
    from rich.console import Console
    from rich.live import Live
    from rich.markup import escape
    from rich.text import Text

    began = time.monotonic()
    console = Console(stderr=True)
    with Live(
        get_renderable=lambda: Text(status(recording.totals, time.monotonic() - began)),
        console=console,
        refresh_per_second=4,
        transient=True,
    ):
        _wait(recording, ended, lambda text: console.print(escape(text)))


def status(totals: Totals, elapsed: float) -> str:
    """The line: requests, events, bytes, elapsed."""
    minutes, seconds = divmod(int(elapsed), 60)
    return (
        f"recording  {totals.requests} requests ({totals.kept} kept, {totals.open} open)  "
        f"{totals.events} events  {totals.size:,} bytes  {minutes}:{seconds:02d}   Ctrl-C saves"
    )


def _wait(recording: Recording, ended: Event, tell: Callable[[str], None]) -> None:
    news = _news(recording)
    over = False
    while not over:
        over = ended.wait(_TICK)
        for text in next(news):
            tell(text)


def _news(recording: Recording) -> Iterator[list[str]]:
    """What has gone wrong since the last look."""
    told, failed = 0, False
    while True:
        new = [printable(each) for each in recording.troubles[told:]]  # it names what clients ask for
        told += len(new)
        if recording.failure and not failed:
            failed = True
            new.append(f"nothing more is recorded, the traffic goes on: {recording.failure}")
        yield new
