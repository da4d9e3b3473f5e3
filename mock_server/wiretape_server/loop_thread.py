"""An async server in a thread and an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Final, Protocol, Self

_START_TIMEOUT: Final = 10.0
_STOP_TIMEOUT: Final = 1.9
"""Seconds. The thread is a daemon: one that does not end in time holds nobody up."""


class Startable(Protocol):
    """A server: ``start`` returns when it listens, or raises OSError."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class LoopThread:
    """Runs a server beside the caller; a context manager."""

    def __init__(self, server: Startable) -> None:
        self._runs = server
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None

    def start(self) -> Self:
        """Start, and return when the server listens; a second start does nothing.

        Raises OSError when it can't.
        """
        if self._thread is not None:
            return self
        listening: Future[None] = Future()
        self._thread = threading.Thread(
            target=asyncio.run, args=(self._run(listening),), name="wiretape-server", daemon=True
        )
        self._thread.start()
        try:
            listening.result(_START_TIMEOUT)
        except Exception:
            self._thread = None
            raise
        return self

    def stop(self) -> None:
        """End all streams and the thread, in under two seconds. A second stop does nothing."""
        if self._thread is None or self._loop is None or self._stopping is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_STOP_TIMEOUT)
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run a coroutine function in the server's loop and wait for what it gives."""
        if self._loop is None:
            raise RuntimeError("the server has not been started")
        return asyncio.run_coroutine_threadsafe(work(*arguments), self._loop).result()

    async def _run(self, listening: Future[None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        try:
            await self._runs.start()
        except Exception as error:  # whatever it is, the caller waits to hear of it
            listening.set_exception(error)
            return
        listening.set_result(None)
        await self._stopping.wait()
        await self._runs.stop()
