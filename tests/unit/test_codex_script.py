"""The script of a recorded codex session: the model's and the client's steps, and what is expected."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.codex_script import Session
from tests.unit.codex_wire import ECHO, THREAD, TURN, text_result
from wiretape.cassette import Cassette, ClientStep, Expect, Step, bundled, load_cassette
from wiretape.codex.script import script_of, scripted, unscripted

WAIT = Step(wait="until_interrupt")


@pytest.fixture(params=bundled("codex"))
def cassette(request: pytest.FixtureRequest) -> Cassette:
    return load_cassette(f"codex/{request.param}")


def test_a_recording_of_the_real_server_gives_the_script_that_it_was_made_with(cassette: Cassette) -> None:
    found = script_of(cassette.frames)
    assert (found.model, found.client) == (cassette.model, cassette.client)
    assert found.expect.user_message == cassette.expect.user_message
    assert found.expect.tools == cassette.expect.tools
    assert found.profile == cassette.profile
    assert len(found.gaps) == 1


def test_the_results_are_what_the_client_answered() -> None:
    results = {
        name: script_of(load_cassette(f"codex/{name}").frames).expect.results for name in bundled("codex")
    }
    assert results["dynamic_tool_text"] == {"demo_echo": "echo"}
    assert results["success_false"]["demo_echo"]["success"] is False
    assert results["interrupt_during_call"] == {}


@pytest.fixture
def session() -> Session:
    return Session().begin()


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


def test_steering_and_what_is_no_text_have_no_step_and_are_gaps(session: Session) -> None:
    request = session.request("turn/start", {"threadId": THREAD, "input": [{"type": "image", "url": "x"}]})
    session.accept(request, {"turn": {"id": TURN}})
    session.accept(session.request("turn/steer", {"threadId": THREAD}), {"turnId": TURN})
    session.say("done")
    session.end()
    gaps = " ".join(session.script().gaps)
    assert "said more than texts" in gaps
    assert "said more while a turn ran" in gaps


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
    assert script_of(()).profile == ""


def test_a_thread_that_is_older_than_the_recording_has_unknown_tools() -> None:
    session = Session()
    session.initialize()
    session.accept(session.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    session.ask()
    session.end()
    script = session.script()
    assert (script.expect.tools, script.client) == ((), ())
    assert any("older than the recording" in gap for gap in script.gaps)


def test_a_fork_is_not_played_and_its_turns_are_a_gap(session: Session) -> None:
    session.ask()
    session.end()
    session.accept(session.request("thread/fork", {"threadId": THREAD}), {"thread": {"id": "fork"}})
    session.accept(session.request("turn/start", {"threadId": "fork", "input": []}), {"turn": {"id": "t"}})
    session.notify("turn/completed", threadId="fork", turn={"id": "t", "status": "completed"})
    script = session.script()
    assert script.model == (Step(),)
    assert script.gaps[-1] == "Threads with other turns, which are in the frames only: 1."


@pytest.mark.parametrize(
    ("params", "account"),
    [({"chatgptAccountId": "org-abc"}, "org-abc"), ({"idToken": "<hidden>"}, "account")],
)
def test_a_login_names_its_account(session: Session, params: dict[str, str], account: str) -> None:
    session.accept(session.request("account/login/start", {"type": "chatgptAuthTokens", **params}))
    session.refuse(session.request("account/login/start", {"type": "chatgptAuthTokens"}))
    session.accept(session.request("account/login/start", {"type": "apiKey"}))
    session.ask()
    session.end()
    assert session.script().client == (
        ClientStep(do="login", value=account),
        ClientStep(do="turn", value="go"),
    )


def test_a_script_can_be_given_and_taken(cassette: Cassette) -> None:
    bare = unscripted(scripted(unscripted(cassette)))
    assert (bare.model, bare.client, bare.profile, bare.expect) == ((), (), "", Expect())
    assert bare.provenance == unscripted(cassette).provenance
    assert scripted(bare).model == cassette.model


def test_a_session_without_a_turn_gets_an_empty_step(cassette: Cassette) -> None:
    assert scripted(replace(cassette, frames=cassette.frames[:1])).model == (Step(),)
