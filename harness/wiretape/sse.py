"""Event streams on bytes, by the rules of the WHATWG HTML standard, section 9.2.6; no I/O, no size limit.

Everything is decided on bytes whose line ends are LF alone: a carriage return never reaches a field, so
turning CR and CRLF into LF first loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import repeat
from typing import Final, NamedTuple

_LF: Final = 10
_CR: Final = 13
_BLANK_LINE: Final = re.compile(rb"[\r\n](?<=[^\r\n][\r\n])(?:(?<=\r)\n|(?<!\r)|(?!\n))(?:\r\n|[\r\n])")
"""The end of a line that is not blank, then a blank one. It starts with a plain set, searched in C.

No possessive group: before Python 3.11.5 one that fails half-way leaves the search there.
"""
_HEAD: Final = re.compile(r"(?:event: ([^\n]++)\n)?data: ")
_TILE: Final = re.compile(rf"^{_HEAD.pattern}([^\n]*+)\n\n", re.MULTILINE)
"""The usual event, whole. Anchored to a line's start, so that text inside a line is never tried."""
_RETRY: Final = re.compile(r"^retry: ?([0-9]{1,18})\n", re.MULTILINE)
_LINE_END: Final = re.compile(r"[\r\n]")
_FIELD: Final = re.compile(r"^[^:\n]", re.MULTILINE)


class ServerSentEvent(NamedTuple):
    """One dispatched event: its name, its data lines joined by LF, and the last event id at that moment."""

    event: str = "message"
    data: str = ""
    id: str = ""


class EventStreamDecoder:
    """Turns bytes, cut anywhere, into events.

    Invalid UTF-8 becomes U+FFFD, as the standard says; no input is an error.
    """

    def __init__(self) -> None:
        self.last_event_id = ""
        self._retry: int | None = None
        self._at_start = True
        self._after_cr = False
        self._pending: list[bytes] = []
        """Bytes since the last blank line, in pieces: joining them at each chunk would be quadratic."""
        self._hold = self._pending.append

    @property
    def retry(self) -> int | None:
        """The last valid ``retry`` value in milliseconds; it takes effect at the end of its line."""
        values = _RETRY.findall(self._tail())
        return int(values[-1]) if values else self._retry

    @property
    def unterminated_tail(self) -> bool:
        """Whether an event has begun, with at least a part of a field line, and no blank line ended it."""
        return _FIELD.search(self._tail()) is not None

    def feed(self, data: bytes) -> list[ServerSentEvent]:
        """Take the next bytes of the stream and give the events that they complete."""
        if _LF not in data and _CR not in data and not self._after_cr:
            if data:
                self._hold(data)
            return []
        if self._after_cr or _CR in data:
            data = self._with_lf(data)
        end = data.rfind(b"\n\n") + 2
        if end == 1 and not (data.startswith(b"\n") and self._at_line_start()):
            if data:
                self._hold(data)
            return []
        return self._events(self._cut(data, end))

    def close(self) -> list[ServerSentEvent]:
        """End the stream. An unfinished event is not dispatched, so the list is always empty."""
        return []

    def _at_line_start(self) -> bool:
        return not self._pending or self._pending[-1].endswith(b"\n")

    def _with_lf(self, data: bytes) -> bytes:
        if self._after_cr and data:  # the line ended with the CR; this LF belongs to it
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if data:
            self._after_cr = data.endswith(b"\r")
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _cut(self, data: bytes, end: int) -> str:
        """Take the whole blocks off the front. UTF-8 is cut at line ends only, so each decodes by itself."""
        blocks = b"".join([*self._pending, data[:end]]).decode(errors="replace")
        self._pending.clear()
        if end < len(data):
            self._hold(data[end:])
        if self._at_start:
            self._at_start = False
            blocks = blocks.removeprefix("\ufeff")
        return blocks

    def _tail(self) -> str:
        tail = b"".join(self._pending).decode(errors="replace")
        return tail.removeprefix("\ufeff") if self._at_start else tail

    def _events(self, blocks: str) -> list[ServerSentEvent]:
        """Read whole blocks: those of one name at once, else those of the usual shape, else line by line."""
        if head := _HEAD.match(blocks):
            data = blocks[head.end() : -2].split("\n\n" + head[0])
            if blocks.count("\n") == len(data) * (3 if head[1] else 2):  # no line is left over
                return self._dispatched(repeat(head[1] or "message"), data)
        parts = _TILE.split(blocks)
        if any(parts[::3]):  # something stands between two tiles
            return self._events_by_line(blocks)
        return self._dispatched([name or "message" for name in parts[1::3]], parts[2::3])

    def _dispatched(self, names: Iterable[str], data: list[str]) -> list[ServerSentEvent]:
        fields = zip(names, data, repeat(self.last_event_id), strict=False)
        return [*map(tuple.__new__, repeat(ServerSentEvent), fields)]  # without a Python call per event

    def _events_by_line(self, blocks: str) -> list[ServerSentEvent]:
        events: list[ServerSentEvent] = []
        name, last_id = "", self.last_event_id
        data: list[str] = []
        for line in blocks.split("\n")[:-1]:
            if not line:
                if data:
                    events.append(ServerSentEvent(name or "message", "\n".join(data), last_id))
                name, data = "", []
                continue
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                data.append(value)
            elif field == "event":
                name = value
            elif field == "id" and "\0" not in value:
                last_id = value
        self.last_event_id = last_id
        if retries := _RETRY.findall(blocks):
            self._retry = int(retries[-1])
        return events


def encode(event: ServerSentEvent) -> bytes:
    """Write one event with LF line ends, as the backend does; a decoder gives it back unchanged.

    The name ``message`` and an empty id are left out. Raises ValueError for what no event stream can carry:
    a CR in the data, a line end in name or id, NUL in the id, an empty name, half of a surrogate pair.
    """
    name, data, last_id = event
    if not name or "\r" in data or _LINE_END.search(name) or _LINE_END.search(last_id) or "\0" in last_id:
        raise ValueError(f"expected an event that an event stream can carry, got {event!r}")
    lines = [] if name == "message" else [f"event: {name}"]
    lines += [f"id: {last_id}"] if last_id else []
    lines += [f"data: {line}" for line in data.split("\n")]
    return "\n".join([*lines, "\n"]).encode()


def event_ends(data: bytes) -> list[int]:
    """Give the offset behind each blank line that ends a block of lines, whatever the line ends are."""
    return [match.end() for match in _BLANK_LINE.finditer(data)]
