"""The public strategies for streams give what they promise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.naive_delta import NaiveDecoder
from wiretape import testing
from wiretape.delta import DeltaDecoder
from wiretape.flow_a.stream import decode
from wiretape.sse import EventStreamDecoder, ServerSentEvent
from wiretape.strictjson import equal, identical, loads
from wiretape.testing.events import DONE


def in_backend_form(message: Any) -> st.SearchStrategy[Any]:
    drawn = testing.encodings([message], form=testing.BACKEND_FORM, envelope={"error": None})
    return st.tuples(st.just(message), drawn)


def by_number(values: Any) -> dict[str, Any]:
    return {str(float(channel)): value for channel, value in values.items()}


@given(st.tuples(testing.scalars(), testing.numbers(), testing.characters(), testing.keys(), testing.ids()))
def test_drawn_scalars_survive_json_and_utf8(values: Any) -> None:
    for value in values:
        assert not isinstance(value, (dict, list))
        assert identical(loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode()), value)


@given(testing.delta_streams().flatmap(lambda stream: testing.delta_texts(stream.deltas[0])))
def test_the_text_of_a_delta_is_padded_with_blanks_alone(text: str) -> None:
    assert isinstance(loads(text), dict)
    assert text.rstrip(" ").endswith("}")
    assert text.rstrip(" ") == text or len(text.encode()) % 8 == 0


def test_an_operation_that_fits_nowhere_is_refused_in_words() -> None:
    @given(testing.operations({"a": 1}, ("say",)))
    def draw(_operation: Any) -> None:
        raise AssertionError("expected nothing to be drawn")

    with pytest.raises(ValueError, match="expected a value that one of say fits"):
        draw()


@given(testing.json_values())
def test_a_drawn_value_survives_json_and_utf8(value: Any) -> None:
    assert identical(loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode()), value)


@given(testing.delta_streams())
def test_another_decoder_gives_the_values_of_a_delta_stream(stream: testing.DeltaStream) -> None:
    naive = NaiveDecoder()
    for delta in stream.deltas:
        naive.push(delta)
    assert equal(by_number(naive.values()), by_number(stream.values))


@given(testing.json_values().flatmap(lambda value: st.tuples(st.just(value), testing.json_texts(value))))
def test_every_text_of_a_value_is_read_as_that_value(pair: tuple[Any, str]) -> None:
    value, text = pair
    assert equal(loads(text.encode()), value)


@given(testing.streams())
def test_every_encoding_of_messages_gives_those_messages(stream: testing.Stream) -> None:
    result = decode(stream.data)
    assert result["errors"] == []
    assert result["done"]
    assert not result["unterminated_tail"]
    assert equal(result["messages"], list(stream.messages))


@given(testing.message_lists().flatmap(lambda each: st.tuples(st.just(each), testing.encodings(each))))
def test_another_decoder_reads_every_encoding_too(drawn: tuple[Sequence[Any], Sequence[Any]]) -> None:
    messages, deltas = drawn
    naive, seen = NaiveDecoder(), dict[str, Any]()
    for delta in deltas:
        naive.push(delta)
        for value in naive.values().values():
            seen[value["message"]["id"]] = value["message"]
    assert equal(seen, {message["id"]: message for message in messages})


@given(testing.messages().flatmap(in_backend_form))
def test_in_the_backend_form_a_message_is_open_until_its_last_delta(drawn: Any) -> None:
    message, deltas = drawn
    decoder = DeltaDecoder()
    states = [decoder.apply(delta) for delta in deltas]
    assert all(state["error"] is None and state["message"].keys() == message.keys() for state in states)
    assert all(state["message"]["content"].keys() >= {"content_type"} for state in states)
    assert {state["message"]["status"] for state in states[:-1]} <= {"in_progress"}
    assert equal(states[-1]["message"], message)


EVENTS = st.lists(testing.typed_events(), max_size=4).map(lambda events: [*events, DONE])


@given(EVENTS.flatmap(lambda events: st.tuples(st.just(events), testing.framings(events))))
def test_a_framing_holds_the_events_and_at_most_a_ping_more(drawn: tuple[Any, bytes]) -> None:
    events, data = drawn
    decoder = EventStreamDecoder()
    got = [(event.event, event.data.replace("{\n", "{", 1)) for event in decoder.feed(data)]
    assert not decoder.unterminated_tail
    want = [(event.event, event.data) for event in events]
    assert got == want or without(got, ("ping", "{}"), len(got) - len(want)) == want


def without(events: list[tuple[str, str]], ping: tuple[str, str], count: int) -> Any:
    """The events with a ping left out, wherever that leaves what was wanted."""
    assert count == 1
    at = next(index for index, event in enumerate(events) if event == ping)
    return events[:at] + events[at + 1 :]


@given(st.binary(max_size=30).flatmap(lambda data: st.tuples(st.just(data), testing.chunkings(data))))
def test_the_pieces_of_a_chunking_add_up(drawn: tuple[bytes, list[bytes]]) -> None:
    data, pieces = drawn
    assert b"".join(pieces) == data


def test_framings_of_the_same_event_reach_every_sort_of_line_end() -> None:
    seen: list[bytes] = []

    @settings(max_examples=200, derandomize=True, database=None)
    @given(testing.framings([ServerSentEvent(data="[DONE]")]))
    def collect(data: bytes) -> None:
        seen.append(data)

    collect()
    marks = (b"\r\r", b"\r\n\r\n", b"\n\n", b"\xef\xbb\xbf", b"data:[", b"event: ping", b": a comment")
    assert [mark for mark in marks if not any(mark in data for data in seen)] == []
