"""A client that sends any bytes, and says what came back: each answer by its status and what it holds."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
from collections.abc import Iterator
from typing import Any, Final

from tests.attack.traffic import Script

LIMIT: Final = 20.0
"""Seconds that a server may leave a client without the end of what it was asked for."""
_IDS: Final = re.compile(rb'"(?:conversation_id|id)": ?"([0-9a-f-]{36})"')
_RESET: Final = struct.pack("ii", 1, 0)

Answer = tuple[str, str]
"""Status, and the code or the sort of the body: ``event stream``, ``JSON``, ``text``, ``HTML``, ``empty``."""


class HungError(AssertionError):
    """A server neither answered nor closed."""


async def talk(
    address: tuple[str, int], script: Script, known: list[str], *, broken: bool = False
) -> list[Answer]:
    """Do what a script says; the answers that came whole. Raises HungError.

    Ids that the server tells of are added to ``known``. ``broken``: the server breaks answers on purpose.
    """
    reader, writer = await asyncio.open_connection(*address)
    try:
        async with asyncio.timeout(LIMIT):
            await _write(writer, script)
            if script.ending == "abort":
                if script.patience:
                    await reader.read(script.patience)
                reset(writer)
                return []
            data = await reader.read(-1)
    except TimeoutError:
        raise HungError(f"no end within {LIMIT} s to {script}") from None
    except OSError:  # the server broke it off while we were still sending
        return []
    finally:
        writer.close()
    known += (found.decode() for found in _IDS.findall(data))
    return [*answers(data, script.methods, whole=script.ending == "read" and not broken)]


async def _write(writer: asyncio.StreamWriter, script: Script) -> None:
    for piece in script.pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    if script.ending == "half-close":
        writer.write_eof()


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection with a reset."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()


def answers(data: bytes, methods: tuple[str, ...], *, whole: bool) -> Iterator[Answer]:
    """Read the answers in what a server sent on one connection. The last one may be cut unless ``whole``."""
    number = 0
    while data:
        try:
            head, data = _until(data, b"\r\n\r\n")
            status, headers = _head(head)
            if status == 101:
                yield "101", "websocket"
                return  # what comes behind it is no HTTP
            asked = methods[number] if number < len(methods) else ""
            bare = status == 100 or (asked == "HEAD" and data[:5] in (b"", b"HTTP/"))
            body, data = (b"", data) if bare else _body(headers, data)
        except CutError:
            assert not whole, f"an answer without its end: {data!r:.300}"
            return
        if status != 100:
            number += 1
            yield str(status), sort(headers.get("content-type", ""), body)


class CutError(Exception):
    """An answer is not whole."""


def _until(data: bytes, mark: bytes) -> tuple[bytes, bytes]:
    found, there, rest = data.partition(mark)
    if not there:
        raise CutError
    return found, rest


def _exactly(data: bytes, size: int) -> tuple[bytes, bytes]:
    if len(data) < size:
        raise CutError
    return data[:size], data[size:]


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    lines = head.decode("latin-1").split("\r\n")
    found = re.fullmatch(r"HTTP/1\.[01] (\d{3}) .*", lines[0])
    assert found, f"no status line: {lines[0]!r}"
    headers = (line.partition(": ") for line in lines[1:])
    return int(found[1]), {name.lower(): value for name, _, value in headers}


def _body(headers: dict[str, str], data: bytes) -> tuple[bytes, bytes]:
    """An answer's body, and what comes behind it."""
    if headers.get("transfer-encoding") == "chunked":
        return _chunks(data)
    if "content-length" in headers:
        return _exactly(data, int(headers["content-length"]))
    return data, b""


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    pieces = []
    while True:
        size, data = _until(data, b"\r\n")
        if not re.fullmatch(rb"[0-9a-fA-F]+", size):
            raise CutError
        piece, data = _exactly(data, int(size, 16))
        end, data = _exactly(data, 2)
        assert end == b"\r\n", "a chunk that is not as long as it says"
        if not piece:
            return b"".join(pieces), data
        pieces.append(piece)


def sort(content_type: str, body: bytes) -> str:
    """The code in an answer's body, else what it is."""
    media_type = content_type.partition(";")[0]
    if not body:
        return "empty"
    if media_type == "text/event-stream":
        return "event stream"
    if media_type == "application/json":
        value: Any = json.loads(body)
        detail = value.get("detail") if isinstance(value, dict) else None
        return f"`{detail['code']}`" if isinstance(detail, dict) else "JSON"
    return "HTML" if media_type == "text/html" else "text"
