"""What the judge makes of a session: the reader and the rules that need more than one body."""

from __future__ import annotations

import json
from typing import Any

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


def early_return(**about: Any) -> Wire:
    wire = Wire(**about)
    challenge = wire.challenge()
    wire.prepare()
    first = wire.send(user_turn(app_attest_challenge=challenge))
    wire.plan(first, call_stream())
    wire.write(first, 2)
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
    challenge = wire.challenge()
    wire.prepare()
    number = wire.send(user_turn(app_attest_challenge=challenge))
    wire.plan(number, answer_stream())
    wire.write(number, 3)
    wire.end(number, "client-left")
    failed = wire.failed()
    assert failed.keys() == {"behavior.reads-to-end"}
    assert "bytes" in str(failed["behavior.reads-to-end"].got)


def test_leaving_after_done_is_fine() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    number = wire.send(user_turn(app_attest_challenge=challenge))
    wire.plan(number, answer_stream())
    wire.write(number)
    wire.end(number, "client-left")
    assert not wire.failed()
    assert wire.outcome("behavior.reads-to-end").outcome == "pass"


@pytest.mark.parametrize("how", ["reset", "hang"])
def test_a_stream_that_was_recorded_without_an_end_blames_nobody(how: Any) -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    number = wire.send(user_turn(app_attest_challenge=challenge))
    wire.plan(number, answer_stream())
    wire.write(number, 2)
    wire.end(number, how)
    assert wire.outcome("behavior.reads-to-end").outcome == "not_applicable"


def test_a_stream_that_is_still_running_says_nothing() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    number = wire.send(user_turn(app_attest_challenge=challenge))
    wire.plan(number, answer_stream())
    wire.write(number, 2)
    assert wire.outcome("behavior.reads-to-end").outcome == "not_observed"


def test_a_stopped_turn_owes_no_return_and_no_reading_on() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    number = wire.send(user_turn(app_attest_challenge=challenge))
    wire.plan(number, call_stream())
    wire.write(number, 3)
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


def test_a_duplicate_key_fails_one_rule_and_the_last_value_is_judged() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    raw = json.dumps(user_turn(app_attest_challenge=challenge)).replace(
        '"action": "next"', '"action": "stop", "action": "next"'
    )
    wire.stream(wire.send(raw.encode()), answer_stream())
    assert wire.failed().keys() == {"request.no-duplicate-keys"}


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


# --- challenges


def test_a_challenge_that_was_never_issued_fails_and_its_value_is_not_shown() -> None:
    wire = Wire()
    wire.challenge()
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge="made-up-secret")), answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"request.challenge-issued"}
    assert "made-up-secret" not in str(failed["request.challenge-issued"])


@pytest.mark.parametrize("challenge", [None, 7, ["x"]])
def test_a_challenge_of_another_type_was_never_issued(challenge: object) -> None:
    wire = Wire()
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), answer_stream())
    assert wire.failed().keys() == {"request.challenge-issued"}


def test_a_missing_challenge_fails_challenge_issued_only() -> None:
    wire = Wire()
    wire.prepare()
    wire.stream(wire.send(user_turn()), answer_stream())
    assert wire.failed().keys() == {"request.challenge-issued"}


def test_a_challenge_used_twice_by_user_turns_fails_challenge_unused_only() -> None:
    wire = Wire()
    challenge = wire.challenge()
    for _ in range(2):
        wire.prepare()
        wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), answer_stream())
    assert wire.failed().keys() == {"request.challenge-unused"}


def test_a_challenge_used_again_by_the_return_fails_fresh_challenge_only() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), call_stream())
    wire.prepare(conversation_id=CONVERSATION)
    wire.stream(wire.send(tool_return(app_attest_challenge=challenge)), answer_stream())
    assert wire.failed().keys() == {"return.fresh-challenge"}


def test_fetching_a_challenge_ahead_is_fine() -> None:
    wire = Wire()
    ahead = [wire.challenge(), wire.challenge()]
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge=ahead[0])), call_stream())
    wire.prepare(conversation_id=CONVERSATION)
    wire.stream(wire.send(tool_return(app_attest_challenge=ahead[1])), answer_stream())
    assert not wire.failed()


def test_a_log_without_challenges_is_not_judged_on_them() -> None:
    wire = Wire(live=False)
    wire.stream(wire.send(user_turn(app_attest_challenge="abc")), answer_stream())
    assert wire.outcome("request.challenge-issued").outcome == "not_applicable"
    assert not wire.failed()


def test_placeholders_in_a_cassette_are_not_taken_for_a_reused_challenge() -> None:
    wire = Wire(live=False)
    wire.stream(wire.send(user_turn(app_attest_challenge="<challenge>")), call_stream())
    wire.stream(wire.send(tool_return(app_attest_challenge="<challenge>")), answer_stream())
    assert not wire.failed()


# --- prepares


@pytest.mark.parametrize(
    ("status", "state", "rules"),
    [
        (200, "success", set()),
        (200, "failure", {"request.prepare-state-truthful"}),
        (500, "failure", set()),
        (500, "success", {"request.prepare-state-truthful"}),
        (200, "none", {"request.prepare-state-truthful"}),
        (200, None, {"request.prepare-state-truthful"}),
    ],
)
def test_the_prepare_state_is_held_against_the_prepares_answer(
    status: int, state: object, rules: set[str]
) -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare(status=status)
    body = user_turn(app_attest_challenge=challenge, client_prepare_state=state)
    wire.stream(wire.send(body), answer_stream())
    assert wire.failed().keys() == rules


