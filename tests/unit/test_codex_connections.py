"""Calls over several connections, and ids that are used again."""

from __future__ import annotations

from tests.unit.codex_wire import THREAD, Wire, answered


def reconnected(*, answer_on_both: bool = False) -> Wire:
    wire = Wire()
    wire.opened("c1", "websocket")
    wire.initialize()
    wire.thread()
    wire.turn()
    wire.call()
    if not answer_on_both:
        wire.closed(transport="websocket")
    wire.opened("c2", "websocket")
    wire.initialize()
    wire.accept(wire.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    wire.call()
    return wire


def test_a_call_that_is_asked_again_after_a_reconnect_is_one_call() -> None:
    wire = reconnected()
    wire.answer()
    wire.item_completed()
    wire.turn_completed()
    wire.closed(transport="websocket")
    assert wire.failed() == {}


def test_a_client_that_comes_back_and_leaves_again_owes_the_answer() -> None:
    wire = reconnected()
    wire.closed(transport="websocket")
    assert set(wire.failed()) == {"call.answered"}


def test_each_connection_that_was_asked_may_answer() -> None:
    wire = reconnected(answer_on_both=True)
    wire.answer()
    wire.item_completed()
    wire.connection = "c1"
    wire.answer()
    wire.turn_completed()
    assert wire.failed() == {}


def test_one_connection_may_not_answer_twice_for_two() -> None:
    wire = reconnected(answer_on_both=True)
    wire.answer()
    wire.answer()
    wire.turn_completed()
    assert set(wire.failed()) == {"call.answered-once"}


def test_a_connection_that_only_starts_a_turn_has_to_read_it_too() -> None:
    wire = Wire()
    wire.opened("c1", "websocket")
    wire.initialize()
    wire.thread()
    wire.opened("c2", "websocket")
    wire.initialize()
    wire.turn()
    wire.connection = "c1"
    wire.closed(transport="websocket")
    assert wire.outcome("behavior.keeps-reading").outcome == "not_observed"


def test_a_connection_that_is_opened_again_is_another_one() -> None:
    wire = answered()
    wire.opened("c1")
    wire.initialize()
    wire.thread()
    assert wire.failed() == {}


def test_two_processes_count_their_ids_each_for_itself() -> None:
    wire = answered()
    wire.opened("c2")
    wire.initialize()
    wire.accept(wire.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    wire.turn("turn-2")
    wire.call(call_id="call_2", turn="turn-2")
    assert "call_2" in str(wire.failed()["call.answered"].want)
    wire.answer()
    wire.turn_completed("turn-2")
    assert wire.failed() == {}


def test_an_old_server_uses_the_ids_of_ended_turns_again() -> None:
    wire = Wire(version="0.98.0")
    wire.initialize()
    wire.thread()
    for number in range(2):
        wire.turn("0")
        wire.call(number, call_id=f"call_{number}", turn="0")
        wire.answer(request_id=number)
        wire.turn_completed("0")
    assert wire.failed() == {}
    assert len(wire.transcript.entries) == 17
