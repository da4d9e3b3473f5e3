"""Drives clients of the app-server at random, and asks the judge what it makes of them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.unit.codex_wire import Wire, text_result
from wiretape.codex.session import CallState, CallStep, ToolCall, Turn, TurnState, TurnStep


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


class ConformingClientMachine(RuleBasedStateMachine):
    """A client that does everything right, in any order that the protocol allows, is never blamed."""

    def __init__(self) -> None:
        super().__init__()
        self.wire = Wire(expect={"results": {"demo_echo": "echo"}})
        self.serial = 0
        self.turns = 0
        self.due: dict[int, str] = {}
        self.running = False

    @initialize()
    def connect(self) -> None:
        self.wire.opened()
        self.wire.initialize()
        self.wire.thread()

    @precondition(lambda self: not self.running)
    @rule()
    def begin(self) -> None:
        self.turns += 1
        self.running = True
        self.wire.turn(f"turn-{self.turns}")

    @precondition(lambda self: self.running)
    @rule(text=st.text(max_size=5))
    def ask(self, text: str) -> None:
        self.due[self.serial] = text
        turn, call = f"turn-{self.turns}", f"call-{self.serial}"
        self.wire.call(self.serial, call_id=call, turn=turn, arguments={"text": text})
        self.serial += 1

    @precondition(lambda self: self.due)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.due)))
        self.wire.answer(text_result(self.due.pop(number)), number)
        self.wire.item_completed(f"call-{number}", f"turn-{self.turns}")

    @precondition(lambda self: self.running and not self.due)
    @rule()
    def end(self) -> None:
        self.running = False
        self.wire.turn_completed(f"turn-{self.turns}")

    @precondition(lambda self: self.running)
    @rule()
    def interrupt(self) -> None:
        request = self.wire.interrupt()
        self.due.clear()
        self.running = False
        self.wire.accept(request)
        self.wire.turn_completed(f"turn-{self.turns}")

    @rule(id_=st.sampled_from(["a-b", "", -1, 7]))
    def ask_something_else(self, id_: object) -> None:
        self.wire.client({"id": id_, "method": "model/list", "params": {}})
        self.wire.refuse(id_)

    def teardown(self) -> None:
        while self.due:
            number, text = self.due.popitem()
            self.wire.answer(text_result(text), number)
        if self.running:
            self.end()
        self.wire.closed()
        assert self.wire.failed() == {}


TestTurn = TurnMachine.TestCase
TestConformingClient = ConformingClientMachine.TestCase