def test_success_without_any_prepare_is_untrue() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), answer_stream())
    assert wire.failed().keys() == {"request.prepare-state-truthful"}


def test_a_return_without_a_prepare_fails_fresh_prepare_only() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    wire.token = None
    wire.stream(wire.send(tool_return(app_attest_challenge=wire.challenge())), answer_stream())
    assert wire.failed().keys() == {"return.fresh-prepare"}


def test_a_prepare_that_failed_is_still_the_returns_own_prepare() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    challenge = wire.challenge()
    wire.prepare(status=500, conversation_id=CONVERSATION)
    body = tool_return(app_attest_challenge=challenge, client_prepare_state="failure")
    wire.stream(wire.send(body), answer_stream())
    assert not wire.failed()


def test_typing_prepares_before_a_turn_are_fine() -> None:
    wire = Wire()
    challenge = wire.challenge()
    for text in ("e", "ec", "eco"):
        wire.prepare(partial_query={"content": {"content_type": "text", "parts": [text]}})
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), answer_stream())
    assert not wire.failed()


def test_a_prepare_for_another_conversation_fails_same_conversation_only() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    challenge = wire.challenge()
    wire.prepare(conversation_id=OTHER_CONVERSATION)
    wire.stream(wire.send(tool_return(app_attest_challenge=challenge)), answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"prepare.same-conversation"}
    assert failed["prepare.same-conversation"].want == CONVERSATION


def test_a_first_turns_prepare_names_no_conversation() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare(conversation_id=CONVERSATION)
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), answer_stream())
    assert wire.failed().keys() == {"prepare.same-conversation"}


def test_a_prepare_that_nothing_followed_says_nothing() -> None:
    wire = Wire()
    wire.prepare(conversation_id=CONVERSATION)
    assert wire.outcome("prepare.same-conversation").outcome == "not_observed"


def test_an_unreadable_prepare_fails_valid_json_only() -> None:
    wire = Wire()
    number = wire.request("POST", "/backend-api/f/conversation/prepare", b"{")
    wire.respond(number, b'{"detail": "no"}', 400)
    assert wire.failed().keys() == {"request.valid-json"}


def test_a_prepare_that_does_not_say_sent_fails() -> None:
    wire = Wire()
    wire.prepare(state="success")
    assert wire.failed().keys() == {"prepare.state-sent"}


def test_the_conduit_token_of_another_prepare_warns_and_is_not_shown() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    number = wire.send(user_turn(app_attest_challenge=challenge), x_conduit_token="foreign-secret")
    wire.stream(number, answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"request.conduit-token-carried"}
    assert "foreign-secret" not in str(failed)
    assert wire.report().ok


# --- first turns and declarations


@pytest.mark.parametrize("ids", [{"conversation_id": None}, {"parent_message_id": "x"}])
def test_a_first_turn_with_an_id_warns(ids: dict[str, Any]) -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare(**({"conversation_id": None} if "conversation_id" in ids else {}))
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge, **ids)), answer_stream())
    assert "request.first-turn-omits-ids" in wire.failed()
    assert wire.report().ok or "prepare.same-conversation" in wire.failed()


def test_the_web_clients_root_parent_passes_with_a_note() -> None:
    wire = Wire()
    wire.turn(user_turn(parent_message_id="client-created-root"), answer_stream())
    finding = wire.outcome("request.first-turn-omits-ids")
    assert finding.outcome == "pass"
    assert "web client" in finding.because


def test_a_log_that_begins_in_the_middle_is_not_judged_on_first_turns() -> None:
    wire = Wire(live=False)
    wire.stream(wire.send(user_turn(conversation_id=CONVERSATION)), answer_stream())
    assert wire.outcome("request.first-turn-omits-ids").outcome == "not_applicable"


def test_a_second_turn_in_a_conversation_may_name_it() -> None:
    wire = Wire()
    wire.turn(user_turn(), answer_stream())
    wire.turn(user_turn(conversation_id=CONVERSATION, parent_message_id="x"), answer_stream())
    assert not wire.failed()


def test_the_web_clients_way_to_declare_counts() -> None:
    wire = Wire()
    wire.turn(
        user_turn(local_function_signatures=[], local_function_names=["local.alefita_way"]), call_stream()
    )
    assert wire.outcome("request.tool-declared").outcome == "pass"


def test_an_undeclared_tool_is_found_at_the_request_that_brought_the_call() -> None:
    wire = Wire()
    wire.turn(user_turn(local_function_signatures=[signature("handoff")]), call_stream())
    wire.turn(tool_return(), answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"request.tool-declared"}
    assert failed["request.tool-declared"].at == "POST …/f/conversation (request 3)"
    assert failed["request.tool-declared"].got == ["handoff"]


def test_one_bad_signature_that_every_request_repeats_is_one_finding() -> None:
    bad = [signature("handoff"), signature("alefita_way") | {"type": "positional"}]
    wire = Wire()
    wire.turn(user_turn(local_function_signatures=bad), call_stream())
    wire.turn(tool_return(local_function_signatures=bad), answer_stream())
    report = wire.report()
    assert [f.path for f in report.violations] == ["local_function_signatures[1].type"]


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
