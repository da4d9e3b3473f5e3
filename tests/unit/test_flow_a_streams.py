"""What the judge makes of when things came: waiting, reading on, stopping, resuming."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.flow_a_wire import (
    CLOSING,
    CONVERSATION,
    DONE,
    HEAD,
    Wire,
    answer_stream,
    call_message,
    call_stream,
    complete,
    conforming,
    opening,
    tool_return,
    user_turn,
)

OTHER_ID = "11111111-2222-4333-8444-555555555555"
OTHER_CONVERSATION = "00000000-0000-4000-8000-0000000000b2"


def early_return(**about: Any) -> Wire:
    wire = Wire(**about)
    first = wire.ask(user_turn(), call_stream(), 2)
    challenge = wire.challenge()
    wire.prepare(conversation_id=CONVERSATION)
    second = wire.send(tool_return(app_attest_challenge=challenge))
    wire.write(first)
    wire.end(first)
    wire.stream(second, answer_stream())
    return wire


@pytest.mark.parametrize("pace", ["recorded", "instant"])
def test_a_return_before_the_closing_patch_is_too_early(pace: str) -> None:
    assert early_return(pace=pace).failed().keys() == {"behavior.waits-for-complete-call"}


def test_waiting_is_not_observed_when_the_call_came_in_one_piece() -> None:
    wire = Wire()
    wire.turn(user_turn(), [b"".join(call_stream())])
    wire.turn(tool_return(), answer_stream())
    assert wire.outcome("behavior.waits-for-complete-call").outcome == "not_observed"
    assert not wire.failed()


def test_waiting_and_reading_on_are_not_observed_at_instant_pace() -> None:
    wire = conforming(pace="instant")
    assert wire.outcome("behavior.waits-for-complete-call").outcome == "not_observed"
    assert wire.outcome("behavior.reads-to-end").outcome == "not_observed"


def test_a_call_that_is_never_closed_is_complete_at_the_end_of_its_stream() -> None:
    unclosed = [HEAD, opening(call_message('{"message": "eco"}')), complete(), DONE]
    wire = Wire()
    wire.turn(user_turn(), unclosed)
    wire.turn(tool_return(), answer_stream())
    assert wire.outcome("behavior.waits-for-complete-call").outcome == "pass"


def test_leaving_before_done_fails_reads_to_end_and_says_how_much_was_read() -> None:
    wire = Wire()
    number = wire.ask(user_turn(), answer_stream(), 3)
    wire.end(number, "client-left")
    failed = wire.failed()
    assert failed.keys() == {"behavior.reads-to-end"}
    assert "bytes" in str(failed["behavior.reads-to-end"].got)


def test_leaving_after_done_is_fine() -> None:
    wire = Wire()
    number = wire.ask(user_turn(), answer_stream())
    wire.end(number, "client-left")
    assert not wire.failed()
    assert wire.outcome("behavior.reads-to-end").outcome == "pass"


@pytest.mark.parametrize("how", ["reset", "hang"])
def test_a_stream_that_was_recorded_without_an_end_blames_nobody(how: Any) -> None:
    wire = Wire()
    number = wire.ask(user_turn(), answer_stream(), 2)
    wire.end(number, how)
    assert wire.outcome("behavior.reads-to-end").outcome == "not_applicable"


def test_a_stream_that_is_still_running_says_nothing() -> None:
    wire = Wire()
    wire.ask(user_turn(), answer_stream(), 2)
    assert wire.outcome("behavior.reads-to-end").outcome == "not_observed"


def test_a_stopped_turn_owes_no_return_and_no_reading_on() -> None:
    wire = Wire()
    number = wire.ask(user_turn(), call_stream(), 3)
    wire.request(
        "POST", "/backend-api/stop_conversation", json.dumps({"conversation_id": CONVERSATION}).encode()
    )
    wire.end(number, "client-left")
    assert not wire.failed()
    assert wire.outcome("return.exactly-once").because == "the client stopped the turn"


def test_stopping_an_unknown_conversation_changes_nothing() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    wire.request("POST", "/backend-api/stop_conversation", b'{"conversation_id": "elsewhere"}')
    assert "return.exactly-once" in wire.failed()


def test_a_stream_that_is_resumed_goes_on_where_it_was_cut() -> None:
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    number = wire.ask(user_turn(), call_stream(), 2)
    wire.end(number, "client-left")
    body = json.dumps({"conversation_id": CONVERSATION, "offset": 2}).encode()
    again = wire.request("POST", "/backend-api/f/conversation/resume", body)
    wire.respond(again, b"".join(call_stream()))
    wire.write(again)
    wire.end(again)
    wire.turn(tool_return(), answer_stream())
    assert not wire.failed()
    assert wire.outcome("behavior.waits-for-complete-call").outcome == "pass"
    assert wire.outcome("behavior.reads-to-end").outcome == "pass"


def test_resuming_an_unknown_conversation_brings_nothing() -> None:
    wire = Wire()
    again = wire.request("POST", "/backend-api/f/conversation/resume", b'{"conversation_id": "x"}')
    wire.stream(again, call_stream())
    assert wire.outcome("return.exactly-once").outcome == "not_observed"


def test_a_client_that_leaves_and_returns_before_the_closing_patch_is_too_early() -> None:
    wire = Wire()
    number = wire.ask(user_turn(), call_stream(), 2)
    wire.end(number, "client-left")
    wire.turn(tool_return(), answer_stream())
    assert wire.failed().keys() == {"behavior.waits-for-complete-call", "behavior.reads-to-end"}


def test_a_conversation_that_begins_again_leaves_the_calls_of_others_alone() -> None:
    other_id, other = "22222222-2222-4333-8444-555555555555", "00000000-0000-4000-8000-0000000000b2"
    wire = Wire()
    first = [HEAD, opening(call_message("{}", other_id), other), CLOSING, complete(other), DONE]
    wire.turn(user_turn(), first)
    wire.turn(user_turn(), call_stream())
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return(), answer_stream())
    wire.turn(tool_return(call_id=other_id, conversation_id=other), answer_stream(other))
    exactly_once = [f for f in wire.report().findings if f.rule == "flow_a.return.exactly-once"]
    assert [f.want for f in exactly_once if f.failed and other_id in str(f.want)] == []
