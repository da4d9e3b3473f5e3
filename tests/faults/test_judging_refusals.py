"""The rules about refused requests, on transcripts that are written by hand."""

from __future__ import annotations

import pytest

from tests.faults.troubled_wire import Faulty, finding
from tests.unit.flow_a_wire import (
    CONVERSATION,
    answer_stream,
    call_stream,
    tool_return,
    user_turn,
)


def refused(
    fault: str = "500@request:6", status: int = 500, answer: object = None, **headers: str
) -> tuple[Faulty, str]:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    return wire, wire.refuse(tool_return(), fault, status, answer or {"detail": "no"}, **headers)


def test_a_refused_return_may_be_the_last_that_a_client_says() -> None:
    wire, _ = refused()
    assert wire.failed() == {}
    assert finding(wire, "fault.retry-fresh-challenge").outcome == "not_observed"


def test_a_retry_is_the_same_message_with_a_fresh_challenge() -> None:
    wire, _ = refused()
    wire.turn(tool_return(), answer_stream())
    assert wire.failed() == {}
    assert finding(wire, "fault.retry-fresh-challenge").outcome == "pass"


def test_a_retry_with_the_challenge_that_was_refused_is_a_warning() -> None:
    wire, challenge = refused()
    wire.prepare(conversation_id=CONVERSATION)
    number = wire.send(tool_return() | {"app_attest_challenge": challenge})
    wire.stream(number, answer_stream())
    assert {rule: found.level for rule, found in wire.failed().items()} == {
        "fault.retry-fresh-challenge": "should"
    }


def test_a_retry_with_a_made_up_challenge_fails_the_rule_about_that() -> None:
    wire, _ = refused()
    wire.prepare(conversation_id=CONVERSATION)
    number = wire.send(tool_return() | {"app_attest_challenge": "made up"})
    wire.stream(number, answer_stream())
    assert set(wire.failed()) == {"request.challenge-issued"}
    assert finding(wire, "fault.retry-fresh-challenge").because == "flow_a.request.challenge-issued"


def test_a_first_turn_that_was_refused_is_sent_again_too() -> None:
    wire = Faulty()
    challenge = wire.refuse(user_turn(), "401@request:3", 401, {"detail": "Unauthorized"})
    wire.prepare()
    number = wire.send(user_turn() | {"app_attest_challenge": challenge})
    wire.stream(number, answer_stream())
    assert set(wire.failed()) == {"fault.retry-fresh-challenge"}


@pytest.mark.parametrize(("said", "outcome"), [("1", "fail"), ("0", "pass"), ("soon", "not_observed")])
def test_a_retry_waits_as_long_as_it_was_told(said: str, outcome: str) -> None:
    wire, _ = refused("429@request:6", 429, retry_after=said)
    wire.turn(tool_return(), answer_stream())
    assert finding(wire, "fault.retry-after-kept").outcome == outcome


def test_a_deleted_conversation_is_left_alone() -> None:
    answer = {"detail": {"code": "conversation_deleted", "message": "gone"}}
    wire, _ = refused("conversation-deleted@request:6", 404, answer)
    assert wire.failed() == {}
    assert finding(wire, "fault.deleted-left-alone").outcome == "pass"
    challenge = wire.challenge()
    wire.prepare(conversation_id=CONVERSATION)
    number = wire.send(tool_return() | {"app_attest_challenge": challenge})
    wire.strike(number, "conversation-deleted@request:6")
    wire.refused(number, 404, answer)
    found = wire.failed()["fault.deleted-left-alone"]
    assert (found.level, found.got) == ("should", "2 more requests")
    assert found.at == "POST …/f/conversation/prepare (request 8)"


@pytest.mark.parametrize("fault", ["401@request:4", "500@request:4", "forgotten@request:4"])
def test_a_call_needs_no_return_when_what_goes_before_it_was_refused(fault: str) -> None:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    number = wire.request("GET", "/backend-api/ios/attestation_challenge")
    wire.strike(number, fault)
    wire.refused(number, 500, {"detail": "no"})
    assert wire.failed() == {}
    assert finding(wire, "return.exactly-once").because == f"the fault {fault}"


def test_a_refused_prepare_excuses_nothing() -> None:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    number = wire.request("POST", "/backend-api/f/conversation/prepare", b'{"client_prepare_state": "sent"}')
    wire.strike(number, "500@request:4")
    wire.refused(number, 500, {"detail": "no"})
    assert set(wire.failed()) == {"return.exactly-once"}


def test_a_refusal_excuses_nothing_where_the_fault_is_one_that_refuses_nothing() -> None:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    number = wire.request("GET", "/backend-api/ios/attestation_challenge")
    wire.strike(number, "delay@event:1")
    wire.refused(number, 500, {"detail": "no"})
    assert set(wire.failed()) == {"return.exactly-once"}


def test_a_prepare_that_is_told_that_the_conversation_is_deleted_may_be_the_last_that_a_client_says() -> None:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    named = f'{{"client_prepare_state": "sent", "conversation_id": "{CONVERSATION}"}}'
    number = wire.request("POST", "/backend-api/f/conversation/prepare", named.encode())
    wire.strike(number, "conversation-deleted@request:4")
    wire.refused(number, 404, {"detail": {"code": "conversation_deleted", "message": "gone"}})
    assert wire.failed() == {}
    assert finding(wire, "return.exactly-once").because == "the fault conversation-deleted@request:4"


def test_a_refusal_that_is_no_faults_excuses_nothing() -> None:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    number = wire.request("GET", "/backend-api/ios/attestation_challenge")
    wire.refused(number, 500, {"detail": "no"})
    assert set(wire.failed()) == {"return.exactly-once"}
