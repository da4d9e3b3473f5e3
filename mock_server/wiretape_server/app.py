"""What an HTTP request is for: which play, which endpoint; and what it gets when there is none."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from aiohttp import web

from wiretape.faults import Fault
from wiretape.report import printable
from wiretape_server import reads
from wiretape_server.converse import converse
from wiretape_server.exchange import Exchange, RefusedError
from wiretape_server.head import StreamedResponse
from wiretape_server.play import Play
from wiretape_server.refusals import Refusal
from wiretape_server.resume import resume

MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request's body; a longer one gets 413."""

Endpoint: TypeAlias = Callable[[Exchange], Awaitable[web.StreamResponse]]
FindPlay: TypeAlias = Callable[[str], Play | None]
"""Gives the play of a path prefix such as ``/play/flow_a/alefita_way``."""

_LOG: Final = logging.getLogger("wiretape_server")
_API: Final = re.compile(r"(?P<prefix>.*?)(?P<path>/backend-(?:api|anon)/.*)", re.DOTALL)


class Route(NamedTuple):
    method: str
    path: re.Pattern[str]
    endpoint: Endpoint


def _route(method: str, path: str, endpoint: Endpoint) -> Route:
    return Route(method, re.compile(r"/backend-(?:api|anon)" + path), endpoint)


_ID: Final = "/conversation/(?P<conversation_id>[^/]+)"
ROUTES: Final = (
    _route("POST", "/f/conversation", converse),
    _route("POST", "/f/conversation/prepare", reads.prepare),
    _route("POST", "/f/conversation/resume", resume),
    _route("GET", "/ios/attestation_challenge", reads.challenge),
    _route("GET", _ID, reads.conversation),
    _route("GET", _ID + "/stream_status", reads.stream_status),
    _route("POST", "/stop_conversation", reads.stop),
)


class App:
    """Takes every request of a site. ``find_play`` knows its plays, ``addresses`` lists them for people."""

    def __init__(self, find_play: FindPlay, addresses: Callable[[], list[str]]) -> None:
        self._find_play = find_play
        self._addresses = addresses

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        play, path = self._place(request)
        if play is None:
            return self._nowhere(request)
        exchange, unread = await _receive(play, request, path)
        try:
            if unread is not None:
                raise unread
            endpoint = _endpoint(exchange)
            if play.faulty is not None and (refused := play.faulty.refusal(exchange)) is not None:
                return _strike(exchange, *refused)
            return await endpoint(exchange)
        except RefusedError as refusal:
            return _refuse(exchange, refusal)
        except ConnectionError:
            return StreamedResponse(keep_alive=False)  # the client left
        except Exception as error:
            return _fail(exchange, error)

    def _place(self, request: web.BaseRequest) -> tuple[Play | None, str]:
        """The play that a request is for, and the path within it, with its query."""
        found = _API.fullmatch(request.rel_url.raw_path_qs)
        return (self._find_play(unquote(found["prefix"])), found["path"]) if found else (None, "")

    def _nowhere(self, request: web.BaseRequest) -> web.Response:
        """Answer a request that no play is there for."""
        there = ", ".join(self._addresses()) or "none yet"
        message = (
            f"nothing is played at {request.path!r}. A client's base URL is one of: {there}; "
            "requests go to <base URL>/backend-api/…"
        )
        return web.json_response({"detail": {"code": "no_such_play", "message": message}}, status=404)


@lru_cache(maxsize=256)
def _name(header: bytes) -> str:
    """Clients send the same names again and again: all requests of a transcript share them."""
    return _text(header)


def _text(header: bytes) -> str:
    return header.decode("latin-1")


async def _receive(play: Play, request: web.BaseRequest, path: str) -> tuple[Exchange, RefusedError | None]:
    """Read a request and note it; and why its body is not whole, if it isn't."""
    plain_path = unquote(path.partition("?")[0])
    body, unread = await _read(request, printable(f"{request.method} {plain_path}"))
    headers = tuple((_name(name), _text(value)) for name, value in request.raw_headers)
    number = play.recorder.request(request.method, path, headers, body)
    return Exchange(play=play, request=request, number=number, path=plain_path, body=body), unread


async def _read(request: web.BaseRequest, name: str) -> tuple[bytes, RefusedError | None]:
    """The body, and why that is not all of it."""
    if request.headers.get("expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := await request.content.readany():
            pieces.append(piece)
            size += len(piece)
            if size > MAX_BODY:
                return b"".join(pieces)[:MAX_BODY], _too_long(name)
    except web.RequestPayloadError:
        return b"".join(pieces), _undecodable(name, request.headers.get("content-encoding", ""))
    return b"".join(pieces), None


def _endpoint(exchange: Exchange) -> Endpoint:
    """Find the endpoint, and the conversation id in the path. Raises RefusedError, 404 or 405."""
    allowed: list[str] = []
    for route in ROUTES:
        match = route.path.fullmatch(exchange.path)
        if match is None:
            continue
        if route.method == exchange.request.method:
            exchange.conversation_id = match.groupdict().get("conversation_id", "")
            return route.endpoint
        allowed.append(route.method)
    if allowed:
        raise RefusedError(
            405,
            "method_not_allowed",
            f"{exchange.name}: this path takes {', '.join(allowed)}.",
            unmatched=True,
            headers={"allow": ", ".join(allowed)},
        )
    raise RefusedError(
        404,
        "unknown_path",
        f"{exchange.name}: no such endpoint. There are: "
        + ", ".join(f"{route.method} {_readable(route)}" for route in ROUTES),
        unmatched=True,
    )


def _readable(route: Route) -> str:
    path = route.path.pattern.replace("(?:api|anon)", "api")
    return path.replace("(?P<conversation_id>[^/]+)", "<id>")


def _too_long(name: str) -> RefusedError:
    return RefusedError(
        413,
        "body_too_long",
        f"the body of {name} is longer than {MAX_BODY} bytes. Send a shorter one.",
        unmatched=True,
        headers={"connection": "close"},
    )


def _undecodable(name: str, encoding: str) -> RefusedError:
    return RefusedError(
        400,
        "undecodable_body",
        f"the body of {name} is not what its header content-encoding {encoding!r} says. "
        "Encode it so, or leave the header out.",
        unmatched=True,
        headers={"connection": "close"},
    )


def _refuse(exchange: Exchange, refusal: RefusedError) -> web.Response:
    if refusal.unmatched:
        exchange.play.errors.append(f"request {exchange.number}: {refusal.message}")
    response = exchange.answer(refusal.body(), refusal.status, refusal.headers)
    if "connection" in refusal.headers:
        response.force_close()
    return response


def _strike(exchange: Exchange, fault: Fault, refusal: Refusal) -> web.Response:
    """Refuse a request as a fault says."""
    exchange.play.recorder.struck(f"request {exchange.number}", str(fault))
    headers = {"content-type": refusal.content_type, **refusal.headers}
    return exchange.send(refusal.body, refusal.status, headers)


def _fail(exchange: Exchange, error: Exception) -> web.StreamResponse:
    """Answer a request that met a fault of the server's own, and go on serving others."""
    _LOG.debug("a fault while answering request %d", exchange.number, exc_info=error)
    said = f"{exchange.name}: the server failed: {type(error).__name__}: {error}"
    exchange.play.errors.append(f"request {exchange.number}: {said}")
    if exchange.streaming:
        if exchange.request.transport is not None:
            exchange.request.transport.abort()
        return StreamedResponse(keep_alive=False)
    return exchange.answer({"detail": {"code": "server_fault", "message": said}}, 500)
