"""What the judge makes of challenges, prepares, first turns and declarations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.flow_a_wire import (
    CONVERSATION,
    Wire,
    answer_stream,
    call_stream,
    signature,
    tool_return,
    user_turn,
)

OTHER_ID = "11111111-2222-4333-8444-555555555555"
OTHER_CONVERSATION = "00000000-0000-4000-8000-0000000000b2"


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


@pytest.mark.parametrize(("named", "level"), [(CONVERSATION, "must"), (None, "should")])
def test_a_first_turns_prepare_names_no_conversation(named: object, level: str) -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare(conversation_id=named)
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), answer_stream())
    assert [(name, f.level) for name, f in wire.failed().items()] == [("prepare.same-conversation", level)]


@pytest.mark.parametrize("carries", [True, False])
def test_first_turns_that_begin_at_once_have_a_prepare_each(carries: bool) -> None:
    wire = Wire()
    challenges = [wire.challenge() for _ in range(2)]
    tokens = []
    for _ in challenges:
        wire.prepare()
        tokens.append(wire.token)
    ids = (CONVERSATION, OTHER_CONVERSATION)
    for challenge, token, conversation in zip(challenges, tokens, ids, strict=True):
        wire.token = token if carries else None
        wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), answer_stream(conversation))
    assert wire.failed().keys() == (set() if carries else {"request.conduit-token-carried"})


def test_a_first_turn_without_a_prepare_does_not_take_that_of_another_conversations_return() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream())
    challenge = wire.challenge()
    wire.prepare(conversation_id=CONVERSATION)
    token, wire.token = wire.token, None
    body = user_turn(app_attest_challenge=wire.challenge(), client_prepare_state="failure")
    wire.stream(wire.send(body), answer_stream(OTHER_CONVERSATION))
    wire.token = token
    wire.stream(wire.send(tool_return(app_attest_challenge=challenge)), answer_stream())
    assert not wire.failed()


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


def test_a_challenge_that_was_never_issued_is_one_fault_however_often_it_comes() -> None:
    wire = Wire()
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge="made-up")), call_stream())
    wire.prepare(conversation_id=CONVERSATION)
    wire.stream(wire.send(tool_return(app_attest_challenge="made-up")), answer_stream())
    assert wire.failed().keys() == {"request.challenge-issued"}
