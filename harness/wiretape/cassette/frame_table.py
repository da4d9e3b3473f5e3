"""The frame table: one line per JSON-RPC message.

``> 0 {…}`` is from the client to the server, ``< 12 {…}`` from the server to the client 12 ms later, and
``c2> 5 {…}`` is on the connection c2. Bytes that such a line can't hold exactly stand in base64 behind ``=``.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from typing import Any, Literal

from wiretape.cassette.blocks import is_exact
from wiretape.cassette.chunk_table import DELAY
from wiretape.cassette.fields import wrong
from wiretape.cassette.model import CassetteError, RecordedFrame
from wiretape.cassette.refusal import refusal, shown

_LINE = re.compile(rf"([A-Za-z0-9_-]*)([<>]) ({DELAY}) (.+)".encode())
_DIRECTIONS: dict[bytes, Literal["client", "server"]] = {b">": "client", b"<": "server"}
_ARROWS = {direction: arrow for arrow, direction in _DIRECTIONS.items()}
_ENCODED = b"="


def read_frames(value: Any, at: str) -> tuple[RecordedFrame, ...]:
    """Read the table. Raises CassetteError for a line that is none, and for a table without any."""
    table = value.encode() if isinstance(value, str) else value
    if not isinstance(table, bytes) or not table:
        raise wrong(at, "a literal block with a line for each message", value, "write |+, and lines below it")
    return tuple(
        _frame(line, f"{at}, its line {number}")
        for number, line in enumerate(table.removesuffix(b"\n").split(b"\n"), start=1)
    )


def write_frames(frames: Iterable[RecordedFrame]) -> bytes:
    """Write the table. Raises CassetteError for a delay or a name that it can't hold exactly."""
    return b"".join(_line(frame) + b"\n" for frame in frames)


def _frame(line: bytes, at: str) -> RecordedFrame:
    found = _LINE.fullmatch(line)
    if found is None:
        raise _bad_line(line, at)
    connection, arrow, delay, data = found.groups()
    return RecordedFrame(
        direction=_DIRECTIONS[arrow],
        delay=float(delay),
        data=_decoded(data, at) if data.startswith(_ENCODED) else data,
        connection=connection.decode(),
    )


def _line(frame: RecordedFrame) -> bytes:
    delay = repr(float(frame.delay)).removesuffix(".0")
    head = f"{frame.connection}{_ARROWS[frame.direction].decode()} {delay} ".encode()
    line = head + (frame.data if _is_plain(frame.data) else _ENCODED + base64.b64encode(frame.data))
    if not _LINE.fullmatch(line):
        raise _bad_line(line, "frames")
    return line


def _is_plain(data: bytes) -> bool:
    return bool(data) and not data.startswith(_ENCODED) and b"\n" not in data and is_exact(data)


def _decoded(data: bytes, at: str) -> bytes:
    try:
        return base64.b64decode(data.removeprefix(_ENCODED), validate=True)
    except ValueError as error:
        raise wrong(
            at, "base64 with its padding behind =", data.decode(errors="replace"), f"encode it again: {error}"
        ) from None


def _bad_line(line: bytes, at: str) -> CassetteError:
    return refusal(
        at=at,
        want="ARROW DELAY TEXT, such as > 0 {…} from the client, or < 12.5 {…} from the server 12.5 ms later",
        got=shown(line.decode(errors="replace")),
        hint="write one message a line; round delays to three decimals; "
        "a connection's name stands before the arrow: c2> 0 {…}",
    )
