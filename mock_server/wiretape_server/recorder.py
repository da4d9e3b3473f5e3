"""Writes the transcript of a play: every entry at the moment it happens, in the server's thread."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from wiretape.transcript import (
    Body,
    Chunk,
    End,
    EndHow,
    Entry,
    Frame,
    Headers,
    Link,
    Request,
    Response,
    Side,
    Struck,
    Transport,
)

_CHUNK: Final = struct.Struct("=QQQd")
"""Request's number, start, stop, and time: a chunk as the recorder keeps it."""


class Recorder:
    """Appends entries; they may be read from any thread at any time.

    An entry is written before the bytes that it stands for: whatever a peer does about them comes after it.
    """

    __slots__ = ("_began", "_clock", "_entries", "_requests")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._requests = 0
        self._entries: list[Entry | bytes] = []
        """A chunk is packed: a thousand paced streams make many, few are ever looked at, and the collector,
        which stops all of them while it looks at objects, has none to look at here."""

    @property
    def count(self) -> int:
        """How many entries there are."""
        return len(self._entries)

    def entries(self) -> list[Entry]:
        """What happened so far."""
        return [_chunk(each) if isinstance(each, bytes) else each for each in list(self._entries)]

    def request(self, method: str, path: str, headers: Headers, body: bytes) -> int:
        """Note a request and give it its number."""
        self._requests += 1
        number = self._requests
        at = self._now()
        self._entries.append(
            Request(number=number, method=method, path=path, headers=headers, body=body, at=at)
        )
        return number

    def response(self, number: int, status: int, headers: Headers, body: Body) -> None:
        at = self._now()
        self._entries.append(Response(number=number, status=status, headers=headers, body=body, at=at))

    def chunk(self, number: int, start: int, stop: int) -> None:
        self._entries.append(_CHUNK.pack(number, start, stop, self._clock() - self._began))

    def end(self, number: int, how: EndHow) -> None:
        self._entries.append(End(number=number, how=how, at=self._now()))

    def answer(self, number: int, status: int, headers: Headers, body: bytes) -> None:
        """Note an answer that goes out in one piece."""
        self.response(number, status, headers, Body(body))
        self.chunk(number, 0, len(body))
        self.end(number, "complete")

    def frame(self, direction: Side, data: bytes, connection: str, *, binary: bool = False) -> None:
        """Note one JSON-RPC message, or what came in its place."""
        at = self._now()
        self._entries.append(
            Frame(direction=direction, data=data, connection=connection, binary=binary, at=at)
        )

    def opened(self, connection: str, transport: Transport) -> None:
        """Note that a connection has begun."""
        self._entries.append(Link(connection=connection, what="opened", transport=transport, at=self._now()))

    def closed(self, connection: str, transport: Transport, detail: str, by: Side) -> None:
        """Note that a connection has ended. ``detail`` says how, to people."""
        at = self._now()
        self._entries.append(
            Link(connection=connection, what="closed", transport=transport, detail=detail, at=at, by=by)
        )

    def struck(self, connection: str, fault: str) -> None:
        """Note that a fault strikes a connection."""
        self._entries.append(Struck(connection=connection, fault=fault, at=self._now()))

    def _now(self) -> float:
        return self._clock() - self._began


def _chunk(packed: bytes) -> Chunk:
    number, start, stop, at = _CHUNK.unpack(packed)
    return Chunk(number=number, start=start, stop=stop, at=at)
