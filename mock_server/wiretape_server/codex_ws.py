"""The app-server's websocket: who gets in, the health endpoints, and messages both ways."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from aiohttp import WSMessage, WSMsgType, web

from wiretape_server.codex.appserver import AppServer
from wiretape_server.codex_play import CodexPlay, Line
from wiretape_server.ws_auth import Lock, LockedError

LONGEST_MESSAGE: Final = 64 * 1024 * 1024
"""Bytes of a client's message, in however many fragments."""
HEALTH: Final = ("/readyz", "/healthz")
_NO_UPGRADE: Final = "Connection header did not include 'upgrade'"
_CLOSING: Final = 1.0
"""Seconds that a client gets to answer a close."""
_RESTART: Final = 1012
"""The close code of a service that restarts."""


class WebsocketDoor:
    """Lets clients in to one app-server process, on whatever path they come.

    ``die`` is how a fault ends the process.
    """

    def __init__(self, play: CodexPlay, server: AppServer, lock: Lock, die: Callable[[], object]) -> None:
        self._play = play
        self._server = server
        self._lock = lock
        self._die = die

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Serve one request: a websocket, or a question about health."""
        if "origin" in request.headers:
            return self._refuse(request, 403, "", "a request with an Origin header is refused")
        if not wants_upgrade(request):
            healthy = request.method == "GET" and request.path.endswith(HEALTH)
            return web.Response() if healthy else self._refuse(request, 400, _NO_UPGRADE)
        try:
            self._lock.open(request.headers.get("authorization"), self._play.world.wall())
        except LockedError as refusal:
            return self._refuse(request, 401, str(refusal))
        return await self._talk(request)

    def _refuse(self, request: web.BaseRequest, status: int, text: str, why: str = "") -> web.Response:
        """Refuse with this text; the verdict says ``why``, where that is another one."""
        self._play.errors.append(f"{request.method} {request.path}: {status}: {why or text}")
        return web.Response(status=status, text=text)

    async def _talk(self, request: web.BaseRequest) -> web.WebSocketResponse:
        # The real one knows no compression; limits here are exclusive.
        websocket = web.WebSocketResponse(
            max_msg_size=LONGEST_MESSAGE + 1, compress=False, timeout=_CLOSING, autoclose=True
        )
        await websocket.prepare(request)
        outgoing = _Outgoing(websocket, request.transport, self._die)
        line = Line(self._play, self._server, outgoing, transport="websocket")
        sender = asyncio.get_running_loop().create_task(outgoing.run())
        abort = request.transport.abort if request.transport is not None else sender.cancel
        self._play.opened(abort)
        failure = ""
        try:
            failure = await _receive(websocket, line)
        finally:
            sender.cancel()
            line.close(failure or outgoing.how or f"close code {websocket.close_code}")
            self._play.ended(abort)
        return websocket


async def _receive(websocket: web.WebSocketResponse, line: Line) -> str:
    """Take messages until the websocket is closed; what was wrong, if that is why."""
    message: WSMessage
    async for message in websocket:
        if message.type is WSMsgType.TEXT:
            line.receive(message.data.encode())
        elif message.type is WSMsgType.BINARY:
            line.ignore(message.data)
        elif message.type is WSMsgType.ERROR:
            return str(message.data)
    return ""


class _Outgoing:
    """What goes to a client, in order; its end too, where a fault ends it."""

    def __init__(
        self, websocket: web.WebSocketResponse, transport: asyncio.Transport | None, die: Callable[[], object]
    ) -> None:
        self._websocket = websocket
        self._transport = transport
        self._die = die
        self._messages: asyncio.Queue[bytes] = asyncio.Queue()
        self._ending = ""
        self.how = ""
        """How a fault ended it, for people."""

    def send(self, data: bytes) -> None:
        """Send a message."""
        self._messages.put_nowait(data)

    def end_by(self, kind: str) -> None:
        """End as a fault does, when all messages are sent."""
        self._ending = kind
        self._messages.put_nowait(b"")

    async def run(self) -> None:
        """Send what comes until cancelled."""
        try:
            while (data := await self._messages.get()) or not self._ending:
                await self._websocket.send_frame(data, WSMsgType.TEXT)
            await self._end()
        except ConnectionError:
            pass  # the client left, which the other direction tells of

    def drop(self) -> None:
        """Break off, without a close frame."""
        self.how = "the process died"
        if self._transport is not None:
            self._transport.close()

    async def _end(self) -> None:
        if self._ending == "reconnect":
            self.how = f"close code {_RESTART}"
            await self._websocket.close(code=_RESTART, message=b"service restart")
        elif self._ending == "child-exit":
            self._die()
        elif self._transport is not None:
            self._transport.write_eof()


def wants_upgrade(request: web.BaseRequest) -> bool:
    """Whether a request asks for a websocket."""
    return "upgrade" in request.headers.get("connection", "").lower()
