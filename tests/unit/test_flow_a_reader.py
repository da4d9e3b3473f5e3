"""What the judge makes of a session: calls, returns, streams."""

from __future__ import annotations

import json

import pytest

from tests.unit.flow_a_wire import (
    CALL_ID,
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
    message,
    opening,
    signature,
    tool_return,
    user_turn,
)

OTHER_ID = "11111111-2222-4333-8444-555555555555"
OTHER_CONVERSATION = "00000000-0000-4000-8000-0000000000b2"


def test_a_conforming_session_fails_nothing_and_is_played() -> None:
    report = conforming().report()
    assert [f.rule for f in report.findings if f.failed] == []
    assert report.ok
    assert report.played


def test_rules_that_nothing_exercised_are_not_observed_and_never_pass() -> None:
    report = Wire().report()
    assert {finding.outcome for finding in report.findings} == {"not_observed"}
    assert all(finding.because for finding in report.findings)


def test_a_call_without_a_return_is_named_with_its_id_and_tool() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    finding = wire.failed()["return.exactly-once"]
    assert f"{CALL_ID} of local.alefita_way" in str(finding.want)
    assert finding.at == "answer to POST …/f/conversation (request 3)"


def test_a_second_return_fails_once_and_draws_no_other_finding() -> None:
    wire = conforming()
    wire.turn(tool_return(), answer_stream())
    assert wire.failed().keys() == {"return.exactly-once"}
    assert wire.failed()["return.exactly-once"].got == "2 returns"


def test_a_return_to_a_servers_tool_fails_only_local_recipients() -> None:
    wire = Wire()
    web_run = [HEAD, opening(message(CALL_ID, "web.run")), *answer_stream()[1:]]
    wire.turn(user_turn(), web_run)
    wire.turn(tool_return(), answer_stream())
    assert wire.failed().keys() == {"behavior.only-local-recipients"}


def test_a_function_that_nobody_declared_is_the_servers() -> None:
    wire = Wire()
    ran = [HEAD, opening(message(CALL_ID, "functions.exec")), *answer_stream()[1:]]
    wire.turn(user_turn(), ran)
    assert not wire.failed()
    wire.turn(tool_return(tool="exec"), answer_stream())
    assert wire.failed().keys() == {"behavior.only-local-recipients"}


@pytest.mark.parametrize("declared", [True, False])
def test_a_function_that_was_declared_or_has_to_be_run_is_the_clients(declared: bool) -> None:
    wire = Wire(expect={"results": {} if declared else {"exec": "echo"}})
    body = user_turn(local_function_signatures=[signature("handoff"), signature("exec")])
    wire.turn(body if declared else user_turn(), call_stream(recipient="functions.exec"))
    undeclared = set() if declared else {"request.tool-declared"}
    assert wire.failed().keys() == {"return.exactly-once", *undeclared}


def test_a_function_that_was_declared_once_is_the_clients_from_then_on() -> None:
    wire = Wire()
    wire.turn(user_turn(local_function_names=["local.exec"]), answer_stream())
    wire.turn(user_turn(conversation_id=CONVERSATION), call_stream(recipient="functions.exec"))
    assert wire.failed().keys() == {"request.tool-declared", "return.exactly-once"}


def test_a_servers_tool_that_is_left_alone_passes() -> None:
    wire = Wire()
    wire.turn(user_turn(), [HEAD, opening(message(CALL_ID, "web.run")), *answer_stream()[1:]])
    assert wire.outcome("behavior.only-local-recipients").outcome == "pass"


def test_a_return_without_a_call_is_unsolicited_and_draws_no_other_finding() -> None:
    wire = Wire()
    wire.turn(user_turn(), answer_stream())
    wire.turn(tool_return(), answer_stream())
    assert wire.failed().keys() == {"behavior.no-unsolicited-return"}


def test_a_first_request_that_is_a_return_is_unsolicited() -> None:
    wire = Wire()
    wire.turn(tool_return(), answer_stream())
    assert "behavior.no-unsolicited-return" in wire.failed()


def test_an_unreadable_return_fails_valid_json_and_not_the_open_call() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    wire.challenge()
    wire.prepare(conversation_id=CONVERSATION)
    wire.send(b"{'call_id': 1}")
    assert wire.failed().keys() == {"request.valid-json"}
    assert wire.outcome("return.exactly-once").because == "flow_a.request.valid-json"


@pytest.mark.parametrize(
    ("raw", "got"), [(b"", "an empty body"), (b"[1]", [1]), (b"\xff" * 99, "\\xff" * 80 + "…")]
)
def test_what_came_in_place_of_an_object_is_shown(raw: bytes, got: object) -> None:
    wire = Wire()
    wire.send(raw)
    finding = wire.failed()["request.valid-json"]
    assert finding.got == got
    assert finding.hint


def test_no_secret_of_an_unreadable_body_is_shown() -> None:
    wire = Wire()
    wire.send(b'{"app_attest_challenge": "SECRET-7-abcdefgh", bad')
    assert "SECRET" not in str(wire.failed()["request.valid-json"])


