"""Which request of the inspector's is for which page, piece of a page, stream of news, or file."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import unquote, urlsplit

from aiohttp import web

from wiretape_server.inspector import guard
from wiretape_server.site import App

if TYPE_CHECKING:
    from wiretape_server.inspector.views import Views
    from wiretape_server.server import AnyPlay

PREFIX: Final = "/inspector"
_LOG: Final = logging.getLogger("wiretape_server")
_PLAY: Final = re.compile(r"/play/(?P<key>.+)/(?P<view>[a-z.]*)", re.DOTALL)

Plays: TypeAlias = Callable[[], Mapping[str, "AnyPlay"]]


class InspectorApp:
    """Takes the requests below /inspector, and leaves all others to another app.

    What it asks a play for leaves no trace there. It holds nothing, and imports nothing, before it is asked.
    """

    def __init__(self, plays: Plays, others: App) -> None:
        self._plays = plays
        self._others = others
        self._views: Views | None = None
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="wiretape-inspector")

    def __call__(self, request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        path = request.rel_url.raw_path
        if path != PREFIX and not path.startswith(f"{PREFIX}/"):
            return self._others(request)
        return self._answer(request, unquote(path[len(PREFIX) :]))

    def close(self) -> None:
        """Read nothing more."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def _answer(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        refused = guard.refusal(request)
        if refused is not None:
            return refused
        try:
            return await self._view(request, path)
        except ConnectionError:
            raise
        except Exception as error:
            _LOG.debug("a fault of the inspector at %s", path, exc_info=error)
            return guard.answer(500, f"The inspector failed: {type(error).__name__}: {error}")

    async def _view(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        if path == "":
            return web.Response(status=308, headers={**guard.HEADERS, "Location": f"{PREFIX}/"})
        view = self._find(path)
        if view is None:
            return guard.answer(404, f"There is no {PREFIX}{path!s}; {PREFIX}/ lists what is played.")
        return await view(request)

    def _find(self, path: str) -> Callable[[web.BaseRequest], Awaitable[web.StreamResponse]] | None:
        views = self._at_work()
        if path.startswith("/static/"):
            return partial(views.static, path.removeprefix("/static/"))
        found = _PLAY.fullmatch(path)
        if found is None:
            return views.of_all.get(path)
        play, view = self._plays().get(found["key"]), views.of_play.get(found["view"])
        return partial(view, play) if play is not None and view is not None else None

    def _at_work(self) -> Views:
        if self._views is None:
            from wiretape_server.inspector.views import Views

            self._views = Views(self._plays, self._executor)
        return self._views


def inspector_url(base_url: str) -> str | None:
    """The inspector's address of a server; None where no name of this machine reaches the server."""
    parts = urlsplit(base_url)
    name = parts.hostname or ""
    if guard.names_this_machine(parts.netloc):
        return f"{base_url}{PREFIX}/"
    return f"http://127.0.0.1:{parts.port}{PREFIX}/" if name in ("0.0.0.0", "::") else None
