from __future__ import annotations

from typing import Any

import pytest

from tests.unit.flow_a_wire import message
from wiretape.flow_a.messages import called_tool, is_answer, is_server_tool, member
from wiretape.strictjson import ABSENT


@pytest.mark.parametrize(
    ("recipient", "tool"),
    [
        ("local.alefita_way", "alefita_way"),
        ("functions.alefita_way", "alefita_way"),
        ("local.a.b", "a.b"),
        ("all", None),
        ("web.run", None),
        ("localx", None),
        (None, None),
    ],
)
def test_a_clients_tool_is_told_by_the_recipient(recipient: object, tool: str | None) -> None:
    assert called_tool(recipient) == tool


def test_only_the_models_messages_call_a_servers_tool() -> None:
    assert is_server_tool(message("m", "web.run"))
    assert not is_server_tool(message("m", "web.run", author={"role": "tool"}))
    assert not is_server_tool(message("m", "all"))
    assert not is_server_tool(message("m", "local.x"))
    assert not is_server_tool({})


def test_members_that_are_not_there_are_absent_and_null_is_null() -> None:
    assert member({"a": {"b": None}}, "a", "b") is None
    assert member({"a": {}}, "a", "b") is ABSENT
    assert member({"a": "text"}, "a", "b") is ABSENT


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({}, True),
        ({"channel": None}, True),
        ({"channel": "analysis", "content": {"content_type": "thoughts"}}, False),
        ({"channel": None, "content": {"content_type": "reasoning_recap"}}, False),
        ({"channel": "commentary", "recipient": "local.alefita_way"}, False),
        ({"channel": "commentary", "recipient": "web.run"}, False),
        ({"author": {"role": "tool", "name": "web.run"}, "channel": None}, False),
        ({"metadata": {"is_visually_hidden_from_conversation": True}}, False),
    ],
)
def test_the_answer_is_the_text_for_all_that_is_not_hidden(fields: dict[str, Any], answer: bool) -> None:
    assert is_answer(message("m") | fields) is answer
