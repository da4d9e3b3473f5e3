"""When things are due: one timer wheel for all streams of an event loop.

A timer of its own for each of a thousand streams costs more than what they send. Here everything that is due
in the same millisecond shares one timer, and a callback writes to its transport without waking a task.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from math import ceil
from typing import Final, Protocol, TypeAlias

Callback: TypeAlias = Callable[[], None]

_TICK: Final = 0.001
"""Seconds."""


class Timer(Protocol):
    """What a loop's ``call_at`` gives."""

    def cancel(self) -> None: ...


class Wheel:
    """Calls back at given times, never early, in the order in which they are due.

    ``clock`` and ``call_at`` are an event loop's ``time`` and ``call_at``.
    """

    __slots__ = ("_armed", "_call_at", "_clock", "_due", "_slots", "_timer")

    def __init__(self, clock: Callable[[], float], call_at: Callable[[float, Callback], Timer]) -> None:
        self._clock = clock
        self._call_at = call_at
        self._slots: dict[int, list[Callback]] = {}
        self._due: list[int] = []
        self._timer: Timer | None = None
        self._armed = 0

    def now(self) -> float:
        """The clock's time in seconds."""
        return self._clock()

    def at(self, when: float, callback: Callback) -> None:
        """Call back at ``when``, or at the next turn when that is over."""
        slot = ceil(when / _TICK)
        waiting = self._slots.get(slot)
        if waiting is not None:
            waiting.append(callback)
            return
        self._slots[slot] = [callback]
        heappush(self._due, slot)
        if self._timer is None or slot < self._armed:
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed = self._due[0]
        self._timer = self._call_at(self._armed * _TICK, self._turn)

    def _turn(self) -> None:
        """Run what is due now. What these callbacks add is for the next turn: the loop gets its share."""
        last = max(self._armed, int(self._clock() / _TICK))
        self._armed = -1  # nothing is earlier: no callback arms a timer, this turn does it at its end
        ready: list[Callback] = []
        while self._due and self._due[0] <= last:
            ready += self._slots.pop(heappop(self._due))
        rest = iter(ready)
        try:
            for callback in rest:
                callback()
        finally:
            self._timer = None
            for callback in rest:  # behind one that has failed: it must not hold up all other streams
                self.at(self._clock(), callback)
            if self._due:
                self._arm()
