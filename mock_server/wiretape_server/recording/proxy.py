"""The reverse proxy: every byte of an answer goes to the client at once, and into the recording second."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from aiohttp import web

from wiretape import strictjson
from wiretape.cassette.model import StreamEnd
from wiretape.endpoints import RECORDED
from wiretape_server.head import StreamedResponse
from wiretape_server.recording.framing import AnswerReader
from wiretape_server.recording.giving_up import give_up
from wiretape_server.recording.session import RecordedExchange, Recording
from wiretape_server.recording.upstream import Next, Upstream, UpstreamError, request_bytes
from wiretape_server.streaming import reset_connection

_ORIGIN: Final = re.compile(r"https?://[^/?]*", re.IGNORECASE)
"""What a client that takes the recorder for a forward proxy puts before a path."""
_LEFT: Final = "the client left: what would have come is not known"
_STOPPED: Final = "the recording was stopped: what would have come is not known"


class ReverseProxy:
    """Answers every request with what the upstream answers, and records those of the protocol."""

    def __init__(self, upstream: Upstream, recording: Recording) -> None:
        self._upstream = upstream
        self._recording = recording
        self.idle = asyncio.Event()
        """Set while no answer is on its way."""
        self.idle.set()

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await _read(request)
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.raw_headers]
        target = _ORIGIN.sub("", request.raw_path, count=1) or "/"
        totals = self._recording.totals
        totals.requests += 1
        exchange = self._begin(request.method, target, headers, body)
        sent = request_bytes(
            self._upstream.address,
            request.method,
            target,
            headers,
            body,
            version="1.1" if request.version >= (1, 1) else "1.0",
        )
        totals.open += 1
        self.idle.clear()
        try:
            return await self._answer(request, exchange, sent)
        finally:
            totals.open -= 1
            if not totals.open:
                self.idle.set()

    def _begin(
        self, method: str, target: str, headers: list[tuple[str, str]], body: bytes
    ) -> RecordedExchange | None:
        """The exchange, where the request is of the protocol."""
        if not RECORDED.fullmatch(target):
            return None
        try:
            return self._recording.exchange(method, target, self._as_sent(headers), body)
        except Exception as fault:
            give_up(self._recording, fault)
            return None

    def _as_sent(self, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The headers with the upstream's own name: the recorder's address is nobody's business."""
        host = self._upstream.address.authority
        return [(name, host if name.lower() == "host" else value) for name, value in headers]

    async def _answer(
        self, request: web.BaseRequest, exchange: RecordedExchange | None, sent: bytes
    ) -> web.StreamResponse:
        passage = _Passage(request, exchange, self._recording)
        connection = None
        try:
            connection = await self._upstream.ask(sent, passage.take, request.writer.drain)
            return passage.over()
        except UpstreamError as error:
            return self._unanswered(request, exchange, str(error))
        except asyncio.CancelledError:
            passage.left()
            raise
        except OSError as error:
            why = f"the upstream broke the connection: {error.strerror or error}"
            if not passage.begun:
                self._trouble(request, exchange, why)
                return await _broken(request)
            return await passage.broke_off(why)
        finally:
            if connection is not None and passage.reusable and connection.is_open:
                self._upstream.keep(connection)
            elif connection is not None:
                connection.close()
            if passage.trouble:
                self._trouble(request, None, passage.trouble)

    def _unanswered(
        self, request: web.BaseRequest, exchange: RecordedExchange | None, why: str
    ) -> web.StreamResponse:
        self._trouble(request, exchange, why)
        error = {"detail": {"code": "upstream_unreachable", "message": why}}
        return web.Response(status=502, text=strictjson.dumps(error), content_type="application/json")

    def _trouble(self, request: web.BaseRequest, exchange: RecordedExchange | None, why: str) -> None:
        if exchange is not None:
            exchange.gap(f"there was no answer: {why}")
        self._recording.troubles.append(f"{request.method} {request.path}: {why}")


class _Passage:
    """One answer on its way through."""

    def __init__(
        self, request: web.BaseRequest, exchange: RecordedExchange | None, recording: Recording
    ) -> None:
        self.trouble = ""
        self.begun = False
        self._request = request
        self._exchange = exchange
        self._recording = recording
        self._reader = AnswerReader(request.method)
        self._answered = False
        self._ended = False

    @property
    def reusable(self) -> bool:
        """Whether the upstream's connection serves another request."""
        return self._reader.keeps_alive

    def take(self, data: bytes) -> Next:
        """To the client first, into the recording second; a client that reads slowly is waited for.

        When this returns it is in the file: the process may be killed while it waits for more.
        """
        self.begun = True
        transport = self._request.transport
        if transport is None or transport.is_closing():
            self.left()
            return Next.STOP
        transport.write(data)
        self._recording.totals.size += len(data)
        self._record(self._reader.feed(data))
        if self._reader.ended:
            return Next.STOP
        return Next.WAIT if self._request.protocol.writing_paused else Next.GO_ON

    def over(self) -> web.StreamResponse:
        """The answer has ended, or the upstream closed the connection."""
        self._record(self._reader.close())
        if not self._reader.ended:
            self._end("reset", self._reader.fault or "the upstream closed the connection in the middle")
        self._end("complete")
        return StreamedResponse(keep_alive=self._request.keep_alive and self._reader.keeps_alive)

    def left(self) -> None:
        """Nobody waits for the rest."""
        why = _STOPPED if self._recording.stopped else _LEFT
        self._end("hang", f"{self._reader.fault}; {why}" if self._reader.fault else why)

    async def broke_off(self, why: str) -> web.StreamResponse:
        """Which of the two it was shows on the client's side."""
        transport = self._request.transport
        if transport is None or transport.is_closing():
            self.left()
            return StreamedResponse(keep_alive=False)
        self._record(self._reader.close())
        self._end("reset", why)
        return await _broken(self._request)

    def _record(self, pieces: list[bytes]) -> None:
        exchange, head = self._exchange, self._reader.head
        if exchange is None or head is None:
            return
        try:
            if not self._answered:
                self._answered = True
                exchange.answered(head)
            if pieces:
                exchange.pieces(pieces)
        except Exception as fault:
            give_up(self._recording, fault)
            self._exchange = None

    def _end(self, how: StreamEnd, why: str = "") -> None:
        if self._ended:
            return
        self._ended = True
        self.trouble = why
        if self._exchange is None:
            return
        try:
            self._exchange.ended(how, why)
        except Exception as fault:
            give_up(self._recording, fault)


async def _read(request: web.BaseRequest) -> bytes:
    if request.headers.get("expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    return await request.content.read()


async def _broken(request: web.BaseRequest) -> web.StreamResponse:
    """Break the client's connection as the upstream broke its own."""
    await reset_connection(request)
    return StreamedResponse(keep_alive=False)
