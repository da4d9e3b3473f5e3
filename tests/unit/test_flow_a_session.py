from __future__ import annotations

from typing import Any

import pytest

from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.session import TRANSITIONS, Conversation, State, Step, match_return

CALL = SeenCall(id="call-1", tool="alefita_way", recipient="local.alefita_way", text="{}", opened=10)
OTHER = SeenCall(id="call-2", tool="other", recipient="local.other", text="{}", opened=10)
SEARCH = SeenCall(id="search-1", tool="web.run", recipient="web.run", text="{}", opened=10)


def asked(conversation_id: str = "c1", *calls: SeenCall) -> Conversation:
    """A conversation whose turn has brought these calls and ended."""
    conversation = Conversation(conversation_id)
    conversation.turn_requested()
    for call in calls:
        conversation.call_opened(call)
        conversation.call_closed(call.id)
    conversation.stream_ended()
    return conversation


def body(role: str = "tool", text: str = "", **fields: Any) -> dict[str, Any]:
    message = {"author": {"role": role}, "content": {"content_type": "code", "text": text}}
    return {"messages": [message], **fields}


def test_a_call_and_its_return_go_through_every_state_and_end_idle() -> None:
    conversation = Conversation("c1")
    states = [conversation.state]
    for step in (
        conversation.turn_requested,
        lambda: conversation.call_opened(CALL),
        lambda: conversation.call_closed("call-1"),
        conversation.stream_ended,
        lambda: conversation.returned("call-1"),
        conversation.stream_ended,
    ):
        assert step()
        states.append(conversation.state)
    assert states == [
        State.IDLE,
        State.STREAMING,
        State.CALL_OPEN,
        State.CALL_COMPLETE,
        State.RETURN_DUE,
        State.STREAMING,
        State.IDLE,
    ]
    assert list(conversation.answered) == ["call-1"]


def test_a_return_to_a_growing_call_is_not_due_but_the_backend_goes_on() -> None:
    conversation = Conversation("c1")
    conversation.turn_requested()
    conversation.call_opened(CALL)
    assert not conversation.returned("call-1")
    assert conversation.state is State.STREAMING
    assert "call-1" in conversation.answered


def test_the_end_of_the_stream_completes_a_call_that_was_never_closed() -> None:
    conversation = Conversation("c1")
    conversation.turn_requested()
    conversation.call_opened(CALL)
    conversation.stream_ended()
    assert conversation.state is State.RETURN_DUE
    assert conversation.returned("call-1")


def test_a_second_return_is_not_due() -> None:
    conversation = asked("c1", CALL)
    assert conversation.returned("call-1")
    assert not conversation.returned("call-1")


def test_a_call_that_is_seen_again_as_history_opens_nothing() -> None:
    conversation = asked("c1", CALL)
    conversation.returned("call-1")
    assert not conversation.call_opened(CALL)
    assert conversation.state is State.STREAMING
    assert not conversation.pending


def test_closing_a_call_that_is_not_open_changes_nothing() -> None:
    conversation = Conversation("c1")
    assert not conversation.call_closed("call-1")
    assert conversation.state is State.IDLE


def test_stopping_drops_the_pending_call() -> None:
    conversation = asked("c1", CALL)
    assert conversation.stopped()
    assert conversation.state is State.IDLE
    assert not conversation.returned("call-1")


def test_the_user_may_go_on_without_the_return() -> None:
    conversation = asked("c1", CALL)
    assert conversation.turn_requested()
    assert "call-1" in conversation.pending


@pytest.mark.parametrize("state", State)
def test_what_the_table_does_not_have_changes_no_state(state: State) -> None:
    missing = [step for step in Step if (state, step) not in TRANSITIONS]
    assert missing
    for step in missing:
        conversation = Conversation("c1")
        conversation.state = state
        assert not conversation.step(step)
        assert conversation.state is state


