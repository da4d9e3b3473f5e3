"""What the model did, as far as the client was told: steps from messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.codex_script import Session, made, said, steps
from tests.unit.codex_wire import text_result
from wiretape.cassette import ClientStep, ModelError, Step
from wiretape.codex.turn_steps import http_error

WAIT = Step(wait="until_interrupt")


@pytest.fixture
def session() -> Session:
    return Session().begin()


def test_what_comes_before_the_last_answer_is_one_step(session: Session) -> None:
    session.ask()
    session.say("first", "msg_0")
    session.call()
    session.call(1, call_id="call_2", arguments={"text": "ho"})
    session.answer(text_result("ho"), 1)
    session.answer()
    session.say("done")
    session.end()
    want = steps((said("first", "msg_0"), made(), made("call_2", "ho")), (said("done"),))
    assert session.script().model == want


def test_a_call_after_the_answer_to_another_is_the_next_step(session: Session) -> None:
    session.ask()
    session.call()
    session.answer()
    session.call(1, call_id="call_2", arguments={"text": "ho"})
    session.answer(text_result("ho"), 1)
    session.end()
    assert session.script().model == steps((made(),), (made("call_2", "ho"),), ())


def test_where_the_server_counts_tokens_that_parts_the_steps(session: Session) -> None:
    session.ask()
    session.call()
    session.answer()
    session.call(1, call_id="call_2", arguments={"text": "ho"})
    session.answer(text_result("ho"), 1)
    session.spend()
    session.say("done")
    session.spend()
    session.end()
    want = steps((made(), made("call_2", "ho")), (said("done"),))
    assert session.script().model == want


def test_tokens_of_a_turn_before_the_recording_are_no_turn(session: Session) -> None:
    session.spend(turn="earlier")
    session.ask()
    session.end()
    assert session.script().model == steps(())


def test_an_interrupt_behind_an_answer_keeps_the_call(session: Session) -> None:
    session.ask()
    session.call()
    session.answer()
    session.end("interrupted")
    session.spend()
    assert session.script().model == steps((made(),), WAIT)


def test_a_text_that_grows_while_a_call_is_answered_is_whole_in_the_next_step(session: Session) -> None:
    session.ask()
    session.call()
    session.item("started", type="agentMessage", id="msg_1", text="")
    session.delta("one ")
    session.answer()
    session.delta("two")
    session.item("completed", type="agentMessage", id="msg_1", text="one two")
    session.end()
    assert session.script().model == steps((made(),), (said("one two", "msg_1", "one ", "two"),))


def test_deltas_that_do_not_add_up_to_the_text_are_left_out(session: Session) -> None:
    session.ask()
    session.say("one two", "msg_1", "one ")
    session.end()
    assert session.script().model == steps((said("one two"),))


def test_a_message_that_two_connections_hear_counts_once(session: Session) -> None:
    session.ask()
    session.item("started", type="agentMessage", id="msg_1", text="")
    session.connection = "c2"
    session.item("started", type="agentMessage", id="msg_1", text="")
    session.delta("hi")
    session.connection = "c1"
    session.delta("hi")
    session.item("completed", type="agentMessage", id="msg_1", text="hi")
    session.end()
    session.connection = "c2"
    session.item("completed", type="agentMessage", id="msg_1", text="hi")
    session.end()
    assert session.script().model == steps((said("hi", "msg_1", "hi"),))


def test_a_turn_in_which_the_model_says_nothing_has_an_empty_step(session: Session) -> None:
    session.ask()
    session.end()
    assert session.script().model == steps(())


@pytest.mark.parametrize("answered", [False, True])
def test_an_interrupt_while_the_model_thinks_is_a_wait(session: Session, answered: bool) -> None:
    session.ask()
    if answered:
        session.call()
        session.answer()
    session.accept(session.interrupt())
    session.end("interrupted")
    assert session.script().model == (steps((made(),), WAIT) if answered else (WAIT,))
    assert any("interrupted a turn elsewhere" in gap for gap in session.script().gaps)


def test_an_interrupt_of_a_call_needs_no_wait(session: Session) -> None:
    session.ask()
    session.call()
    session.accept(session.interrupt())
    session.end("interrupted")
    script = session.script()
    assert script.model == steps((made(),))
    assert script.client == (ClientStep(do="interrupt", value="go"),)
    assert len(script.gaps) == 1


def test_a_text_that_an_interrupt_broke_off_is_a_gap(session: Session) -> None:
    session.ask()
    session.item("started", type="agentMessage", id="msg_1", text="")
    session.delta("one ")
    session.end("interrupted")
    script = session.script()
    assert script.model == (WAIT,)
    assert any("a text that was broken off (1)" in gap for gap in script.gaps)


def test_a_turn_that_is_cut_off_with_the_recording_keeps_what_came(session: Session) -> None:
    session.ask()
    session.item("started", type="agentMessage", id="msg_1", text="")
    session.delta("one ")
    assert session.script().model == steps((said("one ", "msg_1", "one "),))


def test_a_refused_token_is_a_401_and_a_failed_refresh_no_second_one(session: Session) -> None:
    session.ask()
    session.ask_for_tokens()
    session.fail({"code": -32000, "message": "no"})
    session.end("failed", message="auth refresh request failed: code=-32000", codexErrorInfo="other")
    (step,) = session.script().model
    assert step.error is not None
    assert step.error.status == 401


@pytest.mark.parametrize(
    ("error", "want"),
    [
        ({"message": "busy", "codexErrorInfo": "internalServerError"}, ModelError(status=500)),
        ({"message": "exceeded retry limit, last status: 429 Too Many Requests"}, ModelError(status=429)),
        (
            {"message": "unexpected status 403 Forbidden: no, url: http://x/"},
            ModelError(status=403, body="no"),
        ),
        (
            {"message": "unexpected status 404 Not Found: Unknown error, url: http://x/"},
            ModelError(status=404),
        ),
        ({"message": "the model does not exist"}, None),
    ],
)
def test_a_failed_turn_tells_the_providers_status(error: dict[str, Any], want: ModelError | None) -> None:
    assert http_error(error) == want


def test_an_error_without_a_status_is_the_body_of_a_400(session: Session) -> None:
    session.ask()
    session.end("failed", message="bad model", codexErrorInfo="other")
    assert session.script().model == steps(Step(error=ModelError(status=400, body="bad model")))


def test_an_item_that_no_step_can_hold_is_a_gap(session: Session) -> None:
    session.ask()
    session.item("started", type="commandExecution", id="c", command="ls")
    session.say("done")
    session.end()
    script = session.script()
    assert script.model == steps((said("done"),))
    assert any("commandExecution (1)" in gap for gap in script.gaps)
