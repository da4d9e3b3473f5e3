"""Answers to the app-server's tool calls, valid ones and ones with a single fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.testing.changes import Draw
from wiretape.testing.values import json_values, texts

_PIXEL: Final = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="
_TEXT_ITEMS: Final = st.fixed_dictionaries({"type": st.just("inputText"), "text": texts()})
_IMAGE_ITEMS: Final = st.just({"type": "inputImage", "imageUrl": _PIXEL})

Members: TypeAlias = dict[str, Any]
"""What an answer has beside its id: ``result`` or ``error``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenAnswer:
    """An answer's members beside its id, and the id of the one rule that they fail."""

    rule: str
    members: Members


@st.composite
def tool_answers(draw: Draw) -> dict[str, Any]:
    """Results of a tool call: up to three texts and images, and whether it succeeded."""
    items = draw(st.lists(_TEXT_ITEMS | _IMAGE_ITEMS, max_size=3))
    return {"contentItems": [dict(item) for item in items], "success": draw(st.booleans())}


@st.composite
def rpc_errors(draw: Draw) -> dict[str, Any]:
    """JSON-RPC errors: code, message and, at times, data of any sort."""
    error = {"code": draw(st.integers(-32099, -32000)), "message": draw(texts())}
    return error | {"data": draw(json_values())} if draw(st.booleans()) else error


def codex_answers() -> SearchStrategy[Members]:
    """Well-formed answers, with ``result`` or ``error``; the id of the call is still to be added."""
    result = st.fixed_dictionaries({"result": tool_answers()})
    return result | st.fixed_dictionaries({"error": rpc_errors()})


def _result(change: Callable[[Draw, dict[str, Any]], None]) -> Callable[[Draw], Members]:
    def make(draw: Draw) -> Members:
        result = draw(tool_answers())
        change(draw, result)
        return {"result": result}

    return make


def _with_item(*items: Any) -> Callable[[Draw], Members]:
    """One item more, which is wrong."""
    return _result(lambda draw, result: result["contentItems"].append(draw(st.sampled_from(items))))


def _without(key: str, *others: Any) -> Callable[[Draw], Members]:
    """A member that is missing or of a wrong type."""

    def change(draw: Draw, result: dict[str, Any]) -> None:
        result[key] = draw(st.sampled_from([*others, None]))
        if result[key] is None:
            del result[key]

    return _result(change)


def _renamed(old: str, new: str) -> Callable[[Draw], Members]:
    return _result(lambda _, result: result.update({new: result.pop(old)}))


def _legacy(draw: Draw) -> Members:
    return {"result": {"output": draw(texts()), "success": draw(st.booleans())}}


def _both_or_neither(draw: Draw) -> Members:
    both = {"result": draw(tool_answers()), "error": draw(rpc_errors())}
    return both if draw(st.booleans()) else {}


def _error(key: str, *wrong: Any) -> Callable[[Draw], Members]:
    def make(draw: Draw) -> Members:
        error = draw(rpc_errors())
        error[key] = draw(st.sampled_from(wrong))
        return {"error": error}

    return make


_FAULTS: Final[dict[str, Callable[[Draw], Members]]] = {
    "response.content-items-list": _without("contentItems", "hi", {}, 1),
    "response.item-type": _with_item({"type": "text", "text": "hi"}, {"text": "hi"}, "hi", None),
    "response.text-is-string": _with_item({"type": "inputText", "text": {"a": 1}}, {"type": "inputText"}),
    "response.image-url-string": _with_item({"type": "inputImage"}, {"type": "inputImage", "imageUrl": {}}),
    "response.image-inline": _with_item({"type": "inputImage", "imageUrl": "https://a.example/x.png"}),
    "response.image-decodable": _with_item({"type": "inputImage", "imageUrl": "data:image/png;base64,AAA"}),
    "response.success-boolean": _without("success", "true", 1, 0),
    "response.no-legacy-output": _legacy,
    "response.no-snake-case": _renamed("contentItems", "content_items"),
    "response.result-xor-error": _both_or_neither,
    "error.code-integer": _error("code", "-32000", 1.5, None),
    "error.message-string": _error("message", None, 1, {}),
}
CODEX_FAULTS: Final = tuple(_FAULTS)
"""The rules that ``broken_codex_answers`` can break, without ``codex.``."""


@st.composite
def broken_codex_answers(draw: Draw, *, rules: tuple[str, ...] = CODEX_FAULTS) -> BrokenAnswer:
    """Answers that are right in everything but one; ``rules`` are those of CODEX_FAULTS to break."""
    name = draw(st.sampled_from(rules))
    return BrokenAnswer(rule=f"codex.{name}", members=_FAULTS[name](draw))
