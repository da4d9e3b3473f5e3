"""The rules about faults, on transcripts that are written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.troubled_wire import Faulty, finding
from tests.unit.flow_a_wire import (
    CALL_ID,
    answer_stream,
    call_stream,
    complete,
    event,
    tool_return,
    user_turn,
)
from wiretape import timeline
from wiretape.transcript import Struck

ERROR = event({"error": "Something went wrong", "error_code": "x"})
OPENED = 2
"""Events until a call is there."""


def cut(count: int = OPENED, how: str = "cut", fault: str = "cut@event:3") -> Faulty:
    wire = Faulty()
    number = wire.struck_turn(user_turn(), call_stream(), fault, count)
    wire.end(number, how)  # type: ignore[arg-type]
    return wire


def test_a_call_whose_stream_was_cut_needs_no_return_and_gets_none() -> None:
    wire = cut()
    assert wire.failed() == {}
    assert finding(wire, "fault.no-return-to-cut-call").outcome == "pass"
    assert finding(wire, "return.exactly-once").because == "the fault cut@event:3"
    assert finding(wire, "behavior.waits-for-complete-call").outcome == "not_observed"


def test_a_return_to_a_call_that_was_cut_fails_one_rule() -> None:
    wire = cut()
    wire.turn(tool_return(), answer_stream())
    assert set(wire.failed()) == {"fault.no-return-to-cut-call"}
    assert finding(wire, "behavior.waits-for-complete-call").because == "the fault cut@event:3"


def test_a_call_that_a_resume_completed_gets_its_return() -> None:
    wire = cut()
    wire.resume(2, call_stream(), 2)
    assert set(wire.failed()) == {"return.exactly-once"}
    wire.turn(tool_return(), answer_stream())
    assert wire.failed() == {}
    assert finding(wire, "fault.no-return-to-cut-call").outcome == "pass"
    assert finding(wire, "behavior.waits-for-complete-call").outcome == "pass"
    assert finding(wire, "behavior.reads-to-end").outcome == "pass"


def test_a_return_before_the_resume_completed_the_call_is_too_early() -> None:
    wire = cut()
    wire.turn(tool_return(), answer_stream())
    wire.resume(2, call_stream(), 2)
    assert "fault.no-return-to-cut-call" in wire.failed()


def test_a_stream_that_was_cut_behind_the_call_excuses_a_missing_return_only() -> None:
    wire = cut(count=3)
    assert wire.failed() == {}
    assert finding(wire, "fault.no-return-to-cut-call").outcome == "not_observed"
    wire.turn(tool_return(), answer_stream())
    assert wire.failed() == {}


@pytest.mark.parametrize(
    ("offset", "how", "fails"),
    [
        (2, "cut", False),
        (2.0, "cut", False),
        (0, "cut", False),
        (1, "cut", True),
        (3, "cut", True),
        ("2", "cut", True),
        (None, "cut", True),
        (1, "reset", False),
        (3, "reset", True),
        (True, "reset", True),
        (-1, "reset", True),
        (2, "hang", False),
    ],
)
def test_a_resume_names_the_events_that_came(offset: object, how: str, fails: bool) -> None:
    wire = cut(how=how)
    wire.resume(offset, call_stream(), 2)
    found = finding(wire, "fault.resume-offset")
    assert (found.outcome == "fail") == fails
    if fails:
        assert (found.level, found.path, found.want) == ("should", "offset", 2)


def test_a_resume_of_a_stream_that_no_fault_struck_is_not_judged() -> None:
    wire = Faulty()
    number = wire.ask(user_turn(), call_stream(), OPENED)
    wire.end(number, "client-left")
    wire.resume(9, call_stream(), 2)
    wire.resume(9, call_stream(), 2, conversation="another")
    assert finding(wire, "fault.resume-offset").outcome == "not_observed"


def returned_and_cut() -> Faulty:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    number = wire.struck_turn(tool_return(), answer_stream(), "cut@event:2", 1)
    wire.end(number, "cut")
    return wire


def test_a_return_that_was_accepted_is_not_sent_again() -> None:
    wire = returned_and_cut()
    assert wire.failed() == {}
    assert finding(wire, "fault.accepted-return-not-repeated").outcome == "pass"
    record = tool_return()
    record["messages"][0]["id"] = "0d5a7d52-8d2c-4a3e-a5f0-0d3ad1a2c001"
    wire.turn(record, answer_stream())
    assert set(wire.failed()) == {"fault.accepted-return-not-repeated"}
    assert finding(wire, "return.exactly-once").because == "flow_a.fault.accepted-return-not-repeated"


def test_two_returns_without_a_fault_fail_the_rule_that_they_always_fail() -> None:
    wire = Faulty()
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return(), answer_stream())
    wire.turn(tool_return(), answer_stream())
    assert "return.exactly-once" in wire.failed()
    assert finding(wire, "fault.accepted-return-not-repeated").outcome == "not_observed"


def failed_turn(fault: str = "error-event@event:3", **about: Any) -> Faulty:
    wire = Faulty(**about)
    stream = call_stream()
    wire.end(wire.struck_turn(user_turn(), [*stream[:2], ERROR, *stream[2:]], fault))
    return wire


def test_a_call_in_a_turn_that_failed_needs_no_return_and_gets_none() -> None:
    wire = failed_turn()
    assert wire.failed() == {}
    assert finding(wire, "fault.failed-turn-unanswered").outcome == "pass"
    wire.turn(tool_return(), answer_stream())
    assert {rule: found.level for rule, found in wire.failed().items()} == {
        "fault.failed-turn-unanswered": "should"
    }


def test_an_error_that_was_not_written_any_more_is_none() -> None:
    wire = Faulty()
    number = wire.struck_turn(user_turn(), [*call_stream(), ERROR], "cut@event:6", 5)
    wire.end(number, "cut")
    assert finding(wire, "fault.failed-turn-unanswered").outcome == "not_observed"


def test_an_error_can_be_in_an_envelope_too() -> None:
    wire = Faulty()
    error = {"p": "/error", "o": "replace", "v": "no"}
    stream = call_stream()
    patch = event({"p": "", "o": "patch", "v": [error], "c": 0}, "delta")
    wire.end(wire.struck_turn(user_turn(), [*stream[:2], patch, *stream[2:]], "error-event@event:3"))
    assert finding(wire, "fault.failed-turn-unanswered").outcome == "pass"


UNREADABLE = {
    "what does not decode": [
        *call_stream()[:2],
        event({"p": "/message", "o": "nonsense", "v": 1}, "delta"),
        *call_stream()[2:],
    ],
    "arguments that are none": call_stream('{"message": '),
    "a call that is never finished": [*call_stream()[:2], *call_stream()[3:]],
    "no end": call_stream()[:4],
}


@pytest.mark.parametrize("chunks", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_a_fault_made_unreadable_needs_no_return(chunks: list[bytes]) -> None:
    wire = Faulty()
    wire.end(wire.struck_turn(user_turn(), chunks, "drop@event:3"))
    assert wire.failed() == {}
    assert finding(wire, "return.exactly-once").because == "the fault drop@event:3"


def test_a_return_to_what_nobody_else_can_read_is_not_called_unsolicited() -> None:
    wire = Faulty()
    wire.end(wire.struck_turn(user_turn(), call_stream()[1:], "drop@event:1"))
    wire.turn(tool_return(), answer_stream())
    assert "behavior.no-unsolicited-return" not in wire.failed()
    because = {each.because for each in wire.report().findings if each.rule.endswith("no-unsolicited-return")}
    assert because <= {"the fault drop@event:1", ""}


def test_a_stream_that_a_fault_left_as_good_as_it_was_needs_its_return() -> None:
    wire = Faulty()
    wire.end(
        wire.struck_turn(
            user_turn(), [*call_stream()[:3], complete(), *call_stream()[3:]], "duplicate@event:4"
        )
    )
    assert set(wire.failed()) == {"return.exactly-once"}


@pytest.mark.parametrize(("fault", "fails"), [("unknown-op@event:3", False), ("delay@event:3", True)])
def test_a_client_may_leave_a_stream_that_is_no_answer(fault: str, fails: bool) -> None:
    wire = Faulty()
    number = wire.struck_turn(user_turn(), answer_stream(), fault, 2)
    wire.end(number, "client-left")
    assert ("behavior.reads-to-end" in wire.failed()) == fails


def test_a_fault_of_another_kind_of_connection_concerns_no_request() -> None:
    wire = Faulty()
    wire.transcript.entries.append(Struck(connection="c1", fault="eof@event:3", at=0.0))
    wire.turn(user_turn(), call_stream())
    assert set(wire.failed()) == {"return.exactly-once"}


def test_two_faults_are_both_named() -> None:
    wire = Faulty()
    number = wire.send(user_turn())
    for fault in ("delay@event:2", "cut@event:3"):
        wire.strike(number, fault)
    wire.plan(number, call_stream())
    wire.write(number, OPENED)
    wire.end(number, "cut")
    assert finding(wire, "return.exactly-once").because == "the fault delay@event:2 and cut@event:3"


def test_the_call_is_the_one_that_these_tests_think() -> None:
    assert tool_return()["parent_message_id"] == CALL_ID


def test_a_timeline_shows_where_a_fault_strikes() -> None:
    rows = list(timeline.rows(cut().transcript))
    assert [(row.place, row.side, row.text) for row in rows if row.event == "fault"] == [
        ("3", "server", "cut@event:3")
    ]
    assert rows[-1].event == "end: cut"


def test_halves_of_a_character_that_a_fault_brought_together_are_one_character() -> None:
    arguments = '{"message": "\ud83c\\udf00"}'  # one half raw, the other one escaped
    wire = Faulty(expect={"results": {"alefita_way": "echo"}})
    wire.turn(user_turn(), call_stream(arguments))
    wire.turn(tool_return({"message": "\U0001f300"}), answer_stream())
    assert wire.failed() == {}
