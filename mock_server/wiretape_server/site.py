"""A port that the server listens on, and the connections to it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from aiohttp import web

App: TypeAlias = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
"""Answers a request."""

_SHUTDOWN: Final = 0.4
"""Seconds that a request which is still being read gets to end, when the server stops."""
_HTTP_LOG: Final = logging.getLogger("wiretape_server.http")
_HTTP_LOG.addHandler(logging.NullHandler())
_HTTP_LOG.propagate = False  # what a client does to HTTP itself is answered with 400, not with a traceback


class Site:
    """A listening port and its connections. ``parsing`` are settings of aiohttp's request parser."""

    def __init__(self, app: App, **parsing: Any) -> None:
        self._http = web.Server(
            app, handler_cancellation=True, tcp_keepalive=False, access_log=None, logger=_HTTP_LOG, **parsing
        )
        self._listener: asyncio.Server | None = None
        self.base_url = ""

    async def open(self, host: str, port: int) -> None:
        """Listen. Raises OSError, with what to do, when the address can't be had."""
        loop = asyncio.get_running_loop()
        try:
            # Not serving yet, so that nobody can call it off between the socket and its owner.
            self._listener = await loop.create_server(
                self._http, host, port, backlog=1024, start_serving=False
            )
            await self._listener.start_serving()
        except OSError as error:
            raise OSError(
                error.errno,
                f"can't listen on {host} port {port}: {error.strerror or error}. "
                "Choose another port, or 0 for any that is free.",
            ) from None
        port = self._listener.sockets[0].getsockname()[1]
        self.base_url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def shut(self) -> None:
        """Stop listening; connections go on."""
        if self._listener is not None:
            self._listener.close()

    async def close(self) -> None:
        """Stop listening and end every connection."""
        self.shut()
        self._http.pre_shutdown()
        await self._http.shutdown(_SHUTDOWN)
