"""What was worked out about a play is kept, and is worked out beside the server's loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from wiretape.transcript import Transcript
from wiretape_server.inspector.store import Store


class Recorder:
    count = 0


class Play:
    """A play in which ``happen`` makes something happen."""

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.errors: list[str] = []

    def happen(self) -> None:
        self.recorder.count += 1

    def transcript(self) -> Transcript:
        return Transcript(protocol="flow_a", name=str(self.recorder.count))


class Readings:
    """Counts the readings; each takes ``takes`` seconds of a clock that stands still otherwise."""

    def __init__(self) -> None:
        self.now, self.takes = 0.0, 1.0
        self.names: list[str] = []
        self.threads: set[str] = set()

    def __call__(self, transcript: Transcript) -> str:
        self.names.append(transcript.name)
        self.threads.add(threading.current_thread().name)
        self.now += self.takes
        return transcript.name


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1, thread_name_prefix="beside") as executor:
        yield executor


def asked(readings: Readings, executor: ThreadPoolExecutor, *questions: Any) -> list[str]:
    """Ask a store one thing after the other: ``(play, newest)``, or do what is no question."""
    store: Store[str] = Store(readings, executor, lambda: readings.now)

    async def ask() -> list[str]:
        answers = []
        for question in questions:
            if isinstance(question, tuple):
                answers.append(await store.of(question[0], newest=question[1]))
            else:
                question()
        return answers

    return asyncio.run(ask())


def test_a_play_is_read_once_for_as_long_as_nothing_happens(executor: ThreadPoolExecutor) -> None:
    readings, play = Readings(), Play()
    assert asked(readings, executor, (play, True), (play, True), play.happen, (play, True)) == ["0", "0", "1"]
    assert readings.names == ["0", "1"]


def test_an_error_of_a_play_is_something_that_happens(executor: ThreadPoolExecutor) -> None:
    readings, play = Readings(), Play()
    asked(readings, executor, (play, True), lambda: play.errors.append("no"), (play, True))
    assert len(readings.names) == 2


def test_a_play_is_read_in_a_thread_of_the_executor(executor: ThreadPoolExecutor) -> None:
    readings = Readings()
    asked(readings, executor, (Play(), True))
    assert readings.threads == {"beside_0"}


def test_one_who_only_looks_on_waits_four_times_as_long_as_a_reading_takes(
    executor: ThreadPoolExecutor,
) -> None:
    readings, play = Readings(), Play()

    def later(seconds: float) -> Any:
        return lambda: setattr(readings, "now", readings.now + seconds)

    answers = asked(
        *(readings, executor, (play, False), play.happen, (play, False)),
        *(later(3.9), (play, False), later(0.2), (play, False)),
    )
    assert answers == ["0", "0", "0", "1"]


def test_two_who_ask_at_once_cost_one_reading(executor: ThreadPoolExecutor) -> None:
    readings, play = Readings(), Play()
    store: Store[str] = Store(readings, executor, lambda: readings.now)

    async def ask() -> list[str]:
        return await asyncio.gather(*(store.of(play) for _ in range(5)))  # type: ignore[arg-type]

    assert asyncio.run(ask()) == ["0"] * 5
    assert readings.names == ["0"]


def test_a_server_that_nobody_looks_at_loads_no_templates() -> None:
    check = "import sys, wiretape_server.thread; print('jinja2' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