def test_a_duplicate_key_fails_one_rule_and_the_last_value_is_judged() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    raw = json.dumps(user_turn(app_attest_challenge=challenge)).replace(
        '"action": "next"', '"action": "stop", "action": "next"'
    )
    wire.stream(wire.send(raw.encode()), answer_stream())
    assert wire.failed().keys() == {"request.no-duplicate-keys"}


@pytest.mark.parametrize("rest", [b"bad", b'"b": NaN}', b'"b": ' + b"[" * 100_000, b'"b": ' + b"9" * 5000])
def test_a_repeated_key_with_a_graver_fault_behind_it_is_no_json(rest: bytes) -> None:
    wire = Wire()
    wire.send(b'{"x": {"a": 1, "a": 2}, ' + rest)
    assert wire.failed().keys() == {"request.valid-json"}


def test_an_unreadable_body_makes_duplicate_keys_not_applicable() -> None:
    wire = Wire()
    wire.send(b"{")
    assert wire.outcome("request.no-duplicate-keys").because == "flow_a.request.valid-json"


def test_two_conversations_at_once_are_judged_apart() -> None:
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    wire.turn(user_turn(), call_stream())
    other = [
        HEAD,
        opening(call_message('{"message": "outro"}', OTHER_ID), OTHER_CONVERSATION),
        CLOSING,
        complete(OTHER_CONVERSATION),
        DONE,
    ]
    wire.turn(user_turn(), other)
    second = tool_return({"message": "outro"}, call_id=OTHER_ID, conversation_id=OTHER_CONVERSATION)
    second["messages"][0]["id"] = "22222222-2222-4333-8444-555555555555"
    wire.turn(second, answer_stream(OTHER_CONVERSATION))
    wire.turn(tool_return(), answer_stream())
    assert not wire.failed()
    assert wire.outcome("return.exactly-once").outcome == "pass"


def test_a_conversation_that_begins_again_under_recorded_ids_has_calls_of_its_own() -> None:
    wire = Wire()
    for return_id in ("11111111-2222-4333-8444-666666666666", "22222222-2222-4333-8444-555555555555"):
        wire.turn(user_turn(), call_stream())
        answer = tool_return()
        answer["messages"][0]["id"] = return_id
        wire.turn(answer, answer_stream())
    assert not wire.failed()
    wire.turn(user_turn(), call_stream())
    assert wire.failed().keys() == {"return.exactly-once"}


def test_a_return_from_memory_goes_to_the_earlier_call_while_the_new_one_is_not_there_yet() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return(), answer_stream())
    begun = wire.ask(user_turn(), call_stream(), count=1)
    wire.respond(wire.send(tool_return()), b"{}", 422)
    assert "return.exactly-once" in wire.failed()
    assert wire.outcome("behavior.no-unsolicited-return").outcome == "pass"
    wire.end(begun, "client-left")
    assert "return.exactly-once" in wire.failed()


@pytest.mark.parametrize("recipient", ["all", "x"])
def test_a_refused_return_may_be_followed_by_another_one_which_is_judged_too(recipient: str) -> None:
    failed = {"return.recipient-is-all"}
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    wrong, right = tool_return(), tool_return()
    wrong["messages"][0] |= {"recipient": "x", "id": OTHER_ID}
    right["messages"][0] |= {"recipient": recipient}
    challenge = wire.challenge()
    wire.prepare(conversation_id=CONVERSATION)
    wire.respond(wire.send(wrong | {"app_attest_challenge": challenge}), b"{}", 422)
    assert wire.failed().keys() == failed
    wire.turn(right, answer_stream())
    assert wire.failed().keys() == failed
    findings = [f for f in wire.report().violations if f.rule == "flow_a.return.recipient-is-all"]
    assert len(findings) == 1 + (recipient == "x")
    wire.turn(right, answer_stream())
    assert wire.failed().keys() == {*failed, "return.exactly-once"}


def test_a_return_with_another_conversations_id_is_told_the_right_one() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return(conversation_id=CONVERSATION), answer_stream())
    wrong = Wire()
    wrong.turn(user_turn(), call_stream())
    challenge = wrong.challenge()
    wrong.prepare(conversation_id=CONVERSATION)
    body = tool_return(conversation_id=OTHER_CONVERSATION, app_attest_challenge=challenge)
    wrong.stream(wrong.send(body), answer_stream())
    assert not wire.failed()
    failed = wrong.failed()
    assert failed.keys() == {"return.conversation-id"}
    assert (failed["return.conversation-id"].want, failed["return.conversation-id"].got) == (
        CONVERSATION,
        OTHER_CONVERSATION,
    )


def test_a_percent_encoded_path_is_judged_like_a_plain_one() -> None:
    wire = Wire()
    number = wire.request("POST", "/backend-api/f/convers%61tion", json.dumps(user_turn()).encode())
    wire.stream(number, answer_stream())
    assert "request.challenge-issued" in wire.failed()
