"""The state tables of a turn and a call."""

from __future__ import annotations

import pytest

from wiretape.codex.session import (
    CALL_TRANSITIONS,
    TURN_TRANSITIONS,
    CallState,
    CallStep,
    ToolCall,
    Turn,
    TurnState,
    TurnStep,
)


def call(*steps: CallStep) -> ToolCall:
    tool_call = ToolCall(id="call_1", tool="demo_echo")
    for step in steps:
        assert tool_call.step(step)
    return tool_call


def test_a_call_is_announced_asked_answered_and_closed() -> None:
    assert call(CallStep.ASKED, CallStep.ANSWERED, CallStep.CLOSED).state is CallState.CLOSED


def test_a_call_that_nobody_answers_is_abandoned() -> None:
    assert call(CallStep.ASKED, CallStep.ASKED, CallStep.CLOSED).state is CallState.ABANDONED
    assert call(CallStep.CLOSED).state is CallState.ABANDONED


@pytest.mark.parametrize("state", CallState)
@pytest.mark.parametrize("step", CallStep)
def test_a_step_that_a_call_does_not_have_changes_nothing(state: CallState, step: CallStep) -> None:
    tool_call = ToolCall(id="c", tool="t", state=state)
    assert tool_call.step(step) == ((state, step) in CALL_TRANSITIONS)
    assert tool_call.state is CALL_TRANSITIONS.get((state, step), state)


@pytest.mark.parametrize("state", TurnState)
@pytest.mark.parametrize("step", TurnStep)
def test_a_step_that_a_turn_does_not_have_changes_nothing(state: TurnState, step: TurnStep) -> None:
    turn = Turn(id="t", thread_id="th", state=state)
    assert turn.step(step) == ((state, step) in TURN_TRANSITIONS)
    assert turn.state is TURN_TRANSITIONS.get((state, step), state)


def test_the_end_of_a_turn_closes_its_calls() -> None:
    turn = Turn(id="t", thread_id="th")
    open_call = turn.asked(ToolCall(id="a", tool="x"))
    done = turn.asked(ToolCall(id="b", tool="x"))
    done.step(CallStep.ANSWERED)
    assert turn.step(TurnStep.COMPLETED)
    assert (open_call.state, done.state) == (CallState.ABANDONED, CallState.CLOSED)


def test_a_call_that_is_asked_again_is_the_same_one() -> None:
    turn = Turn(id="t", thread_id="th")
    first = turn.asked(ToolCall(id="a", tool="x"))
    assert turn.asked(ToolCall(id="a", tool="x")) is first


def test_a_refused_interrupt_was_none() -> None:
    turn = Turn(id="t", thread_id="th")
    turn.step(TurnStep.INTERRUPT_SENT)
    assert turn.interrupted
    turn.step(TurnStep.INTERRUPT_REFUSED)
    assert not turn.interrupted
    turn.step(TurnStep.INTERRUPT_SENT)
    turn.step(TurnStep.COMPLETED)
    assert turn.interrupted
