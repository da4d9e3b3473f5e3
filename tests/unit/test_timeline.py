"""What a timeline says of a session, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from wiretape import load_cassette, timeline
from wiretape.cassette import bundled
from wiretape.codex.foreign import read as read_log
from wiretape.timeline import Row
from wiretape.transcript import Body, Chunk, End, Frame, Link, Request, Response, Struck, Transcript
from wiretape.verdict import transcript_of

VECTORS = Path(__file__).parents[1] / "vectors"
ANNOUNCED = b'event: delta_encoding\ndata: "v1"\n\n'
PATH = "/message/content/parts/0"


def delta(value: object) -> bytes:
    return f"event: delta\ndata: {json.dumps(value)}\n\n".encode()


def streamed(*pieces: bytes, kind: str = "text/event-stream", end: str = "complete") -> Transcript:
    """One answer that came in these pieces, a second apart."""
    body = b"".join(pieces)
    request = Request(
        number=1, method="POST", path="/backend-api/f/conversation", headers=(), body=b"{}", at=0.0
    )
    headers = (("Content-Type", kind),)
    transcript = Transcript(protocol="flow_a")
    transcript.entries = [request, Response(number=1, status=200, headers=headers, body=Body(body), at=0.5)]
    start = 0
    for at, piece in enumerate(pieces, 1):
        transcript.entries.append(Chunk(number=1, start=start, stop=start + len(piece), at=float(at)))
        start += len(piece)
    transcript.entries.append(End(number=1, how=end, at=9.0))  # type: ignore[arg-type]
    return transcript


def frames(*messages: tuple[str, object]) -> Transcript:
    transcript = Transcript(protocol="codex")
    for at, (direction, message) in enumerate(messages):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        side = "client" if direction == ">" else "server"
        transcript.entries.append(Frame(direction=side, data=data, connection="", at=float(at)))  # type: ignore[arg-type]
    return transcript


def events(rows: Iterator[Row]) -> list[str]:
    return [row.event for row in rows]


def test_each_event_has_its_number_and_the_time_of_the_chunk_that_completed_it() -> None:
    first, second = delta({"p": "", "o": "add", "v": 1}), b"data: [DONE]\n\n"
    rows = timeline.rows(streamed(ANNOUNCED + first[:20], first[20:] + second))
    shown = [(row.at, row.place, row.side, row.event) for row in rows]
    assert shown == [
        (0.0, "1", "client", "POST /backend-api/f/conversation"),
        (0.5, "1", "server", "200"),
        (1.0, "1.1", "server", "delta_encoding"),
        (2.0, "1.2", "server", "delta"),
        (2.0, "1.3", "server", "[DONE]"),
        (9.0, "1", "server", "end: complete"),
    ]


def test_a_text_grows_behind_the_end_of_what_was_there() -> None:
    begin = {"p": "", "o": "add", "v": {"message": {"content": {"parts": ["He"]}}}}
    pieces = [delta(begin), delta({"p": PATH, "o": "append", "v": "llo"}), delta({"v": " world"})]
    *_, first, second, _ = timeline.rows(streamed(ANNOUNCED, *pieces))
    assert (first.op, first.before, first.text) == (f"c0 append {PATH}", "He", "llo")
    assert (second.op, second.before, second.text) == (f"c0 append {PATH}", "Hello", " world")


def test_only_the_end_of_a_long_text_is_repeated() -> None:
    begin = {"p": "", "o": "add", "v": "x" * 1000}
    *_, last, _ = timeline.rows(streamed(ANNOUNCED, delta(begin), delta({"o": "append", "v": "y"})))
    assert last.before == "x" * 60


def test_a_text_that_was_replaced_goes_on_from_what_replaced_it() -> None:
    pieces = [
        {"p": "/a", "o": "add", "v": "one"},
        {"o": "append", "v": "two"},
        {"o": "replace", "v": "new"},
        {"o": "append", "v": "er"},
    ]
    *_, last, _ = timeline.rows(
        streamed(ANNOUNCED, delta({"p": "", "o": "add", "v": {}}), *map(delta, pieces))
    )
    assert (last.before, last.text) == ("new", "er")


def test_two_channels_grow_each_by_themselves() -> None:
    pieces = [
        {"c": 0, "p": "", "o": "add", "v": "a"},
        {"c": 1, "p": "", "o": "add", "v": "b"},
        {"c": 0, "o": "append", "v": "A"},
        {"c": 1, "v": "B"},
        {"c": 0, "v": "C"},
    ]
    *_, last, _ = timeline.rows(streamed(ANNOUNCED, *map(delta, pieces)))
    assert (last.op, last.before, last.text) == ("c0 append", "aA", "C")


def test_a_patch_lists_its_entries() -> None:
    patch = {"o": "patch", "v": [{"p": "/s", "o": "replace", "v": "done"}, {"p": "/n", "o": "remove"}]}
    *_, last, _ = timeline.rows(
        streamed(ANNOUNCED, delta({"p": "", "o": "add", "v": {"n": 1}}), delta(patch))
    )
    assert last.text == "/s replace done · /n remove"


@pytest.mark.parametrize(
    ("piece", "event", "text"),
    [
        (b"event: delta\ndata: {\n\n", "error: invalid_json", "{"),
        (delta({"o": "explode", "v": 1}), "error: op", "explode"),
        (b"event: ping\ndata: x\n\n", "ping", "a ping"),
        (b'data: {"type": "title_generation", "title": "T"}\n\n', "title_generation", '{"title": "T"}'),
        (b"event: surprise\ndata: x\n\n", "surprise", "not part of the protocol"),
        (b"data: half", "unfinished event", "drop it"),
    ],
)
def test_what_is_no_delta_is_named(piece: bytes, event: str, text: str) -> None:
    *_, row, _ = timeline.rows(streamed(ANNOUNCED, piece))
    assert row.event == event
    assert text in row.text


def test_an_answer_that_is_no_stream_is_shown_whole() -> None:
    *_, row, _ = timeline.rows(streamed(b'{"a":', b"1}", kind="application/json"))
    assert (row.event, row.text) == ("body", '{"a": 1}')
    *_, row, _ = timeline.rows(streamed(b"<html>\xff", kind="text/html"))
    assert row.text == "<html>\\xff"


def test_a_write_without_an_answer_before_it_is_passed_over() -> None:
    transcript = streamed(ANNOUNCED)
    transcript.entries = [entry for entry in transcript.entries if not isinstance(entry, Response)]
    assert events(timeline.rows(transcript)) == ["POST /backend-api/f/conversation"]
    assert events(timeline.final(transcript)) == []
    assert events(timeline.wire(transcript)) == ["POST /backend-api/f/conversation", "end: complete"]


def test_a_request_that_is_no_json_is_shown_as_it_is() -> None:
    transcript = streamed(ANNOUNCED)
    transcript.entries[0] = replace(transcript.entries[0], body=b"{half")  # type: ignore[type-var]
    first, *_ = timeline.rows(transcript)
    assert first.text == "{half"


def test_what_belongs_to_the_other_protocol_is_passed_over() -> None:
    link = Link(connection="c1", what="opened", transport="stdio", at=0.0)
    for protocol in ("flow_a", "codex"):
        transcript = Transcript(protocol=protocol)
        transcript.entries = [link] if protocol == "flow_a" else streamed(ANNOUNCED).entries
        assert events(timeline.rows(transcript)) == []
        assert events(timeline.final(transcript)) == []


def test_who_ended_an_answer_is_seen() -> None:
    *_, row = timeline.rows(streamed(ANNOUNCED, end="client-left"))
    assert (row.event, row.side) == ("end: client-left", "client")


def test_the_wire_view_gives_every_byte() -> None:
    pieces = (ANNOUNCED[:7], ANNOUNCED[7:] + b"data: \xff\n\n")
    chunks = [row for row in timeline.wire(streamed(*pieces)) if row.event == "chunk"]
    assert [(row.op, row.text) for row in chunks] == [
        ("7 bytes", "event: "),
        (f"{len(pieces[1])} bytes", 'delta_encoding\ndata: "v1"\n\ndata: \\xff\n\n'),
    ]


def test_the_final_view_has_each_message_in_its_last_state() -> None:
    rows = timeline.final(transcript_of(load_cassette("two_calls")))
    texts = [(row.side, row.op.partition(" (")[0]) for row in rows]
    assert texts[:3] == [
        ("client", "user → all"),
        ("server", "assistant → local.alefita_way"),
        ("client", "tool alefita_way → all"),
    ]
    assert "in_progress" not in "".join(
        row.op for row in timeline.final(transcript_of(load_cassette("two_calls")))
    )


def test_the_final_view_keeps_errors_and_other_answers() -> None:
    broken = streamed(ANNOUNCED, b"event: delta\ndata: {\n\n")
    assert events(timeline.final(broken)) == ["error: invalid_json"]
    refused = list(timeline.final(streamed(b'{"detail": "no"}', kind="application/json")))
    assert [(row.event, row.text) for row in refused] == [("200", '{"detail": "no"}')]


def test_an_answer_is_named_after_what_it_answers() -> None:
    rows = timeline.rows(
        frames(
            (">", {"id": 0, "method": "thread/start", "params": {}}),
            (
                "<",
                {
                    "id": 0,
                    "method": "item/tool/call",
                    "params": {"tool": "t", "callId": "c", "arguments": {"x": 1}},
                },
            ),
            ("<", {"id": 0, "result": {"thread": 1}}),
            (
                ">",
                {"id": 0, "result": {"contentItems": [{"type": "inputText", "text": "hi"}], "success": True}},
            ),
            (">", {"id": 7, "error": {"code": -1, "message": "no"}}),
        )
    )
    assert [(row.event, row.op, row.text) for row in rows] == [
        ("thread/start", "id 0", "{}"),
        ("item/tool/call", "id 0 t c", '{"x": 1}'),
        ("answer to thread/start", "id 0", '{"thread": 1}'),
        ("answer to item/tool/call", "id 0", "hi · success"),
        ("error for nothing that was asked", "id 7", "-1: no"),
    ]


def test_an_item_grows_by_its_notifications() -> None:
    pieces = [
        ("<", {"method": "item/agentMessage/delta", "params": {"itemId": "m", "delta": d}}) for d in "ab"
    ]
    assert [(row.op, row.before, row.text) for row in timeline.rows(frames(*pieces))] == [
        ("m", "", "a"),
        ("m", "a", "b"),
    ]


def test_what_is_no_message_is_shown_with_the_reason() -> None:
    (row,) = timeline.rows(frames((">", b"[1]")))
    assert (row.event, row.text) == ("unreadable: batch", "[1] (a list: batches are not spoken here)")


def test_a_binary_message_and_the_links_are_shown() -> None:
    transcript = Transcript(protocol="codex")
    transcript.entries = [
        Link(connection="c1", what="opened", transport="websocket", at=0.0),
        Frame(direction="client", data=b"\xff", connection="c1", at=1.0, binary=True),
    ]
    for view in (timeline.rows, timeline.wire):
        opened, frame = view(transcript)
        assert (opened.event, opened.place) == ("websocket opened", "c1")
        assert frame.event.startswith("binary")
        assert frame.text == "\\xff"


def test_a_fault_is_shown_where_it_strikes() -> None:
    transcript = Transcript(protocol="codex")
    transcript.entries = [Struck(connection="c1", fault="eof@event:2", at=0.0)]
    for view in (timeline.rows, timeline.wire):
        (row,) = view(transcript)
        assert (row.event, row.text, row.place) == ("fault", "eof@event:2", "c1")
    assert events(timeline.final(transcript)) == []


def test_the_final_view_names_items_that_never_completed() -> None:
    started = (
        "<",
        {"method": "item/started", "params": {"item": {"type": "agentMessage", "id": "m", "text": "a"}}},
    )
    (row,) = timeline.final(frames(started))
    assert (row.event, row.op, row.text) == ("item never completed", "agentMessage m", "a")


@pytest.mark.parametrize("name", [f"{each}/{name}" for each in ("flow_a", "codex") for name in bundled(each)])
def test_every_bundled_cassette_has_a_timeline_without_errors(name: str) -> None:
    transcript = transcript_of(load_cassette(name))
    told = events(timeline.rows(transcript))
    assert told
    assert not [event for event in told if event.startswith(("error: ", "unreadable", "unfinished"))]
    assert events(timeline.final(transcript))
    assert sum(row.event == "chunk" for row in timeline.wire(transcript)) == sum(
        isinstance(entry, Chunk) for entry in transcript.entries
    )


@pytest.mark.parametrize(
    "log", sorted((VECTORS / "codex" / "transcripts").glob("*.jsonl")), ids=lambda p: p.stem
)
def test_every_log_of_the_app_server_has_a_timeline(log: Path) -> None:
    transcript = read_log(log.read_bytes(), log.stem)
    assert len(events(timeline.rows(transcript))) == len(transcript.entries)
