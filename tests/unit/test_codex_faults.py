"""How a client of the app-server is judged when answers are refused, late, doubled or overtaken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.unit.codex_wire import THREAD, Wire, answered, called, started

TURN_START = {"threadId": THREAD, "input": [{"type": "text", "text": "go"}]}
THREAD_OF_ITS_OWN = {"threadId": "00000000-0000-4000-8000-000000000000", "input": []}


def test_without_a_fault_nothing_is_observed() -> None:
    report = answered().report()
    outcomes = {f.rule: f.outcome for f in report.findings if f.rule.startswith("codex.fault.")}
    assert set(outcomes.values()) == {"not_observed"}


def refused(*then: Callable[[Wire], object]) -> Wire:
    wire = Wire()
    wire.opened()
    request = wire.request("initialize", {})
    wire.struck("rpc-error@request:1")
    wire.refuse(request)
    for step in then:
        step(wire)
    return wire


def test_after_a_refusal_a_client_may_leave_or_try_again() -> None:
    assert refused().observed("fault") == {"refused-initialize": "pass"}
    assert refused(Wire.initialize).observed("fault") == {"refused-initialize": "pass"}


@pytest.mark.parametrize(
    "step",
    [
        lambda wire: wire.client({"method": "initialized"}),
        lambda wire: wire.request("thread/start", {}),
        lambda wire: wire.client({"id": 0, "result": {}}),
        lambda wire: wire.client(b"not json"),
    ],
)
def test_after_a_refusal_nothing_else_may_follow(step: Callable[[Wire], object]) -> None:
    assert refused(step).observed("fault") == {"refused-initialize": "fail"}


def test_another_request_that_is_refused_is_not_what_the_rule_is_about() -> None:
    wire = started()
    wire.struck("rpc-error@request:3")
    assert wire.observed("fault") == {}
    early = Wire()
    early.struck("rpc-error@request:1")
    assert early.observed("fault") == {}, "a transcript that begins in the middle"


def test_a_turn_in_a_thread_that_nobody_gave_is_found() -> None:
    wire = Wire()
    wire.opened()
    wire.initialize()
    request = wire.request("thread/start", {})
    wire.struck("rpc-error@type:thread/start")
    wire.refuse(request)
    wire.request("turn/start", THREAD_OF_ITS_OWN)
    finding = wire.failed()["fault.thread-known"]
    assert finding.got == THREAD_OF_ITS_OWN["threadId"]
    wire.request("turn/start", {"input": []})
    assert len([f for f in wire.report().findings if f.failed]) == 2


def test_a_thread_may_be_known_from_its_notification() -> None:
    wire = Wire()
    wire.opened()
    wire.initialize()
    wire.request("thread/start", {})
    wire.struck("late-answer@type:thread/start")
    wire.notify("thread/started", thread={"id": THREAD})
    wire.request("turn/start", TURN_START)
    assert wire.observed("fault") == {"thread-known": "pass", "not-asked-twice": "pass"}


@pytest.mark.parametrize(("resumes", "outcome"), [(True, "pass"), (False, "fail")])
def test_after_a_reconnect_a_thread_is_resumed_first(resumes: bool, outcome: str) -> None:
    wire = called()
    wire.struck("reconnect@type:item/tool/call")
    wire.closed(by="server")
    wire.opened("c2")
    wire.initialize()
    if resumes:
        wire.accept(wire.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    wire.request("turn/start", TURN_START)
    assert wire.observed("fault") == {"thread-known": outcome}


def late(*before: Callable[[Wire], object]) -> Wire:
    """A session whose answer to turn/start comes after everything else."""
    wire = Wire()
    wire.opened()
    wire.initialize()
    wire.thread()
    request = wire.request("turn/start", TURN_START)
    wire.struck("late-answer@type:turn/start")
    wire.notify("turn/started", threadId=THREAD, turn={"id": "t"})
    for step in before:
        step(wire)
    wire.turn_completed("t")
    wire.accept(request, {"turn": {"id": "t"}})
    wire.closed()
    return wire


def test_a_client_that_waits_for_a_late_answer_breaks_no_rule() -> None:
    wire = late()
    assert wire.failed() == {}, "also the turn has ended, though its answer comes later"
    assert wire.observed("fault")["not-asked-twice"] == "pass"


def test_a_request_that_is_sent_again_is_found() -> None:
    wire = late(lambda wire: wire.request("turn/start", TURN_START))
    assert {name: f.level for name, f in wire.failed().items()} == {"fault.not-asked-twice": "should"}
    other = late(lambda wire: wire.request("turn/start", TURN_START | {"input": []}))
    assert other.failed() == {}


def test_what_is_asked_after_the_late_answer_is_another_request() -> None:
    wire = late()
    wire.opened()
    wire.request("turn/start", TURN_START)
    assert wire.observed("fault")["not-asked-twice"] == "pass"


def test_who_waits_for_what_it_has_lost_is_warned() -> None:
    wire = late()
    wire.transcript.entries.pop()
    assert wire.outcome("fault.nothing-lost").because == "the client may go on yet"
    wire.at = 30.0
    wire.closed()
    (finding,) = wire.failed().values()
    assert (finding.rule, finding.level) == ("codex.fault.nothing-lost", "should")
    assert "30.0 s" in str(finding.got)


def test_who_says_something_more_has_lost_nothing() -> None:
    wire = late()
    wire.transcript.entries.pop()
    wire.at = 1.0
    wire.request("model/list")
    wire.at = 30.0
    wire.closed()
    assert wire.failed() == {}


def doubled(*after: object) -> Wire:
    """A session whose answer to initialize comes twice."""
    wire = Wire()
    wire.opened()
    request = wire.request("initialize", {"clientInfo": {"name": "x", "version": "1"}})
    wire.struck("duplicate-answer@request:1")
    for _ in range(2):
        wire.accept(request, {"userAgent": "x/0.171.0 (x)"})
    for message in after:
        wire.client(message)
    return wire


@pytest.mark.parametrize(
    ("messages", "outcome"),
    [
        ([], "pass"),
        (
            [{"method": "initialized"}, {"id": 2, "method": "model/list"}, {"id": 3, "method": "model/list"}],
            "pass",
        ),
        ([{"method": "initialized"}, {"method": "initialized"}], "fail"),
        ([{"method": "initialized"}, {"method": "initialized", "params": {}}], "pass"),
        (
            [
                {"id": 2, "method": "thread/start", "params": {}},
                {"id": 3, "method": "thread/start", "params": {}},
            ],
            "fail",
        ),
    ],
)
def test_an_answer_that_comes_twice_has_its_consequences_once(
    messages: Sequence[object], outcome: str
) -> None:
    assert doubled(*messages).observed("fault")["duplicate-ignored"] == outcome


def test_the_user_may_say_the_same_again_when_the_turn_is_over() -> None:
    wire = started()
    wire.struck("duplicate-answer@type:turn/start")
    for turn in ("t1", "t2"):
        wire.accept(wire.request("turn/start", TURN_START), {"turn": {"id": turn}})
        wire.turn_completed(turn)
    assert wire.observed("fault")["duplicate-ignored"] == "pass"