@pytest.mark.parametrize(
    ("request_body", "why"),
    [
        (body(text='{"call_id": "call-1"}'), "the call id in the text"),
        (body(parent_message_id="call-1"), "the parent"),
        (body("user", parent_message_id="call-1"), "the parent, though the role is the user's"),
        (body(), "the only pending call"),
        (body("assistant", conversation_id="c1"), "a role that is not the user's, after a call"),
        ({"messages": [], "conversation_id": "c1"}, "no message at all, after a call"),
        ({"messages": [body("user")["messages"][0], body()["messages"][0]]}, "a tool message behind another"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_return_finds_the_pending_call_by(request_body: dict[str, Any], why: str) -> None:
    match = match_return(request_body, [asked("c1", CALL)])
    assert match is not None, why
    assert (match.kind, match.call) == ("call", CALL)


def test_the_call_id_in_parts_of_text_leads_to_the_call_too() -> None:
    parts = {"messages": [{"author": {"role": "user"}, "content": {"parts": ["see call-2", 3]}}]}
    match = match_return(parts, [asked("c1", CALL), asked("c2", OTHER)])
    assert match is not None
    assert match.call is OTHER


def test_a_users_turn_is_no_return() -> None:
    conversations = [asked("c1", CALL)]
    assert match_return(body("user", conversation_id="c1"), conversations) is None
    assert match_return(body("user"), conversations) is None
    assert match_return(body("assistant"), []) is None


@pytest.mark.parametrize(
    ("roles", "is_turn"),
    [
        (("system", "user"), True),
        (("user", "developer"), True),
        (("system",), False),
        (("user", "assistant"), False),
        (("user", "tool"), False),
    ],
)
def test_what_is_told_beside_a_users_message_makes_no_return_of_it(
    roles: tuple[str, ...], is_turn: bool
) -> None:
    messages = [{"author": {"role": role}, "content": {"parts": ["go on"]}} for role in roles]
    match = match_return({"conversation_id": "c1", "messages": messages}, [asked("c1", CALL)])
    assert (match is None) == is_turn


@pytest.mark.parametrize("messages", [None, "text", [3], [{"author": "tool"}], [{"content": [1]}]])
def test_misshapen_messages_are_matched_without_an_error(messages: object) -> None:
    assert match_return({"messages": messages}, [asked("c1", CALL)]) is None


def test_a_return_to_an_answered_call_is_told_apart() -> None:
    conversation = asked("c1", CALL)
    conversation.returned("call-1")
    match = match_return(body(text="call-1"), [conversation])
    assert match is not None
    assert match.kind == "answered"


def test_a_return_to_a_servers_tool_is_told_apart() -> None:
    conversation = asked("c1")
    conversation.server_call_seen(SEARCH)
    match = match_return(body(parent_message_id="search-1"), [conversation])
    assert match is not None
    assert (match.kind, match.call) == ("server_tool", SEARCH)


def test_a_return_with_nothing_before_it_belongs_to_nothing() -> None:
    match = match_return(body(), [asked("c1")])
    assert match is not None
    assert (match.kind, match.call) == ("nothing", None)


def test_the_pending_call_is_preferred_to_an_answered_one_that_is_the_parent() -> None:
    conversation = asked("c1", CALL)
    conversation.returned("call-1")
    conversation.call_opened(OTHER)
    match = match_return(body(text="call-2", parent_message_id="call-1"), [conversation])
    assert match is not None
    assert (match.kind, match.call) == ("call", OTHER)


def test_the_own_conversations_only_pending_call_is_taken_when_no_id_leads_anywhere() -> None:
    first, second = asked("c1", CALL), asked("c2", OTHER)
    match = match_return(body(conversation_id="c2"), [first, second])
    assert match is not None
    assert match.call is OTHER


def test_with_two_pending_calls_and_no_id_nothing_is_guessed() -> None:
    match = match_return(body(conversation_id="elsewhere"), [asked("c1", CALL), asked("c2", OTHER)])
    assert match is not None
    assert match.kind == "nothing"


def test_a_return_that_names_nothing_is_taken_for_the_latest_answered_call() -> None:
    conversation = asked("c1", CALL)
    conversation.returned("call-1")
    match = match_return(body(), [conversation])
    assert match is not None
    assert (match.kind, match.call) == ("answered", CALL)


def test_a_call_whose_return_was_refused_waits_for_another_one() -> None:
    conversation = asked("c1", CALL)
    conversation.returned("call-1")
    conversation.refused("call-1")
    assert (conversation.state, list(conversation.pending)) == (State.RETURN_DUE, ["call-1"])
    conversation.refused("never-returned")
    assert conversation.returned("call-1")
