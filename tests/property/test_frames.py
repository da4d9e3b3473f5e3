"""Event streams: however bytes are cut, whatever bytes they are."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.property.strategies import DELTAS, EVENTS_WRITTEN, LINE_ENDS, STREAM_BYTES, cut_up
from wiretape.delta import DeltaError
from wiretape.flow_a.stream import Announcement, Delta, Done, Ignored, StreamDecoder, TypedEvent, decode
from wiretape.sse import EventStreamDecoder, ServerSentEvent, encode, event_ends
from wiretape.strictjson import dumps, loads

KINDS = {"not_announced", "unknown_encoding", "payload", "path", "op", "patch_value", "patch_entry"} | {
    *("truncate_value", "channel", "index", "container", "invalid_json", "limit")
}


def naive_events(data: bytes) -> tuple[list[ServerSentEvent], bool]:
    """The standard's algorithm, line by line on the whole text: events, and whether one is unfinished."""
    *lines, rest = re.split("\r\n|\r|\n", data.decode(errors="replace").removeprefix("\ufeff"))
    events: list[ServerSentEvent] = []
    name, buffer, last_id, begun = "", "", "", False
    for line in lines:
        begun = begun or (line != "" and line[0] != ":")
        if line == "":
            if buffer:
                events.append(ServerSentEvent(name or "message", buffer[:-1], last_id))
            name, buffer, begun = "", "", False
        elif ":" in line:
            field, value = line.split(":", 1)
            value = value[1:] if value[:1] == " " else value
            name = value if field == "event" else name
            buffer += value + "\n" if field == "data" else ""
            last_id = value if field == "id" and "\0" not in value else last_id
        else:
            name = "" if line == "event" else name
            buffer += "\n" if line == "data" else ""
            last_id = "" if line == "id" else last_id
    return events, begun or (rest != "" and rest[0] != ":")


@given(cut_up(STREAM_BYTES))
def test_any_cutting_gives_the_frames_of_the_standard(cut: tuple[bytes, list[bytes]]) -> None:
    data, pieces = cut
    events, unfinished = naive_events(data)
    whole = EventStreamDecoder()
    assert whole.feed(data) + whole.close() == events
    for chunks in (pieces, [data[at : at + 1] for at in range(len(data))]):
        decoder = EventStreamDecoder()
        assert [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close() == events
        assert decoder.unterminated_tail is whole.unterminated_tail is unfinished
        assert (decoder.retry, decoder.last_event_id) == (whole.retry, whole.last_event_id)


@given(STREAM_BYTES)
def test_a_body_cut_behind_its_blank_lines_gives_at_most_one_event_a_piece(data: bytes) -> None:
    ends = [0, *event_ends(data)]
    decoder = EventStreamDecoder()
    per_piece = [decoder.feed(data[start:end]) for start, end in pairwise(ends)]
    rest = decoder.feed(data[ends[-1] :])
    assert all(len(events) <= 1 for events in per_piece)
    assert rest == []
    assert [event for events in per_piece for event in events] == naive_events(data)[0]


@given(st.lists(EVENTS_WRITTEN.map(lambda fields: ServerSentEvent(*fields)), max_size=5))
def test_written_events_are_read_back(events: list[ServerSentEvent]) -> None:
    body = b"".join(map(encode, events))
    assert EventStreamDecoder().feed(body) == events
    assert len(event_ends(body)) == len(events)


@given(STREAM_BYTES)
def test_garbage_decodes_to_json_with_documented_errors_and_nothing_else(data: bytes) -> None:
    assert_documented(decode(data))


HALF_SOUND_EVENTS = st.one_of(
    st.just(ServerSentEvent("delta_encoding", '"v1"')),
    DELTAS.map(lambda delta: ServerSentEvent("delta", dumps(delta))),
    DELTAS.map(lambda delta: ServerSentEvent(data=dumps(delta))),
    st.sampled_from(["delta", "delta_encoding", "message", "ping", "other"]).flatmap(
        lambda name: st.text(max_size=8).map(lambda data: ServerSentEvent(name, data))
    ),
    st.sampled_from(["[DONE]", "v1", "null", '{"type":"x"}', '{"a":1,"a":1}', "[" * 400, '{"v":NaN}']).map(
        lambda data: ServerSentEvent("delta", data)
    ),
)


def fed(decoder: StreamDecoder, event: ServerSentEvent) -> object:
    try:
        return decoder.feed(event)
    except DeltaError as error:
        return error


@given(st.lists(HALF_SOUND_EVENTS, max_size=15))
def test_any_events_give_a_result_or_a_documented_error(events: list[ServerSentEvent]) -> None:
    decoder = StreamDecoder()
    for number, event in enumerate(events, start=1):
        before = list(decoder.errors)
        result = fed(decoder, event)
        if isinstance(result, DeltaError):
            assert result.kind in KINDS
            assert decoder.errors[:-1] == before
            assert (decoder.errors[-1].event_number, decoder.errors[-1].kind) == (number, result.kind)
        else:
            assert isinstance(result, (Announcement, Delta, Done, Ignored, TypedEvent))
            assert decoder.errors == before
    assert decoder.delivered <= len(events)


@given(st.lists(HALF_SOUND_EVENTS, max_size=10), st.sampled_from(LINE_ENDS))
def test_a_stream_decodes_to_writable_json_whatever_ends_its_lines(
    events: list[ServerSentEvent], line_end: str
) -> None:
    blocks = [f"event: {name}\ndata: {data}\n\n" for name, data, _ in events if not re.search("[\r\n]", data)]
    body = "".join(blocks).replace("\n", line_end).encode(errors="replace")
    result = decode(body)
    assert_documented(result)
    assert len(result["errors"]) <= len(blocks)


def assert_documented(result: dict[str, Any]) -> None:
    loads(dumps(result).encode("ascii"))
    assert {error["kind"] for error in result["errors"]} <= KINDS
    numbers = [error["event"] for error in result["errors"]]
    assert numbers == sorted(set(numbers))
