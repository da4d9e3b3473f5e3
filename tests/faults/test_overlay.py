"""Each fault of a stream, as a pure change of one recorded answer."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from wiretape import load_cassette
from wiretape.faults import FaultError, parse
from wiretape.faults.delivery import Delivery
from wiretape.faults.edits import ERROR_EVENT, UNKNOWN, UNKNOWN_EVENT
from wiretape.faults.events import Event, read_events
from wiretape.faults.overlay import overlay
from wiretape.flow_a.stream import decode
from wiretape.sse import event_ends

BODY = load_cassette("alefita_way_split_arguments").interactions[0].response.body
EVENTS = read_events(BODY)
STOPS = tuple(event_ends(BODY))
DELAYS = tuple(0.1 for _ in STOPS)
RECORDED = Delivery(body=BODY, stops=STOPS, delays=DELAYS)


def laid(*faults: str, recorded: Delivery = RECORDED) -> Delivery:
    return overlay(map(parse, faults), recorded, lambda place: place / 100)


def changed(*faults: str) -> list[bytes]:
    """The blocks of the body with these faults."""
    body = laid(*faults).body
    ends = event_ends(body)
    return [body[start:stop] for start, stop in pairwise([0, *ends])]


BLOCKS = [event.block for event in EVENTS]


def test_the_body_is_what_these_tests_think() -> None:
    assert b"".join(BLOCKS) == BODY
    assert [event.type for event in EVENTS][:4] == [
        "delta_encoding",
        "resume_conversation_token",
        "input_message",
        "delta",
    ]
    assert [event.type for event in EVENTS][-2:] == ["message_stream_complete", "[DONE]"]


@pytest.mark.parametrize("fault", ["cut@event:99", "drop@type:nothing", "delay@byte:999999", "401@request:1"])
def test_a_fault_that_does_not_strike_changes_nothing_at_all(fault: str) -> None:
    assert laid(fault) is RECORDED


def test_a_duplicate_comes_right_behind_the_first() -> None:
    assert changed("duplicate@event:4") == [*BLOCKS[:4], BLOCKS[3], *BLOCKS[4:]]


def test_every_event_of_a_type_can_be_struck() -> None:
    deltas = [block for event, block in zip(EVENTS, BLOCKS, strict=True) if event.type == "delta"]
    assert changed("drop@type:delta") == [block for block in BLOCKS if block not in deltas]
    assert changed("duplicate@event:*") == [block for block in BLOCKS for _ in (1, 2)]


def test_a_dropped_event_leaves_no_empty_chunk_and_its_time_to_the_next() -> None:
    delivery = laid("drop@event:4")
    assert delivery.body == b"".join([*BLOCKS[:3], *BLOCKS[4:]])
    assert len(delivery.stops) == len(STOPS) - 1
    assert delivery.delays[3] == pytest.approx(0.2)


def test_a_dropped_last_event_ends_the_body_before_it() -> None:
    delivery = laid("drop@type:[DONE]")
    assert delivery.stops == STOPS[:-1]
    assert delivery.body == b"".join(BLOCKS[:-1])


def test_reordered_events_change_places() -> None:
    assert changed("reorder@event:4") == [*BLOCKS[:3], BLOCKS[4], BLOCKS[3], *BLOCKS[5:]]
    assert changed("reorder@event:*")[:4] == [BLOCKS[1], BLOCKS[0], BLOCKS[3], BLOCKS[2]]


def test_the_last_event_has_none_to_change_places_with() -> None:
    assert laid(f"reorder@event:{len(EVENTS)}") is RECORDED


def test_an_unknown_op_is_in_deltas_only_and_all_else_stays() -> None:
    struck = read_events(laid("unknown-op@event:*").body)
    for before, after in zip(EVENTS, struck, strict=True):
        if before.type == "delta":
            assert after.payload == {**json.loads(before.sent.data), "o": UNKNOWN}
            assert len(after.sent.data) % 8 == 0
        else:
            assert after.block == before.block
    assert {error["kind"] for error in decode(laid("unknown-op@event:4").body)["errors"]} >= {"op"}


def test_an_unknown_field_is_in_every_object_and_decodes_to_the_same() -> None:
    struck = laid("unknown-field@event:*").body
    assert struck.count(UNKNOWN.encode()) == 2 * sum(isinstance(event.payload, dict) for event in EVENTS)
    assert decode(struck)["messages"] == decode(BODY)["messages"]
    assert decode(struck)["errors"] == []


def test_an_event_of_an_unknown_type_stands_before_the_event() -> None:
    assert changed("unknown-event@event:4") == [*BLOCKS[:3], UNKNOWN_EVENT, *BLOCKS[3:]]
    assert decode(laid("unknown-event@event:*").body)["messages"] == decode(BODY)["messages"]


def test_an_error_event_stands_before_the_event_and_the_stream_goes_on() -> None:
    assert changed("error-event@event:4") == [*BLOCKS[:3], ERROR_EVENT, *BLOCKS[3:]]
    result = decode(laid("error-event@event:4").body)
    assert (result["done"], result["complete"]) == (True, False)


def test_invalid_json_lacks_its_last_character() -> None:
    struck = read_events(laid("invalid-json@event:4").body)[3]
    assert struck.sent.data.rstrip() == EVENTS[3].sent.data.rstrip()[:-1]
    assert struck.payload is None


def test_done_is_no_json_that_could_be_made_invalid() -> None:
    assert laid("invalid-json@type:[DONE]") is RECORDED


def test_invalid_utf8_ends_in_a_byte_that_no_character_has() -> None:
    body = laid("invalid-utf8@event:4").body
    assert len(body) == len(BODY)
    block = body[EVENTS[3].start : EVENTS[3].stop]
    assert block.rstrip() == EVENTS[3].block.rstrip()[:-1] + b"\xff"


ENDINGS = [
    ("cut@event:4", EVENTS[3].start, "cut", b""),
    ("cut@byte:101", 100, "cut", b""),
    ("cut@byte:1", 0, "cut", b""),
    ("cut@type:delta", EVENTS[3].start, "cut", b""),
    ("cut-inside@event:4", (EVENTS[3].start + EVENTS[3].stop) // 2, "cut", b""),
    ("stall@event:4", EVENTS[3].start, "hang", None),
    ("reset@event:4", EVENTS[3].start, "reset", None),
    ("early-end@event:4", EVENTS[3].start, "complete", None),
    ("bad-chunk@event:4", EVENTS[3].start, "cut", b"ZZ\r\n"),
]


@pytest.mark.parametrize(("fault", "until", "how", "tail"), ENDINGS, ids=lambda value: str(value))
def test_an_ending_keeps_the_body_and_says_how_far_it_comes(
    fault: str, until: int, how: str, tail: bytes | None
) -> None:
    delivery = laid(fault)
    assert (delivery.body, delivery.stops, delivery.delays) == (BODY, STOPS, DELAYS)
    assert (delivery.until, delivery.how, delivery.tail) == (until, how, tail)


def test_a_character_is_cut_inside_an_escape_or_between_its_bytes() -> None:
    escaped = next(event for event in EVENTS if b"\\u" in event.block)
    until = laid(f"cut-character@event:{escaped.number}").until
    assert until is not None
    assert BODY[:until].endswith(BODY[until - 4 : until])
    assert BODY[until - 4 : until - 2] == b"\\u"
    raw = 'data: {"type": "x", "text": "né"}\n\n'.encode()
    recorded = Delivery(body=raw, stops=(len(raw),), delays=(0.0,))
    until = laid("cut-character@event:1", recorded=recorded).until
    assert raw[:until].endswith(b"n\xc3")
    assert laid("cut-character@event:1") is RECORDED


def test_the_first_of_several_endings_counts() -> None:
    assert laid("cut@event:6", "stall@event:4", "reset@event:5").how == "hang"
    assert laid("cut@type:delta").until == EVENTS[3].start


def test_a_place_is_where_it_was_recorded_whatever_other_faults_do() -> None:
    delivery = laid("duplicate@event:2", "cut@event:4")
    assert delivery.until == EVENTS[3].start + len(BLOCKS[1])
    assert delivery.body[: delivery.until] == b"".join([BLOCKS[0], BLOCKS[1], BLOCKS[1], BLOCKS[2]])
    inside = laid("invalid-json@event:4", "cut-inside@event:4")
    assert inside.until == (EVENTS[3].start + EVENTS[3].stop) // 2


def test_a_cut_inside_what_was_dropped_cuts_where_it_was() -> None:
    assert laid("drop@event:4", "cut-inside@event:4").until == EVENTS[3].start


def test_two_faults_that_change_the_same_bytes_are_refused() -> None:
    with pytest.raises(FaultError, match=r"drop@event:4 and unknown-op@event:4: two of them change the same"):
        laid("drop@event:4", "unknown-op@event:4")


def test_a_delay_is_a_second_before_the_event_and_holds_nothing_else_back() -> None:
    delivery = laid("delay@event:4")
    assert (delivery.body, delivery.stops) == (BODY, STOPS)
    assert delivery.delays == (*DELAYS[:3], 1.1, *DELAYS[4:])


def test_a_delay_inside_a_chunk_cuts_it() -> None:
    delivery = laid("delay@byte:11")
    assert delivery.stops == (10, *STOPS)
    assert delivery.delays == (0.1, 1.0, *DELAYS[1:])


def test_a_delay_before_the_first_byte_is_the_first_chunks() -> None:
    assert laid("delay@event:1").delays == (1.1, *DELAYS[1:])


def test_jitter_draws_a_pause_for_each_place() -> None:
    delays = laid("jitter@event:*").delays
    assert delays == pytest.approx([0.1 + event.number / 100 * 0.1 for event in EVENTS])


def test_a_chunk_end_inside_a_changed_event_goes_and_its_time_stays() -> None:
    inside = EVENTS[3].start + 5
    recorded = Delivery(body=BODY, stops=(inside, len(BODY)), delays=(0.3, 0.2))
    delivery = laid("unknown-field@event:4", recorded=recorded)
    assert delivery.stops == (len(delivery.body),)
    assert delivery.delays == (0.5,)


HANDED = ["handoff@request:1", "resume@event:3"]


@pytest.mark.parametrize("fault", HANDED)
def test_a_handed_off_stream_says_so_ends_in_order_and_keeps_the_rest_for_a_resume(fault: str) -> None:
    delivery = laid(fault)
    assert delivery.gap is not None
    begin, end = delivery.gap
    assert (begin, delivery.until, delivery.how) == (EVENTS[2].start, end, "complete")
    first = decode(delivery.body[:end])
    assert first["done"]
    assert first["events"][-1]["type"] == "stream_handoff"
    assert first["events"][-1]["conversation_id"] == first["events"][0]["conversation_id"]
    assert first["events"][-1]["options"] == [{"type": "resume_sse_endpoint"}]
    assert delivery.body[:begin] + delivery.body[end:] == BODY


def test_a_stream_is_handed_off_once() -> None:
    assert laid("resume@type:delta").body == laid("resume@event:4").body


def test_a_cut_before_a_handoff_leaves_no_gap() -> None:
    assert laid("resume@event:5", "cut@event:3").gap is None
    assert laid("cut@event:3", "resume@event:5").gap is None


def test_the_conversation_of_a_handoff_may_be_named_in_a_delta_or_nowhere() -> None:
    def of(*blocks: bytes) -> object:
        body = b"".join(blocks)
        handed = laid("resume@event:1", recorded=Delivery(body=body, stops=(len(body),), delays=(0.0,)))
        return read_events(handed.body)[0].payload

    in_delta = b'event: delta\ndata: {"v": {"conversation_id": "c1"}}\n\n'
    assert of(b"data: no JSON\n\n", in_delta)["conversation_id"] == "c1"  # type: ignore[index]
    assert of(b'data: {"type": "x"}\n\n')["conversation_id"] is None  # type: ignore[index]


def test_events_are_numbered_as_they_are_dispatched() -> None:
    body = b": a comment\n\ndata: 1\n\nevent: ping\ndata: x\n\ndata: unfinished"
    assert [(event.number, event.type) for event in read_events(body)] == [(1, ""), (2, "ping")]


def test_a_place_between_events_is_in_none_of_them() -> None:
    body = b": a comment\n\ndata: 1\n\n: another\n\n"
    recorded = Delivery(body=body, stops=(len(body),), delays=(0.0,))
    assert laid("cut@byte:3", recorded=recorded).until == 2
    assert laid("cut@byte:25", recorded=recorded).until == 24


def test_bytes_behind_a_comment_are_not_reordered_over_it() -> None:
    body = b"data: 1\n\n: a comment\n\ndata: 2\n\n"
    recorded = Delivery(body=body, stops=(len(body),), delays=(0.0,))
    assert laid("reorder@event:1", recorded=recorded) is recorded


def test_an_event_knows_its_block() -> None:
    assert all(isinstance(event, Event) and BODY[event.start : event.stop] == event.block for event in EVENTS)
