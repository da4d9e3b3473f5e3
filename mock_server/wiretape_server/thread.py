"""The mock server in a thread and an event loop of its own, for tests and programs of any kind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Final

from wiretape.cassette.model import Cassette
from wiretape_server.codex_play import CodexPlay
from wiretape_server.options import PlayOptions
from wiretape_server.playback import CodexPlayback, Playback
from wiretape_server.programs import Programs
from wiretape_server.server import AnyPlay, Server

__all__ = ["CodexPlayback", "Playback", "ServerThread"]

_START_TIMEOUT: Final = 10.0
_STOP_TIMEOUT: Final = 1.9
"""Seconds. The thread is a daemon: one that does not end in time holds nobody up."""


class ServerThread:
    """A Server that runs beside the caller. Takes what Server takes; a context manager."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._server = Server(*arguments, **settings)
        self._programs = Programs()
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
        self._programs.close()

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
        """Play a cassette; a codex one gives a CodexPlayback. Raises CassetteError, OptionError."""
        with self._lock:
            play = self._server.add(cassette, options, key=key)
        url = self.call(self._server.add_site, play) if own_port else f"{self.base_url}/play/{play.key}"
        if not isinstance(play, CodexPlay):
            return Playback(self, play, url)
        host, port = self._server.bridge_address
        with self._lock:
            program = self._programs.write(host, port, play.key)
        return CodexPlayback(
            self,
            play,
            url,
            program=program,
            bridge=f"{host}:{port}/{play.key}",
            ws_url=url.replace("http", "ws", 1) + ("" if own_port else "/codex"),
        )

    def remove(self, play: AnyPlay) -> None:
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
