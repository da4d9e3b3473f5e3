"""What the judge makes of challenges and prepares."""

from __future__ import annotations

import pytest

from tests.unit.flow_a_wire import (
    API,
    CALL_ID,
    CONVERSATION,
    Wire,
    answer_stream,
    call_stream,
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


@pytest.mark.parametrize("state", ["success", "failure"])
def test_a_client_may_go_by_a_prepare_that_went_well_or_by_the_last_one(state: str) -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare(partial_query={"content": {"content_type": "text", "parts": ["e"]}})
    token = wire.token
    wire.prepare(status=500)
    wire.token = token if state == "success" else None
    body = user_turn(app_attest_challenge=challenge, client_prepare_state=state)
    wire.stream(wire.send(body), answer_stream())
    assert not wire.failed()


def test_a_prepare_that_was_not_answered_yet_may_be_taken_for_failed() -> None:
    wire = Wire()
    challenge = wire.challenge()
    prepare = wire.request("POST", f"{API}/f/conversation/prepare", b'{"client_prepare_state": "sent"}')
    body = user_turn(app_attest_challenge=challenge, client_prepare_state="failure")
    number = wire.send(body)
    wire.respond(prepare, b'{"conduit_token": "late"}')
    wire.stream(number, answer_stream())
    assert not wire.failed()


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


def test_returns_to_two_calls_of_one_answer_may_be_prepared_together() -> None:
    wire = Wire()
    second = call_stream(call_id=OTHER_ID)[1:]
    wire.turn(user_turn(), [*call_stream()[:3], *second])
    challenges, tokens = [wire.challenge() for _ in range(2)], []
    for _ in challenges:
        wire.prepare(conversation_id=CONVERSATION)
        tokens.append(wire.token)
    for index, call_id in enumerate((CALL_ID, OTHER_ID)):
        body = tool_return(call_id=call_id, app_attest_challenge=challenges[index])
        body["messages"][0]["id"] = f"b65539dc-d45f-4b37-b735-a11ac75aafe{index}"
        wire.token = tokens[index]
        wire.stream(wire.send(body), answer_stream())
    assert not wire.failed()


def test_a_null_conversation_id_makes_two_first_turns_no_one_conversation() -> None:
    wire = Wire()
    challenges, tokens = [wire.challenge() for _ in range(2)], []
    for _ in challenges:
        wire.prepare()
        tokens.append(wire.token)
    for index, conversation in enumerate((CONVERSATION, OTHER_CONVERSATION)):
        wire.token = tokens[index]
        body = user_turn(app_attest_challenge=challenges[index], conversation_id=None)
        wire.stream(wire.send(body), answer_stream(conversation))
    assert wire.failed().keys() == {"request.first-turn-omits-ids"}


@pytest.mark.parametrize("answer", [b"", b'{"status": "ok"}', b"<REDACTED>"])
def test_a_prepare_was_answered_whether_or_not_a_log_shows_its_token(answer: bytes) -> None:
    wire = Wire(live=False)
    number = wire.request("POST", f"{API}/f/conversation/prepare", b'{"client_prepare_state": "sent"}')
    wire.respond(number, answer)
    wire.stream(wire.send(user_turn(app_attest_challenge="abc")), answer_stream())
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


def test_a_challenge_that_was_never_issued_is_one_fault_however_often_it_comes() -> None:
    wire = Wire()
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge="made-up")), call_stream())
    wire.prepare(conversation_id=CONVERSATION)
    wire.stream(wire.send(tool_return(app_attest_challenge="made-up")), answer_stream())
    assert wire.failed().keys() == {"request.challenge-issued"}
