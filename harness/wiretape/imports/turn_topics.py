"""A turn that was handed over to a websocket: its event stream, in items inside websocket messages.

The same item comes several times, as catch-up and live, and not always in its place: the first one of each id
counts, and each names the one before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from wiretape import strictjson
from wiretape.cassette.model import Chunks
from wiretape.flow_a.messages import member
from wiretape.imports.exchange import SocketMessage, delays


class _Piece(NamedTuple):
    """An item's part of the stream."""

    text: bytes
    at: float | None
    parent: str
    """The id of the item before it; empty when it names none."""


def stream_of(messages: Iterable[SocketMessage]) -> tuple[bytes, Chunks | None]:
    """The event stream that a websocket's items are, and its cuts: one chunk an item. None: no items."""
    pieces: dict[str, _Piece] = {}
    for message in messages:
        for item in _items(message):
            text, name, parent = map(item.get, ("encoded_item", "stream_item_id", "parent_stream_item_id"))
            if isinstance(text, str) and isinstance(name, str):
                before = parent if isinstance(parent, str) else ""
                pieces.setdefault(name, _Piece(text.encode("utf-8", "surrogatepass"), message.at, before))
    if not pieces:
        return b"", None
    ordered = [pieces[name] for name in _in_order(pieces)]
    cuts = Chunks(
        delays=delays(piece.at for piece in ordered), lengths=tuple(len(piece.text) for piece in ordered)
    )
    return b"".join(piece.text for piece in ordered), cuts


def _in_order(pieces: Mapping[str, _Piece]) -> Iterator[str]:
    """Each item behind its parent; where that never came, or goes back to itself, as it came."""
    behind: dict[str, list[str]] = {}
    for name, piece in pieces.items():
        behind.setdefault(piece.parent, []).append(name)
    given: set[str] = set()
    for first in [*(name for name, piece in pieces.items() if piece.parent not in pieces), *pieces]:
        waiting = [first]
        while waiting:
            name = waiting.pop()
            if name not in given:
                given.add(name)
                yield name
                waiting += reversed(behind.get(name, ()))


def _items(message: SocketMessage) -> Iterator[dict[str, Any]]:
    if message.side != "server":
        return
    value = strictjson.loads_or(message.data, None)
    for each in value if isinstance(value, list) else [value]:
        catchups = member(each, "reply", "catchups")
        for told in [*(catchups if isinstance(catchups, list) else []), each]:
            item = member(told, "payload", "payload")
            if isinstance(item, dict):
                yield item
