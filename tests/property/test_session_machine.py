"""Drives conversations at random, and asks the judge what it makes of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.property.adapters import Backend, Client
from tests.unit.flow_a_wire import Wire
from wiretape.contract import Report
from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.session import Conversation, State, Step
from wiretape.testing import FlowAClientMachine, FlowAServerMachine
from wiretape.testing.session_notes import Exchanges


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


class Live(Exchanges):
    """A server that issues challenges and sees every prepare: each request has both before it."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        super().__init__(results)
        self.wire = Wire(expect={"results": dict(results)})
        self.transcript = self.wire.transcript

    def requested(self, body: bytes) -> int:
        asked = json.loads(body)
        challenge = self.wire.challenge()
        named = {"conversation_id": asked["conversation_id"]} if "conversation_id" in asked else {}
        self.wire.prepare(**named)
        return self.wire.send(asked | {"app_attest_challenge": challenge})


class ConformingClientMachine(FlowAClientMachine):
    """A client that does everything right, in any order that the protocol allows, is never blamed."""

    results: ClassVar = {"alefita_way": "echo"}

    def __init__(self) -> None:
        super().__init__()
        self.exchanges = Live(self.results)

    def make_client(self) -> Client:
        return Client()

    def judge(self, report: Report) -> None:
        assert [each for each in report.findings if each.failed] == []


class BackendMachine(FlowAServerMachine):
    """What is made up for any tools is what the protocol allows, turn after turn."""

    def make_server(self) -> Backend:
        return Backend()


TestConversation = ConversationMachine.TestCase
TestConformingClient = ConformingClientMachine.TestCase
TestBackend = BackendMachine.TestCase
_SHORT = settings(stateful_step_count=12, suppress_health_check=())
TestConformingClient.settings = TestBackend.settings = _SHORT
