"""A turn on a websocket: its items, which come twice and too early, make one stream in their order."""

from __future__ import annotations

import json

import pytest

from wiretape.flow_a.stream import decode
from wiretape.imports.exchange import SocketMessage
from wiretape.imports.turn_topics import stream_of


def messages(*items: tuple[str, object, str]) -> list[SocketMessage]:
    """Messages with an item each, a second apart: its id, its parent, its text."""
    told = [
        {"stream_item_id": name, "parent_stream_item_id": parent, "encoded_item": text}
        for name, parent, text in items
    ]
    payloads = (json.dumps([{"payload": {"payload": each}}]).encode() for each in told)
    return [SocketMessage(side="server", data=data, at=float(at)) for at, data in enumerate(payloads)]


def delta(value: object) -> str:
    return f"event: delta\ndata: {json.dumps(value)}\n\n"


def test_items_that_come_twice_or_too_early_are_put_in_their_place() -> None:
    root = delta({"p": "", "o": "add", "v": {"message": {"content": {"parts": [""]}}}})
    third = ("i3", "i2", delta({"p": "/message/content/parts/0", "o": "append", "v": "a"}))
    body, chunks = stream_of(
        messages(
            ("i1", None, 'event: delta_encoding\ndata: "v1"\n\n'),
            ("i2", "i1", root),
            ("i4", "i3", delta({"v": "b"})),
            third,
            third,
            ("i5", "i4", delta({"v": "c"})),
        )
    )
    decoded = decode(body)
    assert decoded["errors"] == []
    assert decoded["values"]["0"]["message"]["content"]["parts"] == ["abc"]
    assert chunks is not None
    assert chunks.delays == (0.0, 1000.0, 2000.0, 0.0, 2000.0)


@pytest.mark.parametrize(
    ("came", "stands"),
    [
        ([("a", "never", "1"), ("b", 7, "2"), ("c", "a", "3")], b"132"),
        ([("a", "b", "1"), ("b", "a", "2"), ("c", None, "3")], b"312"),
        ([("a", "a", "1"), ("b", "a", "2")], b"12"),
    ],
    ids=["its parent never came", "parents in a ring", "its own parent"],
)
def test_no_item_is_lost(came: list[tuple[str, object, str]], stands: bytes) -> None:
    body, chunks = stream_of(messages(*came))
    assert body == stands
    assert chunks is not None
    assert sum(chunks.lengths) == len(body)


def test_a_websocket_without_items_is_no_stream() -> None:
    assert stream_of([SocketMessage(side="server", data=b"[1]", at=None)]) == (b"", None)
