"""How a client of the app-server is judged when a line is no JSON, or a connection ends."""

from __future__ import annotations

import pytest

from tests.unit.codex_wire import OMIT, THREAD, Wire, called, ended, started


def cut(*, at: float = 0.0) -> Wire:
    wire = called()
    wire.struck("eof@type:item/tool/call", at=at)
    return wire


def said_at(wire: Wire, at: float) -> Wire:
    """The client answers the call at that time."""
    wire.at = at
    wire.answer()
    return wire


def closed_at(wire: Wire, at: float) -> Wire:
    wire.at = at
    wire.closed()
    return wire


def test_a_client_that_notices_the_end_breaks_no_rule_and_owes_nothing() -> None:
    wire = closed_at(cut(at=10.0), 10.2)
    assert wire.failed() == {}
    assert wire.observed("fault") == {"eof-noticed": "pass"}
    for rule in ("call.answered", "call.answered-once", "behavior.keeps-reading"):
        finding = wire.outcome(rule)
        assert (finding.outcome, "eof@type:item/tool/call" in finding.because) == ("not_applicable", True), (
            rule
        )


def test_what_was_under_way_when_the_end_came_is_no_fault() -> None:
    assert closed_at(said_at(cut(at=10.0), 10.9), 11.0).failed() == {}


def test_what_is_sent_long_after_the_end_is_found() -> None:
    wire = said_at(cut(at=10.0), 12.0)
    (finding,) = wire.failed().values()
    assert (finding.rule, finding.level) == ("codex.fault.eof-noticed", "must")
    assert "2.0 s" in str(finding.got)


def test_who_holds_on_to_a_connection_that_has_ended_is_warned() -> None:
    (finding,) = closed_at(cut(at=10.0), 40.0).failed().values()
    assert (finding.rule, finding.level) == ("codex.fault.eof-noticed", "should")


def test_a_client_that_still_holds_on_may_yet_close() -> None:
    finding = cut().outcome("fault.eof-noticed")
    assert (finding.outcome, finding.because) == ("not_observed", "the client had not closed its side yet")


def garbled() -> Wire:
    wire = started()
    wire.struck("malformed-line@event:5")
    wire.server(b'{"method":')
    wire.call()
    return wire


def test_a_client_that_reads_over_a_malformed_line_breaks_no_rule() -> None:
    wire = garbled()
    wire.answer()
    assert ended(wire).failed() == {}
    assert wire.observed("fault") == {"malformed-skipped": "pass"}


def test_a_client_that_has_read_over_it_owes_its_answers() -> None:
    wire = garbled()
    wire.request("model/list", {})
    wire.closed()
    assert set(wire.failed()) == {"call.answered"}


def test_a_client_that_gives_up_at_a_malformed_line_is_warned_and_owes_nothing() -> None:
    wire = garbled()
    assert wire.outcome("fault.malformed-skipped").because == "the client had said nothing more yet"
    wire.closed()
    assert {name: f.level for name, f in wire.failed().items()} == {"fault.malformed-skipped": "should"}
    assert wire.outcome("call.answered").outcome == "not_applicable"


@pytest.mark.parametrize("other", ["eof@event:6", "rpc-error@request:4"])
def test_who_left_because_of_another_fault_is_not_blamed_for_the_line(other: str) -> None:
    wire = garbled()
    wire.struck(other)
    wire.closed()
    assert wire.failed() == {}
    finding = wire.outcome("fault.malformed-skipped")
    assert finding.because == "the client may have left because of another fault"


def test_a_turn_that_ended_after_the_malformed_line_was_read() -> None:
    wire = started()
    wire.struck("malformed-line@event:5")
    wire.turn_completed()
    wire.closed()
    assert wire.failed() == {}


@pytest.mark.parametrize("kind", ["child-exit", "reconnect"])
def test_a_client_owes_nothing_to_a_process_that_a_fault_ended(kind: str) -> None:
    wire = called()
    wire.struck(f"{kind}@type:item/tool/call")
    wire.closed(by="server")
    assert wire.failed() == {}
    for rule in ("call.answered", "behavior.keeps-reading"):
        finding = wire.outcome(rule)
        assert finding.because == f"the fault {kind}@type:item/tool/call struck"


def test_an_answer_to_the_process_before_is_one_to_an_unknown_id() -> None:
    wire = called()
    wire.struck("child-exit@type:item/tool/call")
    wire.closed(by="server")
    wire.opened("c2")
    wire.initialize()
    wire.answer()
    assert set(wire.failed()) == {"call.known-id"}


def test_a_call_that_comes_again_after_a_reconnect_is_answered_there() -> None:
    wire = called()
    wire.struck("reconnect@type:item/tool/call")
    wire.closed(by="server", transport="websocket")
    wire.opened("c2", "websocket")
    wire.initialize()
    wire.accept(wire.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    wire.call()
    wire.answer(OMIT)
    assert ended(wire).failed() == {}
