"""What was worked out about plays, kept until they go on; worked out in a thread beside the server's loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from wiretape.transcript import Transcript

if TYPE_CHECKING:
    from wiretape_server.server import AnyPlay

T = TypeVar("T")
_REST: Final = 4.0
"""How many times as long as a reading took nobody reads the same play again, unless it is asked for: so a
browser that looks on takes a fifth of one processor at most."""


@dataclass(slots=True)
class _Known(Generic[T]):
    stamp: int
    value: T
    rests_until: float


class Store(Generic[T]):
    """Reads plays by ``make``, each once for as long as nothing happens in it."""

    def __init__(
        self,
        make: Callable[[Transcript], T],
        executor: Executor,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._executor = executor
        self._clock = clock
        self._known: WeakKeyDictionary[AnyPlay, _Known[T]] = WeakKeyDictionary()
        self._locks: WeakKeyDictionary[AnyPlay, asyncio.Lock] = WeakKeyDictionary()

    async def of(self, play: AnyPlay, *, newest: bool = True) -> T:
        """What is known of a play. Without ``newest`` it may lag behind while the play goes on."""
        async with self._locks.setdefault(play, asyncio.Lock()):
            known = self._known.get(play)
            if known is not None and (
                known.stamp == stamp(play) or not (newest or self._clock() > known.rests_until)
            ):
                return known.value
            known = await asyncio.get_running_loop().run_in_executor(self._executor, self._read, play)
            self._known[play] = known
            return known.value

    def _read(self, play: AnyPlay) -> _Known[T]:
        began, now = self._clock(), stamp(play)
        value = self._make(play.transcript())
        ended = self._clock()
        return _Known(now, value, ended + _REST * (ended - began))


def stamp(play: AnyPlay) -> int:
    """A number that grows with whatever happens in a play."""
    return play.recorder.count + len(play.errors)
