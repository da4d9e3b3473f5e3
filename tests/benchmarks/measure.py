"""How everything under tests/benchmarks is timed: ratios of CPU time, taken in one run.

Wall time spreads by half on a shared machine, and so does CPU time between two runs. What holds still is the
ratio of two variants that ran side by side: within each round every variant runs once, in a shuffled order,
and the figure is the median of the ratios of the rounds. One variant runs twice per round (the A/A pair);
where its two times differ by more than 3 % the machine was too noisy, and the comparison says so.
"""

from __future__ import annotations

import gc
import math
import operator
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median
from typing import TypeAlias

NOISE = 0.03
"""How far the A/A pair may be off before a comparison is inconclusive."""

SAMPLE = 0.05
"""Seconds of CPU that one sample takes at least: a faster variant is called several times in it."""

PATIENCE = 3
"""How many times the asked rounds are spent, at most, to let a noisy A/A pair settle."""

Content: TypeAlias = object
Variant: TypeAlias = Callable[[], Content]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the table: a figure beside its target.

    ``ok`` is None where there is nothing to decide: no target, or an inconclusive comparison.
    """

    goal: str
    what: str
    figure: float
    target: float | None
    unit: str = "×"
    ok: bool | None = None
    note: str = ""


def at_most(goal: str, what: str, figure: float, target: float, *, unit: str, note: str = "") -> Line:
    """Put a figure that is no ratio (bytes, modules, milliseconds) beside the most that it may be."""
    return Line(goal=goal, what=what, figure=figure, target=target, unit=unit, ok=figure <= target, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What a variant returns when its work was done by a child process: CPU seconds, and the content."""

    cpu: float
    content: Content


def run_child(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> Child:
    """Run a command to its end; its CPU time (user and system) is the sample, its stdout the content.

    Raises CalledProcessError when it ends non-zero.
    """
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=env)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Child(cpu=usage.ru_utime + usage.ru_stime, content=output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """CPU seconds per call of each variant, one entry per round, and those of the A/A twin."""

    seconds: Mapping[str, Sequence[float]]
    pair: tuple[str, Sequence[float]]
    """Name of the variant that ran twice, and the times of its second run."""

    def ratio(self, of: str, to: str) -> float:
        """The median over the rounds of ``of`` divided by ``to``."""
        return _median_ratio(self.seconds[of], self.seconds[to])

    def cpu(self, of: str) -> float:
        """The median CPU seconds of one call: for people, not for targets."""
        return median(self.seconds[of])

    @property
    def aa(self) -> float:
        """The ratio of the variant that ran twice to itself; 1.0 on a quiet machine."""
        name, twin = self.pair
        return _median_ratio(self.seconds[name], twin)

    @property
    def conclusive(self) -> bool:
        return abs(self.aa - 1) <= NOISE

    def at_most(self, goal: str, what: str, target: float, *, of: str, to: str) -> Line:
        """Put the ratio beside the most that it may be. An inconclusive one is neither met nor missed."""
        line = at_most(goal, what, self.ratio(of, to), target, unit="×", note=self.note(to))
        return line if self.conclusive else replace(line, ok=None)

    def report(self, goal: str, what: str, *, of: str, to: str) -> Line:
        """Show a ratio that has no target."""
        return Line(goal=goal, what=what, figure=self.ratio(of, to), target=None, note=self.note(to))

    def note(self, to: str) -> str:
        verdict = "" if self.conclusive else "inconclusive, "
        return f"{verdict}to {to}, A/A {self.aa:.3f}, {len(self.pair[1])} rounds"


def compare(
    variants: Mapping[str, Variant],
    *,
    rounds: int = 7,
    equal: Callable[[Content, Content], bool] = operator.eq,
) -> Ratios:
    """Time variants that do the same work. The first is the A/A pair.

    ``equal`` compares the content of the first variant with that of each other one before anything is timed;
    a difference raises AssertionError. A variant that returns a Child is timed by its ``cpu``, every other
    one by this process's CPU time. While the A/A pair is off, up to three times the rounds are taken.
    """
    if rounds < 7:
        raise ValueError(f"at least 7 rounds are needed for a median, got {rounds!r}")
    _assert_equal(variants, equal)
    with _frozen_heap():
        return _timed(variants, rounds)


@contextmanager
def _frozen_heap() -> Iterator[None]:
    """Keep what lives already out of the collector's rounds: no variant pays for the bench's own modules."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _timed(variants: Mapping[str, Variant], rounds: int) -> Ratios:
    calls = {name: _calls_per_sample(variant) for name, variant in variants.items()}
    first = next(iter(variants))
    twin = f"{first} (again)"
    times: dict[str, list[float]] = {name: [] for name in (*variants, twin)}
    order = list(times)
    shuffle = random.Random(0).shuffle
    for taken in range(1, rounds * PATIENCE + 1):
        shuffle(order)
        for name in order:
            subject = first if name == twin else name
            times[name].append(_sample(variants[subject], calls[subject]))
        if taken >= rounds and abs(_median_ratio(times[first], times[twin]) - 1) <= NOISE:
            break
    return Ratios(seconds={name: times[name] for name in variants}, pair=(first, times[twin]))


def _assert_equal(variants: Mapping[str, Variant], equal: Callable[[Content, Content], bool]) -> None:
    contents = {name: _content(variant()) for name, variant in variants.items()}
    (first, expected), *others = contents.items()
    for name, content in others:
        if not equal(expected, content):
            difference = f"{expected!r:.300} is not {content!r:.300}"
            raise AssertionError(f"{name!r} does not do the work of {first!r}: {difference}")


def _content(returned: Content) -> Content:
    return returned.content if isinstance(returned, Child) else returned


def _calls_per_sample(variant: Variant) -> int:
    return max(1, math.ceil(SAMPLE / max(_sample(variant, 1), 1e-6)))


def _sample(variant: Variant, calls: int) -> float:
    """CPU seconds of one call, averaged over ``calls``."""
    gc.collect()
    in_children = 0.0
    began = time.process_time()
    for _ in range(calls):
        returned = variant()
        if isinstance(returned, Child):
            in_children += returned.cpu
    own = time.process_time() - began
    return (in_children or own) / calls


def _median_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    return median(a / b for a, b in zip(above, below, strict=True))
