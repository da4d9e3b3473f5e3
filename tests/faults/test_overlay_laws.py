"""Laws that hold for every answer and every fault of a stream."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wiretape.faults import Fault, Where
from wiretape.faults.delivery import ENDINGS, PAUSES, Delivery
from wiretape.faults.edits import EDITS
from wiretape.faults.events import read_events
from wiretape.faults.overlay import overlay
from wiretape.faults.strikes import strikes

BLOCKS = st.sampled_from(
    [
        b'event: delta_encoding\ndata: "v1"\n\n',
        b'event: delta\ndata: {"p": "", "o": "add", "v": {"message": {"id": "m"}}, "c": 0}\n\n',
        b'event: delta\ndata: {"v": "\\u00e9"}    \n\n',
        b'data: {"type": "message_marker", "conversation_id": "c"}\r\n\r\n',
        b"event: ping\ndata: x\n\n",
        b": a comment\n\n",
        "data: né\n\n".encode(),
        b"data: [DONE]\n\n",
    ]
)
STREAM_KINDS = sorted({*EDITS, *ENDINGS, *PAUSES, "resume"})


@st.composite
def deliveries(draw: st.DrawFn) -> Delivery:
    """A body of some events, cut anywhere."""
    body = b"".join(draw(st.lists(BLOCKS, min_size=1, max_size=8)))
    cuts = draw(st.sets(st.integers(1, len(body)), max_size=8)) | {len(body)}
    stops = tuple(sorted(cuts))
    delays = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=len(stops), max_size=len(stops)))
    return Delivery(body=body, stops=stops, delays=tuple(delays))


@st.composite
def faults(draw: st.DrawFn) -> Fault:
    kind = draw(st.sampled_from(STREAM_KINDS))
    units = ["event", "type"] + (["byte"] if kind in (*PAUSES, "cut", "reset", "stall") else [])
    unit = draw(st.sampled_from(units))
    if unit == "type":
        return Fault(kind, Where("type", draw(st.sampled_from(["delta", "message_marker", "*", "nothing"]))))
    value = draw(st.sampled_from(["*"]) | st.integers(1, 12 if unit == "event" else 400))
    return Fault(kind, Where(unit, value))  # type: ignore[arg-type]


def laid(fault: Fault, recorded: Delivery) -> Delivery:
    return overlay([fault], recorded, lambda place: place % 10 / 10)


@given(deliveries(), faults())
def test_what_is_sent_is_cut_into_chunks_of_some_bytes_up_to_the_end(
    recorded: Delivery, fault: Fault
) -> None:
    sent = laid(fault, recorded)
    assert list(sent.stops) == sorted(set(sent.stops) - {0})
    assert len(sent.stops) == len(sent.delays)
    assert (sent.stops[-1] if sent.stops else 0) == len(sent.body)
    assert sent.until is None or 0 <= sent.until <= len(sent.body)
    assert all(delay >= 0 for delay in sent.delays)


@given(deliveries(), faults())
def test_a_fault_strikes_exactly_when_a_dry_run_says_so(recorded: Delivery, fault: Fault) -> None:
    sent = laid(fault, recorded)
    struck = strikes(fault, recorded.body)
    assert (sent is recorded) == (not struck)
    assert sent.struck == ((fault,) if struck else ())


@given(deliveries(), st.sampled_from(sorted({*ENDINGS, *PAUSES})), st.integers(1, 8))
def test_endings_and_pauses_change_no_byte(recorded: Delivery, kind: str, number: int) -> None:
    assert laid(Fault(kind, Where("event", number)), recorded).body == recorded.body


@given(deliveries(), faults())
def test_no_time_is_lost_but_that_of_a_dropped_end(recorded: Delivery, fault: Fault) -> None:
    sent = laid(fault, recorded)
    if fault.kind != "drop":
        assert sum(sent.delays) >= sum(recorded.delays) - 1e-9
    if fault.kind not in PAUSES:
        assert sum(sent.delays) <= sum(recorded.delays) + 1e-9


@given(deliveries(), st.integers(1, 8))
def test_dropping_a_duplicate_gives_the_recording_back(recorded: Delivery, number: int) -> None:
    twice = laid(Fault("duplicate", Where("event", number)), recorded)
    assert laid(Fault("drop", Where("event", number)), twice).body == recorded.body


@given(deliveries(), st.integers(1, 8))
def test_reordering_twice_gives_the_recording_back(recorded: Delivery, number: int) -> None:
    fault = Fault("reorder", Where("event", number))
    assert laid(fault, laid(fault, recorded)).body == recorded.body


@given(deliveries())
def test_the_blocks_of_events_are_pieces_of_the_body_in_order(recorded: Delivery) -> None:
    at = 0
    for number, event in enumerate(read_events(recorded.body), 1):
        assert event.number == number
        assert at <= event.start < event.stop
        assert recorded.body[event.start : event.stop] == event.block
        at = event.stop
