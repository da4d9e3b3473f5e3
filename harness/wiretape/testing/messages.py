"""Messages of every kind, tool declarations, the calls that fit them, and the returns that fit the calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.flow_a.messages import HIDDEN_FLAG, called_tool
from wiretape.strictjson import dumps, loads
from wiretape.testing.changes import Draw
from wiretape.testing.values import ids, json_objects, json_values, texts

_NAMES: Final = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)
_TIMES: Final = st.none() | st.integers(1_700_000_000, 1_900_000_000).map(float)
_TEXT: Final = st.fixed_dictionaries(
    {"content_type": st.just("text"), "parts": st.lists(texts(), min_size=1, max_size=2)}
)
_CODE: Final = st.fixed_dictionaries(
    {"content_type": st.just("code"), "language": st.just("json"), "text": texts()}
)
_THOUGHTS: Final = st.fixed_dictionaries(
    {
        "content_type": st.just("thoughts"),
        "thoughts": st.lists(st.fixed_dictionaries({"summary": texts(), "content": texts()}), max_size=2),
    }
)

MESSAGE_KINDS: Final[dict[str, tuple[str, str, str | None, SearchStrategy[Any]]]] = {
    "answer": ("assistant", "all", "final", _TEXT),
    "commentary": ("assistant", "all", "commentary", _TEXT),
    "thoughts": ("assistant", "all", "analysis", _THOUGHTS),
    "server_call": ("assistant", "web.run", "commentary", _CODE),
    "server_result": ("tool", "all", "commentary", _TEXT),
    "user": ("user", "all", None, _TEXT),
    "system": ("system", "all", None, _TEXT),
}
"""Kind to role, recipient, message channel and content. Calls and returns have strategies of their own."""


@st.composite
def messages(draw: Draw, kinds: tuple[str, ...] = tuple(MESSAGE_KINDS)) -> dict[str, Any]:
    """Messages of a conversation in their final state, of these kinds; each has an id of its own."""
    role, recipient, channel, content = MESSAGE_KINDS[draw(st.sampled_from(kinds))]
    author: dict[str, Any] = {"role": role, "name": "web.run" if role == "tool" else None, "metadata": {}}
    return {
        "id": draw(ids()),
        "author": author,
        "create_time": draw(_TIMES),
        "update_time": None,
        "content": draw(content),
        "status": "finished_successfully",
        "end_turn": True if channel == "final" else None,
        "weight": 1.0,
        "metadata": draw(json_objects()),
        "recipient": recipient,
        "channel": channel,
    }


def message_lists(*, max_size: int = 3) -> SearchStrategy[list[dict[str, Any]]]:
    """The messages of one answer: ids differ, one or more."""
    return st.lists(messages(), min_size=1, max_size=max_size, unique_by=lambda message: message["id"])


@st.composite
def declarations(draw: Draw) -> dict[str, Any]:
    """Signatures of tools as a client declares them: up to three text parameters, required or not."""
    names = draw(st.lists(_NAMES, max_size=3, unique=True))
    params = [
        {
            "name": name,
            "required": draw(st.booleans()),
            "type": {"description": draw(texts()), "type": "string"},
        }
        for name in names
    ]
    return {"description": draw(texts()), "name": draw(_NAMES), "params": params, "type": "kwargs"}


@st.composite
def calls(draw: Draw, declaration: Mapping[str, Any]) -> dict[str, Any]:
    """Complete calls of a declared tool: what is required is there, nothing that is not declared.

    The recipient has either of its two forms, the arguments are spaced or compact JSON.
    """
    given = [each["name"] for each in declaration["params"] if each["required"] or draw(st.booleans())]
    arguments = {name: draw(texts()) for name in given}
    prefix = draw(st.sampled_from(["local.", "functions."]))
    return {
        "id": draw(ids()),
        "author": {"role": "assistant", "name": None, "metadata": {}},
        "create_time": draw(_TIMES),
        "update_time": None,
        "content": {
            "content_type": "code",
            "language": "json",
            "text": dumps(arguments, spaced=draw(st.booleans())),
        },
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1,
        "metadata": {},
        "recipient": prefix + declaration["name"],
        "channel": "commentary",
    }


@st.composite
def results(draw: Draw, tool: str) -> dict[str, Any]:
    """Results that the model can read: a text under ``message``, and more; handoff's are its own."""
    if tool == "handoff":
        return {"accepted": True, "thread_id": draw(ids())}
    more = draw(st.dictionaries(_NAMES.map("x_".__add__), json_values(), max_size=2))
    return {"message": draw(texts())} | more


@st.composite
def returns(draw: Draw, call: Mapping[str, Any], *, conversation_id: str) -> dict[str, Any]:
    """Conversation requests that return a call's result and conform in everything.

    Spaced or compact text, either accepted metadata, whole numbers as 1 or 1.0.
    """
    tool = called_tool(call["recipient"]) or ""
    text = {"call_id": call["id"], "result": draw(results(tool)), "tool": tool}
    metadata: dict[str, Any] = {HIDDEN_FLAG: True} if draw(st.booleans()) else {}
    message = {
        "author": {"metadata": {}, "name": tool, "role": "tool"},
        "channel": "commentary",
        "content": {"content_type": "code", "text": dumps(text, spaced=draw(st.booleans()))},
        "create_time": draw(st.floats(1.7e9, 1.9e9)),
        "end_turn": None,
        "id": draw(_other_than(call["id"])),
        "metadata": metadata,
        "recipient": "all",
        "status": "finished_successfully",
        "update_time": None,
        "weight": draw(st.sampled_from([1, 1.0])),
    }
    return {
        "action": "next",
        "messages": [message],
        "model": "gpt-5-6-thinking",
        "thinking_effort": "standard",
        "supported_encodings": ["v1"],
        "timezone": "America/Sao_Paulo",
        "timezone_offset_min": 180,
        "client_prepare_state": "success",
        "app_attest_challenge": draw(ids()),
        "conversation_id": conversation_id,
        "parent_message_id": call["id"],
    }


def _other_than(taken: str) -> SearchStrategy[str]:
    """Ids but this one: a last digit is moved where they meet."""
    moved = taken[:-1] + ("1" if taken[-1] == "0" else "0")
    return ids().map(lambda drawn: moved if drawn == taken else drawn)


def text_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Read the JSON inside the text of a return's first message."""
    text: dict[str, Any] = loads(body["messages"][0]["content"]["text"])
    return text
