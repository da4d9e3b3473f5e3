"""Signals that ask the program to end: when they are heeded, and that all is as before afterwards."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from wiretape_cli.signals import ended_by_signal, signals_interrupt

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGHUP")


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_terminal_that_is_closed_interrupts() -> None:
    with pytest.raises(KeyboardInterrupt), signals_interrupt():
        signal.raise_signal(signal.SIGHUP)


def test_handlers_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with signals_interrupt():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_what_nohup_has_set_aside_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with signals_interrupt():
        ended = ended_by_signal()
        signal.raise_signal(signal.SIGHUP)
        assert not ended.is_set()
        signal.raise_signal(signal.SIGTERM)
        assert ended.is_set()
