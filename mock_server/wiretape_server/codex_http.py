"""Which requests are for a Codex play: its websocket, the health endpoints, the model provider's side."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from aiohttp import web

from wiretape_server import responses
from wiretape_server.codex_play import CodexPlay
from wiretape_server.codex_ws import HEALTH, WebsocketDoor, wants_upgrade
from wiretape_server.site import App

FindPlay: TypeAlias = Callable[[str], CodexPlay | None]
"""Gives the play of a path prefix such as ``/play/codex/dynamic_tool_text``; of none, the first."""

_PLACE: Final = re.compile(r"/codex(?=/|$)|/v1/")


class CodexApp:
    """Takes the requests of a site that are for a Codex play, and leaves all others to another app."""

    def __init__(self, find_play: FindPlay, others: App) -> None:
        self._find_play = find_play
        self._others = others

    def __call__(self, request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        place = self._place(request)
        if place is None:
            return self._others(request)
        play, path = place
        if path.startswith("/v1/"):
            return responses.serve(play, request, path)
        server = play.shared
        return WebsocketDoor(play, server, play.lock, lambda: play.crash(server))(request)

    def _place(self, request: web.BaseRequest) -> tuple[CodexPlay, str] | None:
        """The play that a request is for, and the path within it. A play's own name may hold ``/codex``."""
        path = request.path
        for found in _PLACE.finditer(path):
            play = self._find_play(path[: found.start()])
            if play is not None:
                return play, path[found.start() :]
        first = None if path.startswith("/play/") else self._find_play("")
        return (first, path) if first and (path in HEALTH or wants_upgrade(request)) else None
