"""Drives conversations at random, and asks the judge what it makes of them."""

from __future__ import annotations

import uuid

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.unit.flow_a_wire import (
    CLOSING,
    DONE,
    HEAD,
    Wire,
    call_message,
    complete,
    message,
    opening,
    tool_return,
    user_turn,
)
from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.session import Conversation, State, Step


class ConversationMachine(RuleBasedStateMachine):
    """Any order of steps: the conversation keeps its books, whatever the table says of them."""

    def __init__(self) -> None:
        super().__init__()
        self.conversation = Conversation("c1")
        self.open: set[str] = set()
        self.answered: set[str] = set()
        self.serial = 0

    @rule()
    def ask(self) -> None:
        self.conversation.turn_requested()

    @rule()
    def open_a_call(self) -> None:
        self.serial += 1
        call = SeenCall(id=f"call-{self.serial}", tool="x", recipient="local.x", text="{}", opened=1)
        self.conversation.call_opened(call)
        self.open.add(call.id)

    @rule(number=st.integers(1, 5))
    def close(self, number: int) -> None:
        before = self.conversation.state
        closed = self.conversation.call_closed(f"call-{number}")
        assert not closed or before is State.CALL_OPEN

    @rule()
    def end_the_stream(self) -> None:
        self.conversation.stream_ended()

    @rule(number=st.integers(1, 5))
    def return_to(self, number: int) -> None:
        call_id, before = f"call-{number}", self.conversation.state
        due = self.conversation.returned(call_id)
        assert due == (call_id in self.open and before in (State.CALL_COMPLETE, State.RETURN_DUE))
        if call_id in self.open:
            self.open.remove(call_id)
            self.answered.add(call_id)

    @rule()
    def stop(self) -> None:
        self.conversation.stopped()
        assert self.conversation.state is State.IDLE
        self.open.clear()

    @invariant()
    def every_call_is_in_one_book(self) -> None:
        assert set(self.conversation.pending) == self.open
        assert set(self.conversation.answered) == self.answered

    @invariant()
    def stopping_is_always_possible(self) -> None:
        other = Conversation("copy")
        other.state = self.conversation.state
        assert other.step(Step.STOPPED)


class ConformingClientMachine(RuleBasedStateMachine):
    """A client that does everything right, in any order that the protocol allows, is never blamed."""

    def __init__(self) -> None:
        super().__init__()
        self.wire = Wire(expect={"results": {"alefita_way": "echo"}})
        self.conversations: list[str] = []
        self.due: list[tuple[str, str, str]] = []

    def new_id(self) -> str:
        return str(uuid.UUID(int=len(self.wire.transcript.entries) + 1, version=4))

    def answer(self, conversation: str, call: str | None) -> list[bytes]:
        """The chunks of an answer in this conversation, with a call to echo ``call`` or a closing message."""
        if call is None:
            final = message(self.new_id(), end_turn=True)
            return [HEAD, opening(final, conversation), complete(conversation), DONE]
        call_id = self.new_id()
        self.due.append((conversation, call_id, call))
        first = call_message(f'{{"message": "{call}"}}', call_id)
        return [HEAD, opening(first, conversation), CLOSING, complete(conversation), DONE]

    @initialize()
    def first_turn(self) -> None:
        self.begin(None)

    @rule(call=st.sampled_from([None, "eco", "outro"]))
    def begin(self, call: str | None) -> None:
        conversation = self.new_id()
        self.conversations.append(conversation)
        self.wire.turn(user_turn(), self.answer(conversation, call))

    @rule(number=st.integers(0, 9), call=st.sampled_from([None, "eco"]))
    def go_on(self, number: int, call: str | None) -> None:
        conversation = self.conversations[number % len(self.conversations)]
        if any(conversation == where for where, _, _ in self.due):
            return
        turn = user_turn(conversation_id=conversation, parent_message_id=self.new_id())
        self.wire.turn(turn, self.answer(conversation, call))

    @precondition(lambda self: self.due)
    @rule(number=st.integers(0, 9), call=st.sampled_from([None, "eco"]))
    def return_a_result(self, number: int, call: str | None) -> None:
        conversation, call_id, text = self.due.pop(number % len(self.due))
        body = tool_return({"message": text}, call_id=call_id, conversation_id=conversation)
        body["messages"][0]["id"] = self.new_id()
        self.wire.turn(body, self.answer(conversation, call))

    def teardown(self) -> None:
        while self.due:
            self.return_a_result(0, None)
        assert self.wire.failed() == {}


TestConversation = ConversationMachine.TestCase
TestConformingClient = ConformingClientMachine.TestCase
