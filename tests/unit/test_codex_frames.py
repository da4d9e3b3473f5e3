"""What a line or websocket message holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.codex_wire import ECHO, Wire, answered, called, ended, started, text_result
from wiretape.report import to_text
from wiretape.transcript import Request


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"not json", "frame.valid-json"),
        (b"", "frame.valid-json"),
        (b"\xff{}", "frame.valid-json"),
        (b"x" * 200, "frame.valid-json"),
        (b'{"method":"a"}\n{"method":"b"}', "frame.one-message"),
        (b"[]", "frame.one-message"),
        (b'{"foo":1}', "frame.one-message"),
        (b'{"id":7,"method":5}', "frame.one-message"),
        (b'{"method":"initialized","result":{}}', "frame.one-message"),
        (b'{"id":7,"method":"thread/list","error":{}}', "frame.one-message"),
        (b'{"id":null,"method":"thread/list","params":{}}', "frame.one-message"),
        (b'{"id":1.5,"method":"thread/list","params":{}}', "frame.one-message"),
    ],
)
def test_a_line_that_is_no_message_breaks_one_rule(data: bytes, rule: str) -> None:
    wire = answered()
    wire.client(data)
    assert set(wire.failed()) == {rule}


def test_two_messages_in_one_are_shown_as_they_came() -> None:
    wire = answered()
    wire.client(b'{"method":"a"}\n{"method":"b"}')
    wire.client(b"[1]")
    assert [f.got for f in wire.report().findings if f.failed] == ['{"method":"a"}\n{"method":"b"}', [1]]


def test_an_answer_in_a_binary_message_is_none() -> None:
    wire = called()
    wire.frame("client", {"id": 0, "result": text_result()}, binary=True)
    ended(wire)
    assert set(wire.failed()) == {"frame.valid-json"}
    assert wire.failed()["frame.valid-json"].hint == "a binary message: only text is looked at"
    assert wire.outcome("call.answered").because == "codex.frame.valid-json"


def test_what_can_not_be_read_is_shown_cut() -> None:
    wire = answered()
    wire.client(b"x" * 200)
    wire.client(b" ")
    shown = [f.got for f in wire.report().findings if f.failed]
    assert shown == ["x" * 80 + "…", "an empty line"]


@pytest.mark.parametrize(
    ("data", "because"),
    [
        (b"nonsense", "codex.frame.valid-json"),
        (b"[1]", "codex.frame.one-message"),
        (b'{"id":0,"method":"item/tool/call","result":{}}', "codex.frame.one-message"),
    ],
)
def test_a_call_whose_answer_may_be_lost_in_a_bad_line_is_not_judged_again(data: bytes, because: str) -> None:
    wire = called()
    wire.client(data)
    ended(wire)
    assert len(wire.failed()) == 1
    assert wire.outcome("call.answered").because == because


@pytest.mark.parametrize(
    ("error", "because"), [({}, "codex.error.code-integer"), ({"code": 1}, "codex.error.message-string")]
)
def test_an_error_that_can_not_be_read_is_left_to_the_rule_about_it(error: object, because: str) -> None:
    wire = Wire()
    wire.fail(error)
    assert wire.outcome("frame.one-message").because == because


def test_a_bad_line_before_a_right_answer_hides_nothing() -> None:
    wire = called()
    wire.client(b"nonsense")
    wire.answer()
    ended(wire)
    assert set(wire.failed()) == {"frame.valid-json"}
    assert wire.outcome("call.answered").outcome == "pass"


def test_the_model_providers_exchanges_are_not_judged() -> None:
    wire = answered()
    path = "/v1/responses"
    entry = Request(number=1, method="POST", path=path, headers=(), body=b"nonsense", at=0.0)
    wire.transcript.entries.append(entry)
    assert wire.failed() == {}


def test_nothing_that_a_client_sends_can_paint_the_screen() -> None:
    wire = Wire()
    wire.initialize()
    wire.request("thread/\x1b[31m" + "x" * 200, {})
    schema = {"properties": {"\x1b[2J": "x"}}
    wire.thread([ECHO | {"inputSchema": schema}])
    wire.client({"id": "\x1b" * 200, "result": {}})
    shown = to_text(wire.report())
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) < 300


HARMLESS: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "method": "initialized"},
    {"method": "bogus/notification", "params": None},
    {"method": "initialized", "params": {}, "more": 1},
]


@pytest.mark.parametrize("message", HARMLESS, ids=json.dumps)
def test_what_means_nothing_is_never_blamed(message: dict[str, Any]) -> None:
    wire = answered()
    wire.client(message)
    assert wire.failed() == {}


def test_string_ids_blanks_and_line_ends_are_never_blamed() -> None:
    wire = started()
    wire.client(b'{ "params" : {}, "method": "model/list", "id": "7f" }\r')
    wire.accept("7f")
    wire.accept("never asked")
    assert wire.failed() == {}


def test_what_the_server_says_wrong_is_not_the_clients_fault() -> None:
    wire = answered()
    wire.server(b"not json")
    wire.server({"method": "error", "params": None})
    wire.notify("turn/completed", threadId="other", turn={"id": "other"})
    wire.notify("item/completed", threadId="other", turnId="other", item={})
    wire.notify("error", error={"message": 5})
    wire.refuse(77)
    assert wire.failed() == {}
