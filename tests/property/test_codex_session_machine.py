"""Drives clients of the app-server at random, and asks the judge what it makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.property.adapters import AppServer, CodexClient, right
from wiretape.codex.session import CallState, CallStep, ToolCall, Turn, TurnState, TurnStep
from wiretape.contract import Report
from wiretape.testing import CodexClientMachine, CodexServerMachine


class TurnMachine(RuleBasedStateMachine):
    """Any order of steps: a turn keeps its books, whatever the tables say of them."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = Turn(id="turn", thread_id="thread")
        self.answered: set[str] = set()

    @rule(number=st.integers(1, 4))
    def ask(self, number: int) -> None:
        self.turn.asked(ToolCall(id=f"call-{number}", tool="demo_echo"))

    @precondition(lambda self: self.turn.calls)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(list(self.turn.calls.values())))
        due = call.state is CallState.ASKED
        assert call.step(CallStep.ANSWERED) == due
        self.answered |= {call.id} if due else set()

    @precondition(lambda self: self.turn.calls)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(list(self.turn.calls.values()))).step(CallStep.CLOSED)

    @rule(step=st.sampled_from(TurnStep))
    def step(self, step: TurnStep) -> None:
        self.turn.step(step)

    @invariant()
    def a_call_is_abandoned_only_without_an_answer(self) -> None:
        states = {call.id: call.state for call in self.turn.calls.values()}
        assert all(states[each] in (CallState.ANSWERED, CallState.CLOSED) for each in self.answered)
        assert all(each in self.answered for each, state in states.items() if state is CallState.CLOSED)

    @invariant()
    def an_interrupt_shows(self) -> None:
        assert self.turn.interrupted or self.turn.state is not TurnState.STOPPING


class ConformingClientMachine(CodexClientMachine):
    """A client that does everything right, in any order that the protocol allows, is never blamed."""

    results: ClassVar = {"demo_echo": "echo"}

    def __init__(self) -> None:
        self.waiting: dict[Any, bytes] = {}
        """Answers that the client has ready, by the id of the call."""
        super().__init__()

    def make_client(self) -> CodexClient:
        return CodexClient(self.hold)

    def hold(self, call: dict[str, Any]) -> Iterable[Any]:
        (answer,) = right(call)
        self.waiting[call["id"]] = json.dumps(answer).encode()
        return ()

    @precondition(lambda self: self.due)
    @rule(data=st.data())
    def a_tool_has_run(self, data: st.DataObject) -> None:
        self.hear([self.waiting[data.draw(st.sampled_from(sorted(self.due)))]])

    @precondition(lambda self: self.running)
    @rule()
    def the_user_interrupts(self) -> None:
        turn = {"threadId": self.client.thread, "turnId": f"turn-{self.turns}"}
        self.hear([json.dumps({"id": "stop", "method": "turn/interrupt", "params": turn}).encode()])

    @rule(id_=st.sampled_from(["a-b", "", -1, 7]))
    def the_client_asks_something_else(self, id_: object) -> None:
        self.hear([json.dumps({"id": id_, "method": "model/list", "params": {}}).encode()])

    def conclude(self) -> Report:
        while self.due:
            self.hear([self.waiting[min(self.due)]])
        return super().conclude()

    def judge(self, report: Report) -> None:
        assert [each for each in report.findings if each.failed] == []


class AppServerMachine(CodexServerMachine):
    """Our own app-server keeps the books of its turns, whatever its client does."""

    def make_server(self) -> AppServer:
        return AppServer()


TestTurn = TurnMachine.TestCase
TestConformingClient = ConformingClientMachine.TestCase
TestAppServer = AppServerMachine.TestCase
_SHORT = settings(stateful_step_count=12, suppress_health_check=())
TestConformingClient.settings = TestAppServer.settings = _SHORT
