"""A return beside the required one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit import codex_wire
from tests.unit.flow_a_wire import (
    CALL_ID,
    CONVERSATION,
    Wire,
    answer_stream,
    call_stream,
    tool_return,
    user_turn,
)
from wiretape.comparison import Comparison, comparisons
from wiretape.difference import lines
from wiretape.strictjson import ABSENT

Change = Callable[[dict[str, Any]], object]


def returned(change: Change = lambda _: None, *, results: object = "echo", **call: Any) -> Wire:
    """A session whose return was changed; ``change`` gets the request with the text still an object."""
    wire = Wire(expect={"results": {"alefita_way": results} if results else {}})
    wire.turn(user_turn(), call_stream(**call))
    body = tool_return()
    content = body["messages"][0]["content"]
    content["text"] = json.loads(content["text"])
    change(body)
    for message in body["messages"]:
        text = message.get("content", {}).get("text")
        if isinstance(text, dict):
            message["content"]["text"] = json.dumps(text)
    wire.turn(body, answer_stream())
    return wire


def compared(wire: Wire | codex_wire.Wire) -> Comparison:
    (comparison,) = comparisons(wire.transcript)
    return comparison


def marked(comparison: Comparison) -> set[str]:
    """The paths that are marked as different."""
    return {line.path for line in lines(comparison.want, comparison.got) if line.mark != "same"}


def test_a_right_return_is_the_required_one() -> None:
    comparison = compared(returned())
    assert (comparison.tool, comparison.call_id) == ("local.alefita_way", CALL_ID)
    assert comparison.arguments == {"message": "eco"}
    assert comparison.at == "POST …/f/conversation (request 6)"
    assert not marked(comparison)
    assert not [each for each in comparison.findings if each.failed]


CHANGES: list[tuple[str, Change]] = [
    ("conversation_id", lambda body: body.update(conversation_id=CALL_ID)),
    ("parent_message_id", lambda body: body.update(parent_message_id=CONVERSATION)),
    ("messages[0].recipient", lambda body: body["messages"][0].update(recipient="alefita_way")),
    ("messages[0].end_turn", lambda body: body["messages"][0].pop("end_turn")),
    ("messages[0].id", lambda body: body["messages"][0].update(id="return-1")),
    ("messages[0].create_time", lambda body: body["messages"][0].update(create_time="now")),
    ("messages[0].weight", lambda body: body["messages"][0].update(weight=True)),
    ("messages[0].children", lambda body: body["messages"][0].update(children=[])),
    ("messages[0].author", lambda body: body["messages"][0].update(author="tool")),
    ("messages[0].author.name", lambda body: body["messages"][0]["author"].update(name="x")),
    ("messages[0].content.language", lambda body: body["messages"][0]["content"].update(language="json")),
    ("messages[0].content.text", lambda body: body["messages"][0]["content"].update(text="not json")),
    (
        "messages[0].content.text.call_id",
        lambda body: body["messages"][0]["content"]["text"].update(call_id="x"),
    ),
    ("messages[0].content.text.tool", lambda body: body["messages"][0]["content"]["text"].pop("tool")),
    (
        "messages[0].content.text.result.message",
        lambda body: body["messages"][0]["content"]["text"]["result"].update(message="done"),
    ),
]


@pytest.mark.parametrize(("path", "change"), CHANGES, ids=[path for path, _ in CHANGES])
def test_what_a_rule_blames_is_what_is_marked(path: str, change: Change) -> None:
    comparison = compared(returned(change))
    assert marked(comparison) == {path}
    assert path in {each.path for each in comparison.findings if each.failed}
    assert comparison.findings[0].failed


@pytest.mark.parametrize(("path", "change"), CHANGES, ids=[path for path, _ in CHANGES])
def test_the_required_return_is_right(path: str, change: Change) -> None:
    want = compared(returned(change)).want
    assert isinstance(want, dict)
    given = {"a new UUID": "b65539dc-d45f-4b37-b735-a11ac75aafed", "Unix seconds": 1787848294.65}
    message = {
        key: given.get(value, value) if isinstance(value, str) else value
        for key, value in want["messages"][0].items()
    }
    assert not returned(lambda body: body.update({**want, "messages": [message]})).failed(), path


def test_a_second_message_is_too_much() -> None:
    comparison = compared(returned(lambda body: body["messages"].append(user_turn()["messages"][0])))
    assert marked(comparison) == {"messages[1]"}


def test_values_that_are_the_clients_to_choose_stay_as_they_came() -> None:
    flag = {"is_visually_hidden_from_conversation": True}
    comparison = compared(returned(lambda body: body["messages"][0].update(metadata=flag)))
    assert not marked(comparison)


def test_more_members_in_a_result_are_nobodys_fault() -> None:
    comparison = compared(
        returned(lambda body: body["messages"][0]["content"]["text"]["result"].update(lines=[1], message=1))
    )
    assert marked(comparison) == {"messages[0].content.text.result.message"}


@pytest.mark.parametrize(
    ("results", "call", "result"),
    [
        ({"message": "fixed"}, {}, {"message": "fixed"}),
        (None, {}, {"message": "the text that the model reads"}),
        ("echo", {"text": "not json"}, {"message": "the text that the model reads"}),
        (None, {"recipient": "local.handoff"}, {"accepted": True, "thread_id": "the id of the thread"}),
    ],
)
def test_a_call_without_a_return_stands_beside_what_had_to_come(
    results: object, call: dict[str, Any], result: object
) -> None:
    tool = call.get("recipient", "local.alefita_way").removeprefix("local.")
    wire = Wire(expect={"results": {tool: results} if results else {}})
    wire.turn(user_turn(), call_stream(**call))
    comparison = compared(wire)
    assert (comparison.at, comparison.got) == ("", ABSENT)
    assert isinstance(comparison.want, dict)
    assert comparison.want["messages"][0]["content"]["text"]["result"] == result
    assert "flow_a.return.exactly-once" in {each.rule for each in comparison.findings if each.failed}


def test_a_call_whose_arguments_are_no_json_shows_their_text() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream("not json"))
    assert compared(wire).arguments == "not json"


def test_nothing_is_wanted_for_a_tool_of_the_servers() -> None:
    wire = Wire()
    wire.turn(user_turn(), call_stream(recipient="web.run"))
    comparison = compared(wire)
    assert (comparison.tool, comparison.want) == ("web.run", ABSENT)


def test_the_apps_profile_wants_the_hidden_flag() -> None:
    wire = returned()
    wire.transcript.profile = "app"
    assert marked(compared(wire)) == {"messages[0].metadata.is_visually_hidden_from_conversation"}


def test_findings_that_say_nothing_come_last() -> None:
    outcomes = [each.outcome for each in compared(returned(CHANGES[2][1])).findings]
    assert outcomes == sorted(outcomes, key=["fail", "pass", "not_applicable", "not_observed"].index)


# --- codex


def test_a_right_answer_is_the_required_one() -> None:
    comparison = compared(codex_wire.answered(codex_wire.text_result()))
    assert (comparison.tool, comparison.arguments) == ("demo_echo", {"text": "hi"})
    assert not marked(comparison)


@pytest.mark.parametrize(
    ("result", "paths"),
    [
        ({"contentItems": [], "success": "yes"}, {"result.success"}),
        ({"content_items": [], "success": True}, {"result.content_items", "result.contentItems"}),
        (
            {"contentItems": [{"type": "text", "text": "hi"}], "success": True},
            {"result.contentItems[0].type"},
        ),
        ([], {"result"}),
    ],
)
def test_a_wrong_answer_is_marked_where_a_rule_blames_it(result: object, paths: set[str]) -> None:
    assert marked(compared(codex_wire.answered(result))) == paths


def test_an_answer_under_another_id_stands_beside_the_id_that_was_asked() -> None:
    wire = codex_wire.called()
    wire.answer(request_id="0")
    comparison = compared(wire)
    assert marked(comparison) == {"id"}
    assert comparison.want == {"id": 0, "result": codex_wire.text_result()}


def test_an_error_is_not_what_an_echo_has_to_give() -> None:
    wire = codex_wire.called(expect={"results": {"demo_echo": "echo"}})
    wire.fail({"code": -32603, "message": "no"})
    comparison = compared(wire)
    assert marked(comparison) == {"error", "result"}
    assert comparison.want == {"id": 0, "result": codex_wire.text_result("hi")}


def test_a_call_without_an_answer_stands_beside_what_the_cassette_expects() -> None:
    wire = codex_wire.called(expect={"results": {"demo_echo": {"success": False}}})
    comparison = compared(wire)
    item = {"type": "inputText", "text": "what the model reads"}
    assert (comparison.at, comparison.got) == ("", ABSENT)
    assert comparison.want == {"id": 0, "result": {"contentItems": [item], "success": False}}


def test_of_two_answers_each_stands_beside_the_required_one() -> None:
    wire = codex_wire.called()
    wire.answer()
    wire.answer(codex_wire.text_result(success=1))
    assert [each.at for each in comparisons(wire.transcript)] == [
        "answer to id 0 (frame 10, c1)",
        "answer to id 0 (frame 11, c1)",
    ]
