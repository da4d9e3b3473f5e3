"""A turn that was handed over to a websocket: its event stream, in items inside websocket messages.

The same item comes several times, as catch-up and live: the first one of each id counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wiretape import strictjson
from wiretape.cassette.model import Chunks
from wiretape.flow_a.messages import member
from wiretape.imports.exchange import SocketMessage, delays


def stream_of(messages: Iterable[SocketMessage]) -> tuple[bytes, Chunks | None]:
    """The event stream that a websocket's items are, and its cuts: one chunk an item. None: no items."""
    pieces: dict[str, tuple[bytes, float | None]] = {}
    for message in messages:
        for item in _items(message):
            text, name = item.get("encoded_item"), item.get("stream_item_id")
            if isinstance(text, str) and isinstance(name, str):
                pieces.setdefault(name, (text.encode("utf-8", "surrogatepass"), message.at))
    if not pieces:
        return b"", None
    texts, times = zip(*pieces.values(), strict=True)
    return b"".join(texts), Chunks(delays=delays(times), lengths=tuple(map(len, texts)))


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
