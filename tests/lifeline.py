"""A named pipe that a process holds while it lives: how a test sees that it started, and that it is gone."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WITHIN = 20_000
"""Milliseconds after which a wait is given up."""


class Lifeline:
    """The reading end. ``holder`` is Python code for a process that writes a line and then waits for ever."""

    def __init__(self, path: Path, reader: int) -> None:
        self.holder = (
            f"import threading\nheld = open({str(path)!r}, 'w')\n"
            "print('here', file=held, flush=True)\nthreading.Event().wait()\n"
        )
        self._reader = reader

    def held(self) -> bool:
        """Wait until a process has said that it is there."""
        return bool(self._wait(select.POLLIN) & select.POLLIN)

    def dropped(self) -> bool:
        """Wait until no process holds the pipe any more."""
        return bool(self._wait(0) & select.POLLHUP)

    def _wait(self, events: int) -> int:
        poll = select.poll()
        poll.register(self._reader, events)
        return sum(event for _, event in poll.poll(WITHIN))


@contextmanager
def lifeline(path: Path) -> Iterator[Lifeline]:
    """Make the pipe at ``path``."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield Lifeline(path, reader)
    finally:
        os.close(reader)
