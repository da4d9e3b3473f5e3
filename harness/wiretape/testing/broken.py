"""Returns with one fault each, labelled with the rule that they break and with no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from wiretape.strictjson import ABSENT, dumps
from wiretape.testing.changes import Draw
from wiretape.testing.messages import returns, text_of
from wiretape.testing.values import ids, texts

Body: TypeAlias = dict[str, Any]
Damage: TypeAlias = Callable[[Draw, Body, Mapping[str, Any]], None]
"""Changes a conforming body in place; the last argument is the call's message."""

_NO_TEXT: Final[list[Any]] = [ABSENT, None, True, 0, {}, []]
_NO_OBJECT: Final[list[Any]] = [None, True, 1, "{}", []]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenReturn:
    """A conversation request with a return, and the id of the one rule of ``check_return`` that it fails."""

    rule: str
    body: Body


def _put(holder: dict[str, Any], key: str, value: Any) -> None:
    """Set a member, or take it away."""
    if value is ABSENT:
        holder.pop(key, None)
    else:
        holder[key] = value


def _field(*path: str, wrong: list[Any]) -> Damage:
    """Put one of these in the place of a member of the message; ABSENT takes it away."""

    def damage(draw: Draw, body: Body, _call: Mapping[str, Any]) -> None:
        holder = body["messages"][0]
        for key in path[:-1]:
            holder = holder[key]
        _put(holder, path[-1], draw(st.sampled_from(wrong)))

    return damage


def _request_id(key: str) -> Damage:
    """Name another conversation or parent, or none."""

    def damage(draw: Draw, body: Body, _call: Mapping[str, Any]) -> None:
        _put(body, key, draw(st.sampled_from([ABSENT, None, body[key] + "x", "", body[key].upper() + "-"])))

    return damage


def _of_text(change: Callable[[Draw, dict[str, Any], Body], None]) -> Damage:
    """Change what the JSON text inside the return says."""

    def damage(draw: Draw, body: Body, _call: Mapping[str, Any]) -> None:
        text = text_of(body)
        change(draw, text, body)
        body["messages"][0]["content"]["text"] = dumps(text)

    return damage


def _text_member(key: str, wrong: Callable[[Any], list[Any]]) -> Damage:
    def change(draw: Draw, text: dict[str, Any], _body: Body) -> None:
        _put(text, key, draw(st.sampled_from(wrong(text[key]))))

    return _of_text(change)


def _made_up_call_id(draw: Draw, text: dict[str, Any], body: Body) -> None:
    text["call_id"] = draw(st.sampled_from([body["messages"][0]["id"], text["call_id"] + "x", None]))


def _renamed_keys(draw: Draw, text: dict[str, Any], _body: Body) -> None:
    key = draw(st.sampled_from(["call_id", "result", "more"]))
    text["x_" + key] = text.pop(key, None)


def _unreadable(draw: Draw, body: Body, _call: Mapping[str, Any]) -> None:
    """No text, no JSON, no object, or JSON that was encoded twice."""
    content = body["messages"][0]["content"]
    content["text"] = draw(
        st.sampled_from([text_of(body), dumps(content["text"]), content["text"][:-1], "", "null", "[]"])
    )


def _not_alone(draw: Draw, body: Body, _call: Mapping[str, Any]) -> None:
    asked = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [draw(texts())]}}
    body["messages"].append(asked | {"id": draw(ids())})


def _no_new_id(draw: Draw, body: Body, call: Mapping[str, Any]) -> None:
    body["messages"][0]["id"] = draw(st.sampled_from([call["id"], "return-1", None, 7]))


def _refused(draw: Draw, text: dict[str, Any], _body: Body) -> None:
    """A result in which the model finds nothing to read, or that it takes as refused."""
    text["result"] = draw(st.sampled_from([{}, {"message": 1}, {"accepted": False, "message": "done"}]))


DAMAGE: Final[dict[str, Damage]] = {
    "single-message": _not_alone,
    "conversation-id": _request_id("conversation_id"),
    "parent-is-call-message": _request_id("parent_message_id"),
    "author-role-tool": _field("author", "role", wrong=["assistant", "user", "system", *_NO_TEXT]),
    "author-name-is-tool": _field("author", "name", wrong=["local.", "", *_NO_TEXT]),
    "author-metadata-object": _field("author", "metadata", wrong=[ABSENT, *_NO_OBJECT]),
    "content-type-code": _field("content", "content_type", wrong=["text", "", *_NO_TEXT]),
    "no-language": _field("content", "language", wrong=["json", "", None]),
    "recipient-is-all": _field("recipient", wrong=["local.x", "x", "", *_NO_TEXT]),
    "end-turn-null": _field("end_turn", wrong=[ABSENT, False, True, 0, "null"]),
    "channel-commentary": _field("channel", wrong=["final", "analysis", *_NO_TEXT]),
    "status-finished": _field("status", wrong=["in_progress", "finished", *_NO_TEXT]),
    "update-time-null": _field("update_time", wrong=[ABSENT, 1787848294.65, 0, False, ""]),
    "weight-is-one": _field("weight", wrong=[ABSENT, True, "1", 0, 1.5, None]),
    "create-time-seconds": _field("create_time", wrong=[ABSENT, 1787848294650, "1787848294", None, 0, True]),
    "id-is-fresh-uuid": _no_new_id,
    "metadata-object": _field("metadata", wrong=[ABSENT, *_NO_OBJECT]),
    "metadata-profile": _field(
        "metadata",
        wrong=[{"is_visually_hidden_from_conversation": False}, {"source": "client"}],
    ),
    "no-extra-fields": _field("tool_call_id", wrong=["x", None, {}]),
    "text-is-json-object": _unreadable,
    "text-keys": _of_text(_renamed_keys),
    "call-id-equals-message-id": _of_text(_made_up_call_id),
    "tool-at-root": _text_member("tool", lambda tool: [ABSENT, f"local.{tool}", tool + "_", None, 1]),
    "result-is-object": _text_member("result", lambda result: [dumps(result), None, [result], True, 0]),
    "result-shape": _of_text(_refused),
}
"""The rule that is broken, without ``flow_a.return.``, and how."""


@st.composite
def broken_returns(
    draw: Draw,
    call: Mapping[str, Any],
    *,
    conversation_id: str,
    rules: tuple[str, ...] = tuple(DAMAGE),
) -> BrokenReturn:
    """Returns of a call that conform in everything but one; ``rules`` are those of DAMAGE to break."""
    name = draw(st.sampled_from(rules))
    body = draw(returns(call, conversation_id=conversation_id))
    DAMAGE[name](draw, body, call)
    return BrokenReturn(rule=f"flow_a.return.{name}", body=body)
