"""Status line and headers of a streamed answer, as bytes; and what aiohttp is told of such an answer.

The body of a stream is prepared HTTP/1.1 framing that goes to the transport past aiohttp. So does its head:
at instant pace both leave in one write, which is half of what a stream costs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from aiohttp import web

EVENT_STREAM: Final = "text/event-stream; charset=utf-8"
_NOT_REPLAYED: Final = frozenset(
    {
        *("connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"),
        *("content-type", "cache-control", "date", "server", "set-cookie", "x-conduit-token"),
    }
)
"""Recorded headers that this connection, this body or this play has its own of."""
_PHRASES: Final = {int(status): status.phrase for status in HTTPStatus}
"""Some that are recorded have none, as 520 and its like from before a backend."""
_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]")


class StreamedResponse(web.StreamResponse):
    """Stands for an answer that was written past aiohttp, which only has to keep or close the connection."""

    def __init__(self, *, keep_alive: bool) -> None:
        super().__init__()
        self._stays = keep_alive

    @property
    def keep_alive(self) -> bool:
        return self._stays

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send no head: it was sent."""

    async def write_eof(self, data: bytes = b"") -> None:
        """End no body: it has ended."""


def unsendable(headers: Mapping[str, str]) -> str | None:
    """The name of the first header that HTTP can't carry, None when all are well."""
    return next((name for name, value in headers.items() if _FORBIDDEN.search(f"{name}{value}")), None)


def content_type(headers: Mapping[str, str]) -> str:
    """The recorded content type; that of an event stream when there is none."""
    recorded = {name.lower(): value for name, value in headers.items()}
    return recorded.get("content-type", EVENT_STREAM)


def streamed_headers(recorded: Mapping[str, str], token: str) -> dict[str, str]:
    """The headers of a stream: those recorded, never a length, and a conduit token of its own."""
    headers = {name: value for name, value in recorded.items() if name.lower() not in _NOT_REPLAYED}
    headers["Content-Type"] = content_type(recorded)
    headers["Cache-Control"] = "no-store"
    headers["X-Conduit-Token"] = token
    return headers


def stays(request: web.BaseRequest) -> bool:
    """Whether the connection serves another request. HTTP/1.0 has no chunks: there its end ends the body."""
    return request.version >= (1, 1) and request.keep_alive


@lru_cache(maxsize=1)
def _date_line(now: int) -> str:
    return f"Date: {formatdate(now, usegmt=True)}"


def head_bytes(request: web.BaseRequest, status: int, headers: Mapping[str, str]) -> bytes:
    """The head that announces a stream to this client."""
    version = "HTTP/1.1" if request.version >= (1, 1) else "HTTP/1.0"
    lines = [f"{version} {status} {_PHRASES.get(status, '')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append(_date_line(int(time.time())))
    if request.version >= (1, 1):
        lines.append("Transfer-Encoding: chunked")
    if not stays(request):
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
