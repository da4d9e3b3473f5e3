"""Writes one response body to a client: chunk by chunk at its pace, to the recorded end or an earlier one."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from aiohttp import web

from wiretape.sse import event_ends
from wiretape.transcript import Body, EndHow
from wiretape_server.pacing import Wheel
from wiretape_server.recorder import Recorder
from wiretape_server.track import Track

Request = web.BaseRequest
DONE: Final = b"data: [DONE]\n\n"
_MAX_WRITE: Final = 256 * 1024
"""Bytes that one write may hold at instant pace; a client that reads slowly is waited for in between."""
_RESET_ON_CLOSE: Final = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class Mark(NamedTuple):
    """Something that becomes true when the body was written up to ``offset``."""

    offset: int
    happen: Callable[[], object]


@dataclass(slots=True, kw_only=True)
class Written:
    """How far an answer got: what stays of a stream when it has ended."""

    body: Body
    upto: int = 0
    """Bytes of the body."""
    how: EndHow | None = None
    """None: it is still being written."""
    stopped: bool = False
    """Whether the user stopped it."""


class Stream:
    """The body of one answer on its way to a client. It ends once, and calls ``ended`` then."""

    __slots__ = (
        "_blocked",
        "_due",
        "_ended",
        "_frames",
        "_head",
        "_index",
        "_marks",
        "_plan",
        "_protocol",
        "_recorder",
        "_request",
        "_scale",
        "_tail",
        "_track",
        "_transport",
        "_waker",
        "_wheel",
        "number",
        "written",
    )

    def __init__(
        self,
        *,
        number: int,
        request: Request,
        head: bytes,
        track: Track,
        written: Written,
        plan: EndHow,
        tail: bytes,
        marks: Sequence[Mark],
        scale: float,
        wheel: Wheel,
        recorder: Recorder,
        ended: Callable[[], object],
    ) -> None:
        self.number = number
        self.written = written
        self._request = request
        self._protocol = request.protocol
        self._transport = request.transport
        self._head = head
        self._track = track
        self._frames = Body(track.frames, track.patches, written.body.values)
        self._plan = plan
        self._tail = tail
        self._marks = sorted(marks, key=lambda mark: -mark.offset)
        self._scale = scale
        self._wheel = wheel
        self._recorder = recorder
        self._ended = ended
        self._index = 0
        self._due = 0.0
        self._blocked = False
        self._waker: asyncio.Future[None] | None = None

    async def run(self) -> None:
        """Write head and body, to the recorded end."""
        self._start()
        while self.written.how is None:
            await self._sleep()
        if self.written.how == "hang":
            await asyncio.get_running_loop().create_future()
        if self.written.how == "reset":
            await reset_connection(self._request)

    def stop(self) -> None:
        """Finish the event that is being written, say [DONE], and end: the user pressed stop."""
        if self.written.how is not None:
            return
        begin, body = self.written.upto, self.written.body
        cut = next((end for end in event_ends(body.template) if end >= begin), len(body.template))
        body.patches = [patch for patch in body.patches if patch.offset < cut]
        body.template = body.template[:cut] + DONE
        self.written.stopped = True
        self._plan, self._tail = "complete", self._track.tail
        rest = body.bytes(begin)
        self._put(b"%x\r\n%b\r\n" % (len(rest), rest) if self._track.tail else rest, len(body), last=True)

    def abort(self) -> None:
        """Break the connection: the play is over."""
        self.end("reset")
        if self._transport is not None:
            self._transport.abort()

    def end(self, how: EndHow) -> None:
        """Note how it ended; a second end changes nothing."""
        if self.written.how is not None:
            return
        self.written.how = how
        self._recorder.end(self.number, how)
        self._ended()
        self._wake()

    def _start(self) -> None:
        if not self._track.stops:
            self._put(b"", self.written.upto, last=True)
            return
        self._due = self._wheel.now() + self._track.delays[0] * self._scale
        self._step()
        if self._head and self._transport is not None:  # nothing was due yet
            self._transport.write(self._head)
            self._head = b""

    def _step(self) -> None:
        """Write all that is due."""
        while self.written.how is None and not self._blocked and self._is_due():
            self._write_next()

    def _is_due(self) -> bool:
        """Whether the next chunk is due; when it is not, the wheel will say so."""
        if self._scale == 0.0 or self._due <= self._wheel.now():
            return True
        self._wheel.at(self._due, self._step)
        return False

    def _write_next(self) -> None:
        track, first = self._track, self._index
        begin, after = track.frame_start(first), first + 1
        if self._scale == 0.0:
            after = max(after, bisect_right(track.frame_stops, begin + _MAX_WRITE))
        self._index = after
        end = track.frame_stops[after - 1]
        whole = self._scale != 0.0 and not track.patched[first]
        data = track.frames[begin:end] if whole else self._frames.bytes(begin, end)
        last = after == len(track.stops)
        if not last:
            self._due += track.delays[after] * self._scale
        self._put(data, track.stops[after - 1], last=last)

    def _put(self, data: bytes, stop: int, *, last: bool) -> None:
        """Write bytes that bring the body up to ``stop``, after noting all that they bring about."""
        transport = self._transport
        if transport is None or transport.is_closing():
            self.end("client-left")
            return
        if stop > self.written.upto:
            self._recorder.chunk(self.number, self.written.upto, stop)
            self.written.upto = stop
        while self._marks and self._marks[-1].offset <= stop:
            self._marks.pop().happen()
        if last:
            data += self._tail if self._plan in ("complete", "cut") else b""
            self.end(self._plan)
        transport.write(self._head + data)
        self._head = b""
        if not last and self._protocol.writing_paused:
            self._blocked = True
            self._wake()

    async def _sleep(self) -> None:
        """Until the wheel has written everything; in between until a slow client has read."""
        if not self._blocked:
            self._waker = asyncio.get_running_loop().create_future()
            await self._waker
        if self._blocked:
            await self._request.writer.drain()
            self._blocked = False
            self._step()

    def _wake(self) -> None:
        if self._waker is not None and not self._waker.done():
            self._waker.set_result(None)


async def reset_connection(request: Request) -> None:
    """Break a client's connection, once everything that was written to it has left."""
    transport = request.transport
    if transport is None:
        return
    transport.set_write_buffer_limits(0)  # drain() then waits for the last byte
    await request.writer.drain()
    connection = transport.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()
