"""The mock server in a thread and an event loop of its own, for tests and programs of any kind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Any, Final

from wiretape.cassette.model import Cassette
from wiretape.transcript import Transcript
from wiretape_server.options import PlayOptions
from wiretape_server.play import Play
from wiretape_server.server import Server

_START_TIMEOUT: Final = 10.0
_STOP_TIMEOUT: Final = 1.9
"""Seconds. The thread is a daemon: one that does not end in time holds nobody up."""


class Playback:
    """A cassette that is being played, seen from another thread."""

    def __init__(self, thread: ServerThread, play: Play, base_url: str) -> None:
        self._thread = thread
        self._play = play
        self.base_url = base_url
        """What a client is given: ``<base_url>/backend-api/…`` are the endpoints."""

    @property
    def cassette(self) -> Cassette:
        return self._play.cassette

    @property
    def user_message(self) -> str:
        """What the client's user says; empty when the cassette does not tell."""
        return self.cassette.expect.user_message or ""

    @property
    def tools(self) -> list[Mapping[str, Any]]:
        """The signatures that the client declares."""
        return list(self.cassette.expect.tools)

    @property
    def results(self) -> dict[str, Any]:
        """Tool name to the result object that the client gives; without those that echo their argument."""
        expected = self.cassette.expect.results
        return {tool: result for tool, result in expected.items() if result != "echo"}

    def transcript(self) -> Transcript:
        """A copy of what happened so far."""
        return self._play.transcript()

    def wait_idle(self, timeout: float) -> bool:
        """Wait until all streams of this play have ended; whether they did in ``timeout`` seconds."""
        return bool(self._thread.call(_wait_idle, self._play, timeout))

    def close(self) -> None:
        """Break the streams that are open and give the address back."""
        self._thread.remove(self._play)


async def _wait_idle(play: Play, timeout: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(play.idle.wait(), timeout)
    return play.idle.is_set()


class ServerThread:
    """A Server that runs beside the caller. Takes what Server takes; a context manager."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._server = Server(*arguments, **settings)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None

    def start(self) -> ServerThread:
        """Start, and return when the server listens; a second start does nothing.

        Raises OSError when the port is taken.
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
        except OSError:
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

    def __enter__(self) -> ServerThread:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """The server's address without a play's prefix: it plays what was added first."""
        return self._server.base_url

    def play(
        self,
        cassette: Cassette,
        options: PlayOptions | None = None,
        *,
        key: str | None = None,
        own_port: bool = False,
    ) -> Playback:
        """Play a cassette. Raises CassetteError when it can't be played."""
        with self._lock:
            play = self._server.add(cassette, options, key=key)
        if own_port:
            return Playback(self, play, self.call(self._server.add_site, play))
        return Playback(self, play, f"{self.base_url}/play/{play.key}")

    def remove(self, play: Play) -> None:
        """End a play."""
        if self._thread is not None:
            self.call(self._server.remove, play.key)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run a coroutine function in the server's loop and wait for what it gives."""
        if self._loop is None:
            raise RuntimeError("the server has not been started")
        return asyncio.run_coroutine_threadsafe(work(*arguments), self._loop).result()

    async def _run(self, listening: Future[None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        try:
            await self._server.start()
        except OSError as error:
            listening.set_exception(error)
            return
        listening.set_result(None)
        await self._stopping.wait()
        await self._server.stop()
