"""What a stream leaves behind: its messages by id, and whether the turn is complete."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deltas import T, message, op
from tests.unit.stream_events import ANNOUNCED, COMPLETE, DONE, delta, fed, refusal, unnamed
from wiretape.sse import ServerSentEvent


def test_a_second_message_in_the_same_channel_keeps_the_first_by_its_id() -> None:
    decoder = fed(
        ANNOUNCED,
        delta({"p": "", "o": "add", "v": message("m1"), "c": 0}),
        delta(op("append", T, "one")),
        delta({"p": "", "o": "add", "v": message("m2")}),
        delta(op("append", T, "two")),
    )
    assert decoder.values == {0: message("m2", "two")}
    assert decoder.messages == [message("m1", "one")["message"], message("m2", "two")["message"]]


def test_messages_stand_in_the_order_of_first_appearance_in_their_last_state() -> None:
    decoder = fed(
        ANNOUNCED,
        delta({"v": message("a"), "c": 1}),
        delta({"v": message("b"), "c": 0}),
        delta({"c": 1, "v": "more", **op("append", T, "more")}),
        unnamed(message("classic", "old")),
        unnamed(message("classic", "new")),
        delta({"p": "", "o": "add", "v": message("a", "again"), "c": 2}),
        delta(op("remove", "/message")),
    )
    texts = [(each["id"], each["content"]["parts"][0]) for each in decoder.messages]
    assert texts == [("a", "again"), ("b", ""), ("classic", "new")]


def test_a_message_is_found_however_it_comes_about() -> None:
    for deltas in (
        [op("append", "", message("m"))],
        [op("add", "/message", message("m")["message"])],
        [op("append", "/message", message("m")["message"])],
        [
            op(
                "patch",
                "",
                [op("add", "/message", message("x")["message"]), op("replace", "/message/id", "m")],
            )
        ],
        [op("append", "/message/id", ""), {"v": ""}, {"v": "m"}],
    ):
        decoder = fed(ANNOUNCED, *map(delta, deltas))
        assert [each["id"] for each in decoder.messages] == ["m"], deltas


def test_a_message_without_an_id_that_is_a_string_is_not_listed() -> None:
    for envelope in ({"message": {"id": 1}}, {"message": {}}, {"message": None}, {"message": "m"}, {}):
        assert fed(ANNOUNCED, delta({"v": envelope}), unnamed(envelope)).messages == []


def test_a_failing_patch_leaves_no_message_behind() -> None:
    decoder = fed(ANNOUNCED, delta({"v": message("m1")}))
    refusal(decoder, delta(op("patch", "", [op("add", "", message("m2")), op("add", "/message/id/x", 1)])))
    assert [each["id"] for each in decoder.messages] == ["m1"]


def test_messages_handed_out_are_fresh() -> None:
    decoder = fed(ANNOUNCED, delta({"v": message("m")}), delta(op("append", T, "a")))
    first = decoder.messages
    decoder.feed(delta({"v": "b"}))
    first[0]["id"] = "mine"
    classic = decoder.feed(unnamed(message("classic")))
    classic.payload["message"]["id"] = "mine"
    assert decoder.messages == [message("m", "ab")["message"], message("classic")["message"]]


TERMINAL = {"status": "finished_successfully", "end_turn": True}
CALL = {
    "recipient": "local.alefita_way",
    "status": "finished_successfully",
    "content": {"content_type": "code", "text": '{"message": "eco"}'},
}


def turn(*ends: ServerSentEvent, envelope: dict[str, Any] | None = None, **fields: Any) -> bool:
    root = {"message": {**message()["message"], **fields}, **(envelope or {})}
    return fed(ANNOUNCED, delta({"v": root}), *ends).complete


def test_a_turn_is_complete_with_a_terminal_message_and_an_end() -> None:
    assert turn(DONE, **TERMINAL)
    assert turn(COMPLETE, **TERMINAL)
    assert not turn(**TERMINAL)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"status": "finished_successfully"},
        {"status": "finished_successfully", "end_turn": False},
        {"status": "finished_successfully", "end_turn": 1},
        {"status": "in_progress", "end_turn": True},
        {"status": "incomplete", "end_turn": True},
        {**TERMINAL, "author": {"role": "tool"}},
        {**TERMINAL, "author": None},
    ],
)
def test_a_turn_without_a_terminal_message_is_not_complete(fields: dict[str, Any]) -> None:
    assert not turn(COMPLETE, DONE, **fields)


@pytest.mark.parametrize("recipient", ["local.alefita_way", "functions.alefita_way"])
def test_a_turn_is_handed_over_by_a_complete_call_and_an_end(recipient: str) -> None:
    assert turn(DONE, **{**CALL, "recipient": recipient})
    assert turn(COMPLETE, **{**CALL, "recipient": recipient, "status": "incomplete"})
    assert not turn(**{**CALL, "recipient": recipient})


@pytest.mark.parametrize(
    "fields",
    [
        {"recipient": "web.run"},
        {"recipient": None},
        {"status": "in_progress"},
        {"status": None},
        {"author": {"role": "tool"}},
        {"content": {"text": '{"message": "ec'}},
        {"content": {"text": '["eco"]'}},
        {"content": {"text": 5}},
        {"content": None},
    ],
)
def test_a_call_that_a_client_would_not_act_on_hands_nothing_over(fields: dict[str, Any]) -> None:
    assert not turn(COMPLETE, DONE, **{**CALL, **fields})


def test_a_body_that_only_hands_the_stream_to_a_websocket_is_not_complete() -> None:
    assert not fed(ANNOUNCED, unnamed({"type": "stream_handoff"}), DONE).complete


@pytest.mark.parametrize("error", ["boom", "", {"code": 1}, False])
def test_an_error_in_the_stream_means_not_complete_wherever_it_stands(error: object) -> None:
    assert not turn(DONE, envelope={"error": error}, **TERMINAL)
    assert not turn(unnamed({"error": error}), DONE, **TERMINAL)
    assert not turn(unnamed({"type": "x", "error": error}), DONE, **TERMINAL)
    assert not turn(unnamed({**message("m9"), "error": error}), DONE, **TERMINAL)
    assert not turn(delta(op("patch", "", [op("add", "/error", error)])), DONE, **TERMINAL)
    assert not turn(delta(op("append", "/error", "a")), delta({"v": "b"}), DONE, **TERMINAL)


def test_a_null_error_is_none() -> None:
    assert turn(unnamed({"error": None}), DONE, envelope={"error": None, "error_code": None}, **TERMINAL)


def test_an_error_that_came_is_not_taken_back() -> None:
    assert not turn(delta(op("add", "/error", "boom")), delta(op("add", "/error", None)), DONE, **TERMINAL)
