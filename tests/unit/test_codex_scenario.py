"""The script of a recorded codex session: the model's and the client's steps, and what is expected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.codex_wire import ECHO, THREAD, TURN, Wire, text_result
from wiretape.cassette import (
    Cassette,
    ClientStep,
    ModelCall,
    ModelError,
    ModelText,
    RecordedFrame,
    Step,
    bundled,
    load_cassette,
)
from wiretape.codex.scenario import Scenario, scenario
from wiretape.codex.turn_steps import http_error
from wiretape.transcript import Frame

WAIT = Step(wait="until_interrupt")


@pytest.fixture(params=bundled("codex"))
def cassette(request: pytest.FixtureRequest) -> Cassette:
    return load_cassette(f"codex/{request.param}")


def test_a_recording_of_the_real_server_gives_the_script_that_it_was_made_with(cassette: Cassette) -> None:
    found = scenario(cassette.frames)
    assert (found.model, found.client) == (cassette.model, cassette.client)
    assert found.expect.user_message == cassette.expect.user_message
    assert found.expect.tools == cassette.expect.tools
    assert found.profile == cassette.profile
    assert len(found.gaps) == 1


def test_the_results_are_what_the_client_answered() -> None:
    results = {
        name: scenario(load_cassette(f"codex/{name}").frames).expect.results for name in bundled("codex")
    }
    assert results["dynamic_tool_text"] == {"demo_echo": "echo"}
    assert results["success_false"]["demo_echo"]["success"] is False
    assert results["interrupt_during_call"] == {}


class Session(Wire):
    """A session under construction, and its script."""

    def begin(self, *, version: str = "0.171.0") -> Session:
        self.version = version
        self.initialize()
        self.thread()
        return self

    def ask(self, text: str = "go", turn: str = TURN) -> None:
        request = self.request("turn/start", {"threadId": THREAD, "input": [{"type": "text", "text": text}]})
        self.accept(request, {"turn": {"id": turn}})

    def item(self, what: str, turn: str = TURN, **item: Any) -> None:
        self.notify(f"item/{what}", threadId=THREAD, turnId=turn, item=item)

    def say(self, text: str, item_id: str = "msg_1", *deltas: str) -> None:
        self.item("started", type="agentMessage", id=item_id, text="" if deltas else text)
        for delta in deltas:
            self.delta(delta, item_id)
        self.item("completed", type="agentMessage", id=item_id, text=text)

    def delta(self, delta: str, item_id: str = "msg_1") -> None:
        self.notify("item/agentMessage/delta", threadId=THREAD, turnId=TURN, itemId=item_id, delta=delta)

    def end(self, status: str = "completed", turn: str = TURN, **error: Any) -> None:
        told = {"id": turn, "status": status, "error": error or None}
        self.notify("turn/completed", threadId=THREAD, turn=told)

    def script(self) -> Scenario:
        entries = [each for each in self.transcript.entries if isinstance(each, Frame)]
        return scenario(
            RecordedFrame(direction=each.direction, delay=0, data=each.data, connection=each.connection)
            for each in entries
        )


@pytest.fixture
def session() -> Session:
    return Session().begin()


def made(call_id: str = "call_1", text: str = "hi") -> ModelCall:
    return ModelCall(id=call_id, tool="demo_echo", arguments=json.dumps({"text": text}))


def said(text: str, item_id: str = "msg_1", *deltas: str) -> ModelText:
    return ModelText(id=item_id, text=text, deltas=deltas)


def steps(*each: Any) -> tuple[Step, ...]:
    """Steps of items, and others as they are."""
    return tuple(step if isinstance(step, Step) else Step(items=step) for step in each)


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


def test_up_to_0_98_another_process_counts_its_turns_anew() -> None:
    session = Session().begin(version="0.98.0")
    session.ask(turn="0")
    session.opened("c2")
    session.initialize()
    session.accept(session.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    session.ask("again", turn="0")
    session.end(turn="0")
    script = session.script()
    assert script.model == (WAIT, Step())
    assert [(step.do, step.value) for step in script.client] == [
        ("turn", "go"),
        ("resume", "process"),
        ("turn", "again"),
    ]
    assert script.profile == "0.98"


def test_a_turn_that_the_server_refused_is_no_step(session: Session) -> None:
    asked = session.request("turn/start", {"threadId": THREAD, "input": []})
    session.refuse(asked, "input must not be empty")
    script = session.script()
    assert (script.model, script.client, script.expect.user_message) == ((), (), None)


def test_what_is_said_while_a_turn_runs_is_no_turn_of_its_own(session: Session) -> None:
    session.ask()
    session.ask("and more")
    session.say("done")
    session.end()
    script = session.script()
    assert (script.client, script.expect.user_message) == ((), "go")
    assert any("said more while a turn ran" in gap for gap in script.gaps)


def test_a_tool_that_gave_different_results_has_none(session: Session) -> None:
    session.ask()
    session.call()
    session.answer(text_result("one"))
    session.call(1, call_id="call_2")
    session.answer(text_result("two"), 1)
    session.end()
    assert session.script().expect.results == {}


def test_the_tools_are_those_of_the_thread_that_is_played(session: Session) -> None:
    session.ask()
    session.end()
    assert session.script().expect.tools == (ECHO,)


def test_what_is_no_message_changes_nothing(session: Session) -> None:
    session.client(b"no json")
    session.server(b"[]")
    session.ask()
    session.end()
    assert session.script().model == (Step(),)


def test_a_session_without_a_turn_has_no_model() -> None:
    script = Session().begin().script()
    assert (script.model, script.gaps, script.profile) == ((), (), "0.171")
    assert scenario(()).profile == ""
