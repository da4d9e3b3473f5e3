"""One answer's stream: announcements, typed events, messages by id, completion, errors, example streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.deltas import HIGH, LOW, T, message, op
from tests.unit.stream_events import ANNOUNCED, DONE, delta, fed, refusal, unnamed
from wiretape.delta import ABSENT, Delta
from wiretape.flow_a.stream import (
    Announcement,
    Done,
    Ignored,
    StreamDecoder,
    StreamError,
    TypedEvent,
    decode,
)
from wiretape.sse import EventStreamDecoder, ServerSentEvent, encode
from wiretape.strictjson import dumps, equal, loads

STREAMS = Path(__file__).parents[1] / "vectors" / "flow_a" / "streams"

COMPLETED = {"code_interpreter", "instant_answer", "local_tool_call", "local_tool_call_split_args"} | {
    "thinking_recap_final"
}


@pytest.mark.parametrize("path", sorted(STREAMS.glob("*.sse")), ids=lambda path: path.stem)
def test_an_example_stream_decodes_to_its_final_state(path: Path) -> None:
    final = json.loads(path.with_suffix(".final.json").read_text(encoding="utf-8"))
    data = path.read_bytes()
    result = decode(data)
    assert equal(result["values"], final["channels"])
    assert [event["type"] for event in result["events"]] == final["typed"]
    assert [each["id"] for each in result["messages"]] == final["message_ids"]
    assert result["done"] is final["done"]
    assert result["complete"] is (path.stem in COMPLETED)
    assert result["errors"] == []
    assert result["unterminated_tail"] is False
    assert len(EventStreamDecoder().feed(data)) == final["events"]


def test_a_websocket_turn_decodes_when_each_item_is_taken_once_in_the_order_of_its_parents() -> None:
    lines = (STREAMS / "ws_turn.jsonl").read_text(encoding="utf-8").splitlines()
    items: dict[str | None, dict[str, Any]] = {}
    for entry in (entry for line in lines for entry in json.loads(line)):
        caught_up = entry.get("reply", {}).get("catchups", [])
        for payload in (each.get("payload", {}).get("payload", {}) for each in [*caught_up, entry]):
            if payload.get("type") == "stream-item":
                items.setdefault(payload["parent_stream_item_id"], payload)
    text, parent = "", None
    while parent in items:
        text, parent = text + items[parent]["encoded_item"], items[parent]["stream_item_id"]
    final = json.loads((STREAMS / "ws_turn.final.json").read_text(encoding="utf-8"))
    assert len(items) == final["events"]
    assert equal(decode(text.encode())["values"], final["channels"])


@pytest.mark.parametrize(
    ("data", "quoted"), [('"v1"', True), (' "v1"  ', True), ("v1", False), (" v1 ", False), ('["v1"]', True)]
)
def test_v1_is_announced_with_or_without_quotes(data: str, quoted: bool) -> None:
    assert StreamDecoder().feed(ServerSentEvent("delta_encoding", data)) == Announcement("v1", quoted)


@pytest.mark.parametrize("data", ['"v2"', "v2", "1", "null", '"V1"', '""', "{", '{"a":1,"a":1}'])
def test_any_other_encoding_is_refused_and_the_one_before_stays(data: str) -> None:
    decoder = fed(ANNOUNCED, delta({"v": "x"}))
    assert refusal(decoder, ServerSentEvent("delta_encoding", data)).kind == "unknown_encoding"
    decoder.feed(delta({"o": "append", "v": "y"}))
    assert decoder.values == {0: "xy"}


def test_a_delta_before_any_announcement_is_an_error() -> None:
    decoder = StreamDecoder()
    assert refusal(decoder, delta({"v": "x"})).kind == "not_announced"
    assert decoder.values == {}
    assert decoder.peek(0, "") is ABSENT


def test_a_second_announcement_forgets_all_channels_and_inherited_fields_but_no_message() -> None:
    decoder = fed(ANNOUNCED, delta({"v": message("m1", "one")}), delta(op("append", T, "!")), ANNOUNCED)
    assert decoder.values == {}
    decoder.feed(delta({"v": message("m2", "two")}))
    assert decoder.values == {0: message("m2", "two")}
    assert decoder.messages == [message("m1", "one!")["message"], message("m2", "two")["message"]]


def test_feeding_tells_what_an_event_was() -> None:
    decoder = StreamDecoder()
    title = {"type": "title_generation", "title": "t"}
    assert decoder.feed(ANNOUNCED) == Announcement("v1", True)
    assert decoder.feed(delta({"v": "x"})) == Delta(0, "", "add", "x")
    assert decoder.feed(unnamed(title)) == TypedEvent("title_generation", title)
    assert decoder.feed(ServerSentEvent("other", dumps(title))) == TypedEvent("title_generation", title)
    assert decoder.feed(unnamed({"v": "text"})) == TypedEvent("", {"v": "text"})
    assert decoder.feed(DONE) == Done()
    assert decoder.events == [title, title]
    assert decoder.values == {0: "x"}


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (ServerSentEvent("ping", "x"), "a ping"),
        (ServerSentEvent("delta", ""), "an event without data"),
        (ServerSentEvent(data=""), "an event without data"),
        (unnamed([1]), "a payload that is no object"),
        (unnamed("text"), "a payload that is no object"),
        (ServerSentEvent("keep", "not json"), "an event named 'keep', which is not part of the protocol"),
    ],
)
def test_what_clients_drop_is_ignored_with_a_reason(event: ServerSentEvent, why: str) -> None:
    decoder = fed(ANNOUNCED, delta({"v": "x"}))
    assert decoder.feed(event) == Ignored(why)
    assert (decoder.values, decoder.events, decoder.errors) == ({0: "x"}, [], [])


@pytest.mark.parametrize("data", ["[DONE]", " [DONE]", "[DONE] "])
def test_done_is_recognised_after_trimming(data: str) -> None:
    decoder = StreamDecoder()
    assert not decoder.done
    decoder.feed(ServerSentEvent(data=data))
    assert decoder.done


def test_typed_events_between_bare_deltas_change_nothing_in_the_decoder() -> None:
    decoder = fed(ANNOUNCED, delta({"v": message()}), delta(op("append", T, "one ")))
    decoder.feed(unnamed({"type": "title_generation", "v": "no", "p": "", "o": "add"}))
    decoder.feed(delta({"v": "two"}))
    assert decoder.peek(0, T) == "one two"


def test_the_resume_offset_counts_what_was_delivered() -> None:
    body = (
        b'event: delta_encoding\ndata: "v1"\n\nevent: ping\ndata: x\n\n: comment\n\n'
        b'data: {"type":"resume_conversation_token","token":"t","conversation_id":"c"}\n\n'
        b'event: delta\ndata: {"v":{"message":{}}}\n\ndata\n\n'
    )
    decoder = fed(*EventStreamDecoder().feed(body))
    assert decoder.delivered == 3
    decoder.feed(DONE)
    assert decoder.delivered == 3
    refusal(decoder, delta(5))
    assert decoder.delivered == 4


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (ServerSentEvent("delta", "[DONE]"), "invalid_json"),
        (ServerSentEvent("delta", '{"v": NaN}'), "invalid_json"),
        (ServerSentEvent("delta", '{"v": 1e999}'), "invalid_json"),
        (ServerSentEvent("delta", '{"v": 1, "v": 2}'), "invalid_json"),
        (ServerSentEvent("delta", " "), "invalid_json"),
        (ServerSentEvent("delta", "[" * 100_000), "limit"),
        (ServerSentEvent("delta", "5"), "payload"),
        (ServerSentEvent(data="done"), "invalid_json"),
        (ServerSentEvent(data="[" * 100_000), "limit"),
        (delta(op("replace", "/list/9999999999", 1)), "limit"),
    ],
)
def test_a_bad_event_is_raised_and_listed_and_decoding_goes_on(event: ServerSentEvent, kind: str) -> None:
    decoder = fed(ANNOUNCED, delta({"v": {"list": [], "text": "a"}}), delta(op("append", "/text", "b")))
    before = decoder.values
    error = refusal(decoder, event)
    assert error.kind == kind
    assert decoder.errors == [StreamError(event_number=4, kind=kind, message=str(error))]
    assert decoder.values == before
    decoder.feed(delta(op("append", "/text", "c")))
    assert decoder.peek(0, "/text") == "abc"


def test_bare_text_after_a_patch_names_the_event() -> None:
    patch = op("patch", "", [op("append", T, "the")])
    events = [ANNOUNCED, delta({"v": message()}), delta(patch), delta({"v": "ory"})]
    body = b"".join(map(encode, events))
    result = decode(body)
    assert [(error["event"], error["kind"]) for error in result["errors"]] == [(4, "patch_value")]
    assert result["values"] == {"0": message(text="the")}


def test_decode_gives_plain_ascii_safe_json_with_holes_as_null() -> None:
    events = [
        ServerSentEvent("ping", "x"),
        delta({"v": 1}),
        ANNOUNCED,
        delta({"v": [], "c": 2.0}),
        delta(op("replace", "/1", HIGH)),
        delta({"c": 0.5, "p": "", "o": "add", "v": {"deep": [LOW]}}),
        delta({"c": 7, "o": "remove"}),
        unnamed({"type": "beacon"}),
        DONE,
    ]
    result = decode(b"".join(map(encode, events)) + b"data: cut")
    assert loads(dumps(result).encode("ascii")) == {
        "values": {"2": [None, HIGH], "0.5": {"deep": [LOW]}},
        "messages": [],
        "events": [{"type": "beacon"}],
        "done": True,
        "complete": False,
        "unterminated_tail": True,
        "errors": [
            {
                "event": 2,
                "kind": "not_announced",
                "message": "expected a delta_encoding event before the first delta",
            }
        ],
    }


def test_decoding_nothing_gives_nothing() -> None:
    assert decode(b"") == {
        "values": {},
        "messages": [],
        "events": [],
        "done": False,
        "complete": False,
        "unterminated_tail": False,
        "errors": [],
    }
