"""Event streams by the WHATWG rules: vectors, cuts, what is not dispatched."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from wiretape.sse import EventStreamDecoder, ServerSentEvent, encode, event_ends

VECTORS = Path(__file__).parents[1] / "vectors" / "flow_a"
CASES: list[dict[str, Any]] = json.loads((VECTORS / "sse.json").read_text())["cases"]


def bytes_of(case: dict[str, Any]) -> bytes:
    parts = case.get("bytes_parts") or [[case["bytes"], 1]]
    return b"".join(base64.b64decode(piece) * times for piece, times in parts)


def events_of(case: dict[str, Any]) -> list[ServerSentEvent]:
    def text(event: dict[str, Any], key: str) -> str:
        return event[key] if key in event else "".join(piece * n for piece, n in event[f"{key}_parts"])

    return [
        ServerSentEvent(event["event"], text(event, "data"), text(event, "id")) for event in case["events"]
    ]


def decoded(pieces: Iterable[bytes]) -> tuple[list[ServerSentEvent], EventStreamDecoder]:
    decoder = EventStreamDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.close(), decoder


def cut(data: bytes, *at: int) -> list[bytes]:
    return [data[start:end] for start, end in zip((0, *at), (*at, len(data)), strict=True)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_vector_decodes_however_its_bytes_are_cut(case: dict[str, Any]) -> None:
    data = bytes_of(case)
    steps = range(1, len(data), max(1, len(data) // 400))
    cuts: list[tuple[int, ...]] = [(), *((at,) for at in steps)]
    if len(data) < 100:
        cuts += [*combinations(range(1, len(data)), 2), tuple(range(1, len(data)))]
    for at in cuts:
        events, decoder = decoded(cut(data, *at))
        assert events == events_of(case), f"cut at {at}"
        assert decoder.unterminated_tail is case["unterminated_tail"]
        assert decoder.retry == case["retry"]
        assert decoder.last_event_id == case.get("last_event_id", decoder.last_event_id)


@pytest.mark.parametrize(
    ("data", "events"),
    [
        (b"", []),
        (b"\n\n\n", []),
        (b"data: a\n\n\n\ndata: b\n\n", [ServerSentEvent(data="a"), ServerSentEvent(data="b")]),
        (b"\xef\xbb\xbfdata: a\n\n", [ServerSentEvent(data="a")]),
        (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", []),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [ServerSentEvent(data="a")]),
        (b"\xef\xbb\xbf\ndata: a\n\n", [ServerSentEvent(data="a")]),
        (b"data: \xef\xbb\xbfa\n\n", [ServerSentEvent(data="\ufeffa")]),
        (b": comment\n\n", []),
        (b": comment\ndata: a\n: more\ndata: b\n\n", [ServerSentEvent(data="a\nb")]),
        (b"event: x\n\ndata: a\n\n", [ServerSentEvent(data="a")]),
        (b"event: x\nevent:\ndata: a\n\n", [ServerSentEvent(data="a")]),
        (b"event: \ndata: a\n\n", [ServerSentEvent(data="a")]),
        (b"event: x\nevent: y\ndata: a\n\n", [ServerSentEvent("y", "a")]),
        (b"data: a\nevent: x\n\n", [ServerSentEvent("x", "a")]),
        (b"Data: a\nDATA: b\n data: c\ndata : d\n\n", []),
        (b"data\ndata\n\n", [ServerSentEvent(data="\n")]),
        (b"id: 7\n\ndata: a\n\n", [ServerSentEvent(data="a", id="7")]),
        (
            b"id: 7\ndata: a\n\nid\ndata: b\n\n",
            [ServerSentEvent(data="a", id="7"), ServerSentEvent(data="b")],
        ),
        (b"data: a\xff\xe2\x82b\n\n", [ServerSentEvent(data="a\ufffd\ufffdb")]),
        (b"data: a\xe2\n\n", [ServerSentEvent(data="a\ufffd")]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", [ServerSentEvent(data=each) for each in "abc"]),
        (b"data: a\r\n\ndata: b\n\rdata: c\r\r\n", [ServerSentEvent(data=each) for each in "abc"]),
        (b"event: x\r\ndata: a\r\ndata: b\r\n\r\n", [ServerSentEvent("x", "a\nb")]),
        (b"data: event: x\ndata: data: y\n\n", [ServerSentEvent(data="event: x\ndata: y")]),
        (b"data: a\0b\n\n", [ServerSentEvent(data="a\0b")]),
    ],
)
def test_the_rules_of_the_standard(data: bytes, events: list[ServerSentEvent]) -> None:
    for at in range(len(data) + 1):
        assert decoded(cut(data, at))[0] == events, f"cut at {at}"
    assert decoded(data[i : i + 1] for i in range(len(data)))[0] == events


@pytest.mark.parametrize(
    ("data", "tail"),
    [
        (b"data: a\n\n", False),
        (b"data: a\n", True),
        (b"data: a", True),
        (b"d", True),
        (b"data: a\n\nevent: x\n", True),
        (b": only a comment", False),
        (b": comment\n", False),
        (b": comment\nx", True),
        (b"data: a\n\n\n", False),
        (b"\xef\xbb\xbf", False),
        (b"\xef\xbb\xbf: comment", False),
        (b"\xef", True),
        (b"data: a\r", True),
        (b"data: a\r\r", False),
        (b"data: a\r\n\r", False),
    ],
)
def test_an_unfinished_event_is_reported_and_not_dispatched(data: bytes, tail: bool) -> None:
    for pieces in (cut(data), [data[i : i + 1] for i in range(len(data))]):
        _, decoder = decoded(pieces)
        assert decoder.unterminated_tail is tail


def test_an_event_comes_as_soon_as_its_blank_line_is_there() -> None:
    decoder = EventStreamDecoder()
    assert decoder.feed(b"data: a\r\n") == []
    assert decoder.feed(b"\r") == [ServerSentEvent(data="a")]
    assert decoder.feed(b"\ndata: b\n") == []
    assert decoder.feed(b"") == []
    assert decoder.feed(b"\n") == [ServerSentEvent(data="b")]


@pytest.mark.parametrize(
    ("data", "retry"),
    [
        (b"retry: 10\n", 10),
        (b"retry:10\nretry: 20\n\n", 20),
        (b"retry: 10", None),
        (b"retry: +1\nretry: 1.5\nretry: \nretry\nretry:  7\n\n", None),
        ("retry: ٣\n\n".encode(), None),
        (b"retry: 3\n\nretry: x\n", 3),
        (b"retry: 3\r", 3),
    ],
)
def test_retry_takes_digits_only_and_counts_at_the_end_of_its_line(data: bytes, retry: int | None) -> None:
    assert decoded([data])[1].retry == retry


def test_an_id_counts_when_its_block_has_ended() -> None:
    _, decoder = decoded([b"id: 1\ndata: a\n\nid: 2\n"])
    assert decoder.last_event_id == "1"


@pytest.mark.parametrize(
    "event",
    [
        ServerSentEvent(data="a"),
        ServerSentEvent("delta", '{"v":"x"}   '),
        ServerSentEvent("delta", "  two\n\nlines \n", "id 1"),
        ServerSentEvent(" spaced name", ""),
        ServerSentEvent("x", "coração 😀\ufeff"),
    ],
)
def test_an_encoded_event_decodes_to_itself(event: ServerSentEvent) -> None:
    assert decoded([encode(event)])[0] == [event]


def test_events_are_written_as_the_backend_does() -> None:
    assert encode(ServerSentEvent("delta", '{"v":1}')) == b'event: delta\ndata: {"v":1}\n\n'
    assert encode(ServerSentEvent(data="[DONE]")) == b"data: [DONE]\n\n"
    assert encode(ServerSentEvent("x", "1\n2", "7")) == b"event: x\nid: 7\ndata: 1\ndata: 2\n\n"


@pytest.mark.parametrize(
    "event",
    [
        ServerSentEvent(data="a\rb"),
        ServerSentEvent("", "a"),
        ServerSentEvent("a\nb", "a"),
        ServerSentEvent("x", "a", "1\r"),
        ServerSentEvent("x", "a", "1\0"),
        ServerSentEvent("x", "\ud83d"),
    ],
)
def test_what_no_event_stream_can_carry_is_not_encoded(event: ServerSentEvent) -> None:
    with pytest.raises(ValueError, match=r"expected an event|surrogates not allowed"):
        encode(event)


@pytest.mark.parametrize(
    ("data", "ends"),
    [
        (b"", []),
        (b"data: a", []),
        (b"data: a\n\n", [9]),
        (b"data: a\n\n\n\ndata: b\n\n", [9, 20]),
        (b"\n\ndata: a\n\n", [11]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [11, 22]),
        (b"data: a\r\ndata: b\r\n", []),
        (b"data: a\r\rdata: b\r\r\n", [9, 19]),
        (b"data: a\n\r\ndata: b\r\n\n", [10, 20]),
        (b": comment\n\ndata: a\n\n", [11, 20]),
    ],
)
def test_event_ends_lie_behind_the_blank_line_of_each_block(data: bytes, ends: list[int]) -> None:
    assert event_ends(data) == ends


def test_a_line_of_a_megabyte_in_small_chunks_is_joined_once() -> None:
    decoder = EventStreamDecoder()
    chunks = 1_000_000 // 64
    for number in range(chunks):
        assert decoder.feed(b"data: " + b"x" * 58 if number == 0 else b"x" * 64) == []
        assert len(decoder._pending) == number + 1  # the pieces are kept, not joined at each chunk
    (event,) = decoder.feed(b"\n\n")
    assert event.data == "x" * (chunks * 64 - 6)
    assert decoder._pending == []


def test_the_usual_shapes_are_never_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_line(*_: object) -> None:
        raise AssertionError("the slow way was taken")

    monkeypatch.setattr(EventStreamDecoder, "_events_by_line", by_line)
    events = [ServerSentEvent("delta", str(n)) for n in range(50)] + [ServerSentEvent(data="[DONE]")]
    for each in (events, events[:50], events[50:], [events[50], *events]):
        assert decoded([b"".join(map(encode, each))])[0] == each
    with pytest.raises(AssertionError, match="the slow way"):
        decoded([b"id: 1\ndata: a\n\n"])
