"""Time that stands still until a test moves it."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from wiretape_server.pacing import Wheel


class Alarm:
    """A timer that can be cancelled."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self.ring = ring
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Clockwork:
    """A clock and the timers that go by it; gives what Wheel needs of an event loop."""

    def __init__(self) -> None:
        self.time = 1000.0
        self._order = count()
        self._alarms: list[tuple[float, int, Alarm]] = []
        self.armed = 0
        """How many timers were ever set."""

    def now(self) -> float:
        return self.time

    def call_at(self, when: float, ring: Callable[[], None]) -> Alarm:
        self.armed += 1
        alarm = Alarm(ring)
        heappush(self._alarms, (when, next(self._order), alarm))
        return alarm

    def wheel(self) -> Wheel:
        return Wheel(self.now, self.call_at)

    async def advance(self, seconds: float) -> None:
        """Let time pass, ringing every alarm at its time."""
        end = self.time + seconds
        while self._alarms and self._alarms[0][0] <= end:
            when, _, alarm = heappop(self._alarms)
            self.time = max(self.time, when)
            if not alarm.cancelled:
                alarm.ring()
        self.time = end
