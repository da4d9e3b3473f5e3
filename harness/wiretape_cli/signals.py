"""Signals that ask the program to end: it ends by itself, and leaves nothing of what it began behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from typing import Final

_INTERRUPTS: Final = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""What else there is than Ctrl-C: somebody ends it, its terminal is closed, Windows' Ctrl-Break."""


@contextmanager
def signals_interrupt() -> Iterator[None]:
    """Let those signals raise KeyboardInterrupt, as Ctrl-C does: what has to be undone is undone."""
    if current_thread() is not main_thread():
        yield  # only the main thread may set signal handlers, and gets them
        return
    before = {number: signal.signal(number, signal.default_int_handler) for number in _heeded(*_INTERRUPTS)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ended_by_signal() -> Event:
    """An event that Ctrl-C or one of those signals sets, from now on."""
    ended = Event()
    for number in _heeded("SIGINT", *_INTERRUPTS):
        signal.signal(number, lambda *_: ended.set())
    return ended


def wait_for_signal(ended: Event | None = None) -> None:
    """Wait until a signal ends the program: one that comes from now on, or one that ``ended`` knows of."""
    ended = ended or ended_by_signal()
    # With a limit: on Windows a wait without one can't be interrupted by Ctrl-C.
    while not ended.wait(0.5):
        pass


def _heeded(*names: str) -> Iterator[signal.Signals]:
    """The signals of these names that this system has, and that nohup has not set aside."""
    for name in names:
        number = getattr(signal, name, None)
        if number is not None and not (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):
            yield number
