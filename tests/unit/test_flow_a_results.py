"""What the judge makes of results, arguments and profiles."""

from __future__ import annotations

import json

import pytest

from tests.unit.flow_a_wire import (
    HEAD,
    Wire,
    answer_stream,
    call_message,
    call_stream,
    conforming,
    opening,
    tool_return,
    user_turn,
)

OTHER_ID = "11111111-2222-4333-8444-555555555555"
OTHER_CONVERSATION = "00000000-0000-4000-8000-0000000000b2"


# --- results


def test_an_expected_result_may_have_more_keys() -> None:
    wire = Wire(expect={"results": {"alefita_way": {"message": "fixed"}}})
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return({"message": "fixed", "lines": [1]}), answer_stream())
    assert not wire.failed()


def test_another_result_than_expected_fails_with_its_path() -> None:
    wire = Wire(expect={"results": {"alefita_way": {"message": "fixed", "n": 1}}})
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return({"message": "fixed", "n": True}), answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"return.result-as-expected"}
    assert failed["return.result-as-expected"].path == "messages[0].content.text.result.n"


def test_a_cassette_that_expects_nothing_judges_no_result() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return({"message": "anything"}), answer_stream())
    assert wire.outcome("return.result-as-expected").outcome == "not_observed"
    assert wire.outcome("behavior.arguments-intact").outcome == "not_observed"


@pytest.mark.parametrize("arguments", ["not json", "[1]", '{"other": 1}'])
def test_an_echo_of_arguments_without_a_message_can_not_be_judged(arguments: str) -> None:
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    wire.turn(user_turn(), call_stream(arguments))
    wire.turn(tool_return(), answer_stream())
    assert wire.outcome("return.result-as-expected").outcome == "not_applicable"


@pytest.mark.parametrize(
    ("got", "word"),
    [
        ("cora", "part is missing"),
        ("coraÃ§Ã£o ð\x9f\x8c\x8d", "one-byte charset"),
        ("corac\u0327a\u0303o 🌍", "joined or taken apart"),
        ("cora\ufffd\ufffdo 🌍", "characters were lost"),
        ("cora??o ?", "characters were lost"),
        ("cora\\u00e7\\u00e3o \\ud83c\\udf0d", "escapes were left"),
        ("coração \ud83c", "halves"),
        ("coração 🌍coração 🌍", "added twice"),
        (json.dumps({"message": "coração 🌍"}), "whole arguments text"),
    ],
)
def test_a_damaged_argument_is_told_from_another_result(got: str, word: str) -> None:
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    wire.turn(user_turn(), call_stream(json.dumps({"message": "coração 🌍"})))
    wire.turn(tool_return({"message": got}), answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"behavior.arguments-intact"}
    assert word in failed["behavior.arguments-intact"].hint
    assert wire.outcome("return.result-as-expected").because == "flow_a.behavior.arguments-intact"


def test_another_text_than_the_argument_is_a_wrong_result() -> None:
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return({"message": "something else"}), answer_stream())
    assert wire.failed().keys() == {"return.result-as-expected"}


def test_a_profile_that_is_demanded_refuses_the_other() -> None:
    assert conforming(profile="seed-capture").failed() == {}
    assert conforming(profile="app").failed().keys() == {"return.metadata-profile"}


def test_a_call_that_history_repeats_in_a_later_stream_is_one_call() -> None:
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    wire.turn(user_turn(), call_stream())
    again = call_message('{"message": "eco"}') | {"status": "finished_successfully"}
    wire.turn(tool_return(), [HEAD, opening(again), *answer_stream()[1:]])
    assert not wire.failed()


def test_a_refused_request_and_other_paths_bring_no_call() -> None:
    wire = Wire()
    number = wire.send(user_turn())
    wire.respond(number, b'{"detail": "no"}', 422)
    wire.end(number)
    number = wire.request("GET", "/backend-api/conversation/x")
    wire.respond(number, b"{}")
    wire.end(number)
    assert wire.outcome("return.exactly-once").outcome == "not_observed"


def test_a_challenge_answer_that_is_no_object_issues_nothing() -> None:
    for answer in (b"[]", b"{"):
        wire = Wire()
        number = wire.request("GET", "/backend-api/ios/attestation_challenge")
        wire.respond(number, answer)
        wire.stream(wire.send(user_turn(app_attest_challenge="abc")), answer_stream())
        assert "request.challenge-issued" in wire.failed()
