"""The mock server: plays on one port, each under its prefix, and plays that have a port of their own."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from typing import Final

from aiohttp import web

from wiretape.cassette.model import Cassette
from wiretape_server.app import App
from wiretape_server.minting import IdSource, RandomPool
from wiretape_server.options import PlayOptions
from wiretape_server.pacing import Callback, Timer, Wheel
from wiretape_server.play import Play, World
from wiretape_server.script import Scripts

_SHUTDOWN: Final = 0.4
"""Seconds that a request which is still being read gets to end, when the server stops."""
_HTTP_LOG: Final = logging.getLogger("wiretape_server.http")
_HTTP_LOG.addHandler(logging.NullHandler())
_HTTP_LOG.propagate = False  # what a client does to HTTP itself is answered with 400, not with a traceback


class Site:
    """A listening port and its connections."""

    def __init__(self, app: App) -> None:
        self._http = web.Server(app, handler_cancellation=True, access_log=None, logger=_HTTP_LOG)
        self._listener: asyncio.Server | None = None
        self.base_url = ""

    async def open(self, host: str, port: int) -> None:
        """Listen. Raises OSError, with what to do, when the address can't be had."""
        loop = asyncio.get_running_loop()
        try:
            self._listener = await loop.create_server(self._http, host, port, backlog=1024)
        except OSError as error:
            raise OSError(
                error.errno,
                f"can't listen on {host} port {port}: {error.strerror or error}. "
                "Choose another port, or 0 for any that is free.",
            ) from None
        port = self._listener.sockets[0].getsockname()[1]
        self.base_url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def close(self) -> None:
        """Stop listening and end every connection."""
        if self._listener is not None:
            self._listener.close()
        self._http.pre_shutdown()
        await self._http.shutdown(_SHUTDOWN)


class Server:
    """Plays cassettes over HTTP. Clock, wall clock, id source and wheel can be given by a test.

    ``mint(n)`` gives n random bytes. Without ``wheel`` the event loop's own timers are used.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        mint: IdSource | None = None,
        wheel: Wheel | None = None,
    ) -> None:
        self._host = host
        self._port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        own_wheel = wheel or Wheel(time.monotonic, self._call_at)
        self._world = World(wheel=own_wheel, clock=clock, wall=wall, mint=mint or RandomPool())
        self._scripts = Scripts()
        self._plays: dict[str, Play] = {}
        self._site: Site | None = None
        self._own_sites: dict[str, Site] = {}

    @property
    def base_url(self) -> str:
        """``http://host:port``; requests that go straight to it reach the play that was added first."""
        if self._site is None:
            raise RuntimeError("the server has not been started")
        return self._site.base_url

    async def start(self) -> None:
        """Listen. Raises OSError when the port is taken."""
        self._loop = asyncio.get_running_loop()
        site = Site(App(self._play_at, self._addresses))
        await site.open(self._host, self._port)
        self._site = site

    async def stop(self) -> None:
        """End every stream and connection, in well under two seconds."""
        for key in list(self._plays):
            await self.remove(key)
        if self._site is not None:
            await self._site.close()

    def add(self, cassette: Cassette, options: PlayOptions | None = None, *, key: str | None = None) -> Play:
        """Play a cassette at ``/play/<key>``; without a key at a new one. Raises CassetteError.

        May be called from any thread, one at a time.
        """
        options = options or PlayOptions()
        script = self._scripts.of(cassette, options.chunks)
        key = secrets.token_urlsafe(9) if key is None else key.strip("/")
        play = self._plays[key] = Play(key, script, options, self._world)
        return play

    async def add_site(self, play: Play) -> str:
        """Give a play a port of its own, for a client that can't take a path prefix; its base URL."""
        site = Site(App(lambda prefix: None if prefix else play, lambda: [site.base_url]))
        await site.open(self._host, 0)
        self._own_sites[play.key] = site
        return site.base_url

    async def remove(self, key: str) -> None:
        """End a play: its streams break, its address is gone."""
        play = self._plays.pop(key, None)
        if play is not None:
            play.close()
        site = self._own_sites.pop(key, None)
        if site is not None:
            await site.close()

    def _play_at(self, prefix: str) -> Play | None:
        if prefix in ("", "/"):
            return next(iter(self._plays.values()), None)
        head, found, key = prefix.partition("/play/")
        return self._plays.get(key.strip("/")) if found and not head else None

    def _addresses(self) -> list[str]:
        return [f"{self.base_url}/play/{key}" for key in self._plays]

    def _call_at(self, when: float, callback: Callback) -> Timer:
        if self._loop is None:
            raise RuntimeError("the server has not been started")
        return self._loop.call_at(when, callback)
