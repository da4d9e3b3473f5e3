"""The timeline of the bytes: each request, chunk and frame as it was, of any protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from wiretape.timeline.row import Row
from wiretape.transcript import (
    Body,
    Chunk,
    End,
    Entry,
    Frame,
    Headers,
    Link,
    Request,
    Response,
    Struck,
    Transcript,
)


def wire(transcript: Transcript) -> Iterator[Row]:
    """Every entry as it was on the wire, one row each."""
    bodies: dict[int, Body] = {}
    for entry in transcript.entries:
        if isinstance(entry, Response):
            bodies[entry.number] = entry.body
        if not isinstance(entry, Chunk):
            yield _ROW[type(entry)](entry)
        elif entry.number in bodies:
            yield _chunk(entry, bodies[entry.number])


def _request(entry: Request) -> Row:
    return Row(
        at=entry.at,
        place=str(entry.number),
        side="client",
        event=f"{entry.method} {entry.path}",
        text=_headed(entry.headers, entry.body),
    )


def _response(entry: Response) -> Row:
    return Row(
        at=entry.at,
        place=str(entry.number),
        side="server",
        event=str(entry.status),
        text=_headed(entry.headers, b""),
    )


def _chunk(entry: Chunk, body: Body) -> Row:
    return Row(
        at=entry.at,
        place=str(entry.number),
        side="server",
        event="chunk",
        op=f"{entry.stop - entry.start} bytes",
        text=_text(body.bytes(entry.start, entry.stop)),
    )


def _end(entry: End) -> Row:
    return Row(at=entry.at, place=str(entry.number), side=ender(entry), event=f"end: {entry.how}")


def _frame(entry: Frame) -> Row:
    return Row(
        at=entry.at,
        place=entry.connection,
        side=entry.direction,
        event="binary frame" if entry.binary else "frame",
        op=f"{len(entry.data)} bytes",
        text=_text(entry.data),
    )


def link_row(entry: Link) -> Row:
    """A connection's begin or end."""
    return Row(
        at=entry.at,
        place=entry.connection,
        side=entry.by,
        event=f"{entry.transport} {entry.what}",
        text=entry.detail,
    )


def struck_row(entry: Struck) -> Row:
    """A fault that strikes."""
    return Row(at=entry.at, place=entry.connection, side="server", event="fault", text=entry.fault)


def ender(entry: End) -> Any:
    """Who ended an answer."""
    return "client" if entry.how == "client-left" else "server"


_ROW: Final[Mapping[type[Entry], Callable[[Any], Row]]] = {
    Request: _request,
    Response: _response,
    End: _end,
    Frame: _frame,
    Link: link_row,
    Struck: struck_row,
}


def _headed(headers: Headers, body: bytes) -> str:
    return "\n".join([*(f"{name}: {value}" for name, value in headers), *([_text(body)] if body else [])])


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
