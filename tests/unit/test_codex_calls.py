"""The server's requests: one answer to each, in time, with its own id."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.codex_wire import called, ended, started, text_result


def test_a_call_without_an_answer_is_named_with_id_tool_and_call_id() -> None:
    finding = called().failed()["call.answered"]
    assert finding.want == "an answer to item/tool/call with id 0 (tool demo_echo, callId call_1)"
    assert finding.got == "none: it is still open"


def test_a_client_that_leaves_during_a_call_is_blamed_for_the_call_alone() -> None:
    wire = called()
    wire.closed()
    assert set(wire.failed()) == {"call.answered"}
    assert wire.failed()["call.answered"].got == "none: the client closed the connection"
    assert wire.outcome("behavior.keeps-reading").because == "codex.call.answered"


def test_how_a_connection_ended_is_said() -> None:
    wire = called()
    wire.closed(detail="close code 1009")
    got = wire.failed()["call.answered"].got
    assert got == "none: the client closed the connection (close code 1009)"


def test_a_call_that_was_given_up_is_not_put_down_to_a_client_that_left_later() -> None:
    wire = called()
    wire.item_completed()
    wire.turn_completed()
    wire.closed()
    assert wire.failed()["call.answered"].got == "none: the server gave up waiting"


def test_a_server_that_leaves_blames_nobody() -> None:
    wire = called()
    wire.closed(by="server")
    assert wire.failed() == {}
    assert wire.outcome("call.answered").because == "the server went away"


def test_a_server_that_leaves_between_answer_and_end_blames_nobody() -> None:
    wire = called()
    wire.answer()
    wire.closed(by="server")
    assert wire.failed() == {}
    assert wire.outcome("behavior.keeps-reading").because == "the server went away"


def test_a_client_that_leaves_before_the_end_of_the_turn_does_not_read_on() -> None:
    wire = called()
    wire.answer()
    wire.item_completed()
    wire.closed()
    assert set(wire.failed()) == {"behavior.keeps-reading"}


def test_a_request_of_another_kind_is_no_excuse_for_leaving() -> None:
    wire = started()
    wire.server({"method": "item/fileChange/requestApproval", "id": 3, "params": {}})
    wire.closed()
    assert set(wire.failed()) == {"behavior.keeps-reading"}


def test_a_turn_that_still_runs_says_nothing_about_reading() -> None:
    wire = called()
    wire.answer()
    assert wire.failed() == {}
    assert wire.outcome("behavior.keeps-reading").outcome == "not_observed"


def test_a_client_may_leave_after_its_own_interrupt() -> None:
    wire = called()
    wire.interrupt()
    wire.closed()
    assert wire.failed() == {}
    assert wire.outcome("behavior.keeps-reading").because == "the client interrupted the turn"


def test_a_second_answer_is_one_too_many() -> None:
    wire = called()
    wire.answer()
    wire.answer(text_result("other"))
    ended(wire)
    assert set(wire.failed()) == {"call.answered-once"}
    assert wire.failed()["call.answered-once"].got == "2 answers"


def test_only_the_first_answer_is_looked_at() -> None:
    wire = called()
    wire.answer()
    wire.answer({})
    assert set(wire.failed()) == {"call.answered-once"}


@pytest.mark.parametrize("end", ["item_completed", "turn_completed"])
def test_an_answer_after_the_end_is_late(end: str) -> None:
    wire = called()
    getattr(wire, end)()
    wire.answer()
    wire.turn_completed()
    assert {name: f.level for name, f in wire.failed().items()} == {"call.answered-in-time": "must"}


def test_a_late_answer_after_the_clients_own_interrupt_is_a_warning() -> None:
    wire = called()
    wire.interrupt()
    wire.item_completed()
    wire.turn_completed()
    wire.answer()
    assert {name: f.level for name, f in wire.failed().items()} == {"call.answered-in-time": "should"}
    assert wire.report().ok


def test_a_call_in_an_interrupted_turn_needs_no_answer() -> None:
    wire = called()
    request = wire.interrupt()
    wire.item_completed()
    wire.accept(request)
    wire.turn_completed()
    assert wire.failed() == {}
    assert wire.outcome("call.answered").because == "the client interrupted the turn"


def test_an_interrupt_that_was_refused_excuses_nothing() -> None:
    wire = called()
    wire.refuse(wire.interrupt())
    wire.turn_completed()
    assert set(wire.failed()) == {"call.answered"}


def test_an_interrupt_of_another_thread_excuses_nothing() -> None:
    wire = called()
    wire.request("turn/interrupt", {"threadId": "other", "turnId": "other"})
    wire.turn_completed()
    assert set(wire.failed()) == {"call.answered"}


def test_parallel_calls_may_be_answered_in_any_order() -> None:
    wire = started()
    for number in range(3):
        wire.call(number, call_id=f"call_{number}")
    for number in (2, 0, 1):
        wire.answer(request_id=number)
        wire.item_completed(f"call_{number}")
    wire.turn_completed()
    assert wire.failed() == {}


def test_one_of_several_calls_without_an_answer_is_found() -> None:
    wire = started()
    for number in range(3):
        wire.call(number, call_id=f"call_{number}")
    wire.answer(request_id=2)
    wire.answer(request_id=0)
    wire.turn_completed()
    assert "call_1" in str(wire.failed()["call.answered"].want)


def test_an_id_is_told_from_one_that_looks_alike() -> None:
    wire = started()
    wire.call(0, call_id="k", arguments={"text": "a"})
    wire.call("0", call_id="k2", arguments={"text": "b"})
    wire.transcript.expect = {"results": {"demo_echo": "echo"}}
    wire.answer(text_result("a"), 0)
    wire.answer(text_result("b"), "0")
    wire.turn_completed()
    assert wire.failed() == {}


@pytest.mark.parametrize(
    "alike", [b'"0"', b"0.0", b"false", b"null", b'"call_1"', b"[]", b"1.5"], ids=bytes.decode
)
def test_an_answer_with_an_id_that_is_not_exact_breaks_one_rule(alike: bytes) -> None:
    wire = called()
    wire.client(b'{"id":%s,"result":{"contentItems":[],"success":true}}' % alike)
    ended(wire)
    rule = "call.known-id" if alike == b'"call_1"' else "call.id-exact"
    assert set(wire.failed()) == {rule}
    assert wire.outcome("call.answered").because == f"codex.{rule}"


def test_an_id_that_is_none_means_nothing_where_nobody_asked() -> None:
    wire = started()
    wire.client({"id": None, "result": {}})
    assert set(wire.failed()) == {"call.known-id"}


def test_an_id_that_is_none_means_the_oldest_call_that_waits() -> None:
    wire = started()
    for number in range(3):
        wire.call(number, call_id=f"call_{number}")
    wire.answer(request_id=0)
    wire.client({"id": None, "result": text_result()})
    assert wire.failed()["call.id-exact"].want == 1
    assert "call_2" in str(wire.failed()["call.answered"].want)


def test_an_id_that_is_none_means_no_call_of_another_process() -> None:
    wire = called()
    wire.opened("c2")
    wire.initialize()
    wire.client({"id": None, "result": text_result()})
    assert set(wire.failed()) == {"call.known-id", "call.answered"}


def test_an_unknown_id_among_several_calls_excuses_none() -> None:
    wire = started()
    wire.call(0)
    wire.call(1, call_id="call_2")
    wire.answer(request_id=77)
    wire.turn_completed()
    assert set(wire.failed()) == {"call.known-id", "call.answered"}


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ({"result": text_result(), "error": {"code": 1, "message": "m"}}, "response.result-xor-error"),
        ({}, "response.result-xor-error"),
        ({"error": {"message": "m"}}, "error.code-integer"),
        ({"error": {"code": "1", "message": "m"}}, "error.code-integer"),
        ({"error": {"code": 1.5, "message": "m"}}, "error.code-integer"),
        ({"error": {"code": True, "message": "m"}}, "error.code-integer"),
        ({"error": "m"}, "error.code-integer"),
        ({"error": {"code": 1}}, "error.message-string"),
        ({"error": {"code": 1, "message": {}}}, "error.message-string"),
    ],
)
def test_an_answer_that_is_none_breaks_one_rule(message: dict[str, Any], rule: str) -> None:
    wire = called()
    wire.client({"id": 0} | message)
    ended(wire)
    assert set(wire.failed()) == {rule}


@pytest.mark.parametrize(
    ("message", "got"),
    [({}, "neither"), ({"result": {}, "error": {"code": 1, "message": "m"}}, "error and result")],
)
def test_it_is_said_what_an_answer_has(message: dict[str, Any], got: str) -> None:
    wire = called()
    wire.client({"id": 0} | message)
    assert wire.failed()["response.result-xor-error"].got == got


def test_a_right_answer_after_an_unreadable_one_counts() -> None:
    wire = called()
    wire.client({"id": 0, "error": {"message": "m"}})
    wire.answer()
    ended(wire)
    assert set(wire.failed()) == {"error.code-integer"}
    assert wire.outcome("call.answered").outcome == "pass"


@pytest.mark.parametrize("code", [-32000, -32603, 1])
def test_an_error_is_a_legal_answer(code: int) -> None:
    wire = called()
    wire.fail({"code": code, "message": "client exploded", "data": {"why": "test"}})
    assert ended(wire).failed() == {}


def test_a_stub_is_a_warning() -> None:
    wire = called()
    wire.fail({"code": -32601, "message": "No handler"})
    ended(wire)
    assert {name: f.level for name, f in wire.failed().items()} == {"call.handled": "should"}


def test_a_stub_for_any_request_of_the_servers_is_a_warning() -> None:
    wire = started()
    wire.server({"method": "item/fileChange/requestApproval", "id": 3, "params": {}})
    wire.fail({"code": -32601, "message": "No handler"}, 3)
    assert set(wire.failed()) == {"call.handled"}


def test_a_request_that_is_no_tool_call_needs_no_answer_here() -> None:
    wire = started()
    wire.server({"method": "item/fileChange/requestApproval", "id": 3, "params": {}})
    assert wire.failed() == {}


def test_an_item_that_is_completed_twice_ends_the_call_once() -> None:
    wire = called()
    wire.item_completed()
    wire.answer()
    wire.item_completed()
    wire.turn_completed()
    assert set(wire.failed()) == {"call.answered-in-time"}
