"""A port that the server listens on, and the connections to it."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from aiohttp import web

App: TypeAlias = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
"""Answers a request."""

_SHUTDOWN: Final = 0.4
"""Seconds that a request which is still being read gets to end, when the server stops."""
_OF_THE_PORT: Final = (errno.EADDRINUSE, errno.EACCES)
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
        except (OSError, UnicodeError) as error:
            raise cannot_listen(host, port, error) from None
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


def cannot_listen(host: str, port: int, error: OSError | UnicodeError) -> OSError:
    """Why an address can't be had, and what to do. What can be no host's name is a UnicodeError."""
    number, why = (error.errno, error.strerror) if isinstance(error, OSError) else (errno.EINVAL, "no name")
    advice = (
        "Choose another port, or 0 for any that is free."
        if number in _OF_THE_PORT
        else "Choose an address of this machine, such as 127.0.0.1."
    )
    return OSError(number, f"can't listen on {host} port {port}: {why or error}. {advice}")
