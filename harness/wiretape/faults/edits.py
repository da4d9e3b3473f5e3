"""Faults that change what an answer says: one small pure function for each kind.

Each gives the edit that it makes of one event: bytes from ``start`` to ``stop`` give way to ``data``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from wiretape import strictjson
from wiretape.faults.events import Event
from wiretape.sse import encode

UNKNOWN: Final = "wiretape_unknown"
"""The name of whatever nobody defined: an op, a member, a type of event."""
ERROR_EVENT: Final = b'data: {"error": "Something went wrong", "error_code": "wiretape_fault"}\n\n'
UNKNOWN_EVENT: Final = b'data: {"type": "%b", "of": "wiretape"}\n\n' % UNKNOWN.encode()

_PADDED: Final = 8
"""The backend fills a delta's JSON up with blanks to a multiple of so many bytes."""
_LAST_BYTE: Final = re.compile(rb"[^\s](?=\s*\Z)")


class Edit(NamedTuple):
    """Bytes of a body that give way to others; ``start == stop`` puts them in between."""

    start: int
    stop: int
    data: bytes


EditOf: TypeAlias = Callable[[Event, "Event | None"], "Edit | None"]
"""Gets an event and the one behind it; None when it is no event to do this to."""


def _duplicate(event: Event, _after: Event | None) -> Edit:
    return Edit(event.start, event.start, event.block)


def _drop(event: Event, _after: Event | None) -> Edit:
    return Edit(event.start, event.stop, b"")


def _reorder(event: Event, after: Event | None) -> Edit | None:
    if after is None or after.start != event.stop:
        return None
    return Edit(event.start, after.stop, after.block + event.block)


def _unknown_op(event: Event, _after: Event | None) -> Edit | None:
    return _with_member(event, "o") if event.sent.event == "delta" else None


def _unknown_field(event: Event, _after: Event | None) -> Edit | None:
    return _with_member(event, UNKNOWN)


def _with_member(event: Event, name: str) -> Edit | None:
    payload = event.payload
    if not isinstance(payload, dict):
        return None
    written = event.sent.data
    data = strictjson.dumps({**payload, name: UNKNOWN}, spaced='": ' in written)
    if event.sent.event == "delta" and len(written) % _PADDED == 0:
        data += " " * (-len(data) % _PADDED)
    return Edit(event.start, event.stop, encode(event.sent._replace(data=data)))


def _unknown_event(event: Event, _after: Event | None) -> Edit:
    return Edit(event.start, event.start, UNKNOWN_EVENT)


def _error_event(event: Event, _after: Event | None) -> Edit:
    return Edit(event.start, event.start, ERROR_EVENT)


def _invalid_json(event: Event, _after: Event | None) -> Edit | None:
    return _last_byte(event, b"") if isinstance(event.payload, dict | str) else None


def _invalid_utf8(event: Event, _after: Event | None) -> Edit | None:
    return _last_byte(event, b"\xff")


def _last_byte(event: Event, data: bytes) -> Edit | None:
    last = _LAST_BYTE.search(event.block)
    return Edit(event.start + last.start(), event.start + last.end(), data) if last else None


EDITS: Final[Mapping[str, EditOf]] = {
    "duplicate": _duplicate,
    "drop": _drop,
    "reorder": _reorder,
    "unknown-op": _unknown_op,
    "unknown-field": _unknown_field,
    "unknown-event": _unknown_event,
    "invalid-json": _invalid_json,
    "invalid-utf8": _invalid_utf8,
    "error-event": _error_event,
}
