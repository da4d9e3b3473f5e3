"""The judge and the server each know what is refused: what one of them refuses, the other must not take."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.codex_wire import answered, ended
from wiretape.codex.dialects import dialect_of, version_of
from wiretape.codex.tool_specs import first_fault
from wiretape_server.codex import spec_rules, specs
from wiretape_server.codex.answers import outcome
from wiretape_server.codex.errors import RefusedError
from wiretape_server.codex.profiles import PROFILES
from wiretape_server.codex.serde import UnreadableError

WRONG: tuple[Any, ...] = (None, 5, "x", [], {}, True)
NAMES = ("a", "b", "", " a", "a.b", "mcp", "mcp__x", "x" * 129, "web", *WRONG)


def rarely_wrong(*right: Any, wrong: tuple[Any, ...] = WRONG) -> st.SearchStrategy[Any]:
    return st.one_of(*(st.sampled_from(right) for _ in range(4)), st.sampled_from(wrong))


def some(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, max_size=2)


def schemas() -> st.SearchStrategy[Any]:
    def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        keywords = {
            "type": rarely_wrong("object", "string", "null", ["null"], ["object", "null"], "wat"),
            "properties": st.one_of(st.dictionaries(st.just("p"), inner), st.sampled_from(WRONG)),
            "items": inner,
            "additionalProperties": inner,
            "required": st.one_of(some(rarely_wrong("p")), st.sampled_from(WRONG)),
            "enum": rarely_wrong(["p"]),
            "anyOf": st.one_of(some(inner), st.sampled_from(WRONG)),
            "description": rarely_wrong("about it"),
            "$ref": rarely_wrong("#"),
        }
        return st.fixed_dictionaries({}, optional=keywords)

    return st.recursive(rarely_wrong({"type": "object"}), around, max_leaves=4)


def functions(**more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = {
        "name": rarely_wrong("a", "b", "c", wrong=NAMES),
        "description": rarely_wrong("d"),
        "inputSchema": schemas(),
    }
    flags = {name: rarely_wrong(True, False) for name in ("deferLoading", "exposeToContext")}
    return st.fixed_dictionaries(members | more, optional=flags)


CANONICAL = functions(type=rarely_wrong("function", wrong=("custom", *WRONG)))
NAMESPACE = st.fixed_dictionaries(
    {
        "type": st.just("namespace"),
        "name": rarely_wrong("n", "m", wrong=NAMES),
        "description": rarely_wrong("d", wrong=("d" * 1025, *WRONG)),
        "tools": st.one_of(some(CANONICAL), st.sampled_from(([], None, 5))),
    },
    optional={"namespace": rarely_wrong("o")},
)
FLAT = st.one_of(functions(), functions(namespace=rarely_wrong("n", "m", wrong=NAMES)))
DECLARATIONS = st.one_of(
    some(FLAT),
    some(st.one_of(CANONICAL, NAMESPACE)),
    some(st.one_of(FLAT, CANONICAL, st.sampled_from(WRONG))),
)

ITEMS = st.one_of(
    st.fixed_dictionaries({"type": st.just("inputText"), "text": rarely_wrong("hi")}),
    st.fixed_dictionaries(
        {
            "type": st.just("inputImage"),
            "imageUrl": rarely_wrong("data:image/png;base64,AAA", "http://a.example/b", wrong=(None, 5)),
        }
    ),
    st.fixed_dictionaries(
        {"type": st.just("inputAudio"), "audioUrl": rarely_wrong("data:audio/wav;base64,UklGRg==")}
    ),
    st.sampled_from(({"type": "input_text", "text": "hi"}, {"type": "inputText"}, {"text": "hi"}, *WRONG)),
)
RESULTS = st.one_of(
    st.fixed_dictionaries(
        {
            "contentItems": st.one_of(some(ITEMS), st.sampled_from(WRONG)),
            "success": rarely_wrong(True, False),
        },
        optional={"output": st.just("hi"), "content_items": st.just([]), "more": st.just(1)},
    ),
    st.sampled_from(({"output": "hi", "success": True}, {"contentItems": []}, {"success": True}, *WRONG)),
)


def is_refused(tools: list[Any], profile: str) -> bool:
    """Whether the server refuses a declaration."""
    try:
        spec_rules.check(specs.read_tools(tools, PROFILES[profile]), PROFILES[profile])
    except (RefusedError, UnreadableError):
        return True
    return False


def is_not_taken(result: Any, profile: str) -> bool:
    """Whether the server puts a text of its own in an answer's place."""
    try:
        return bool(outcome(result, PROFILES[profile]).complaint)
    except UnreadableError:
        return True


@pytest.mark.parametrize("profile", PROFILES)
@given(tools=DECLARATIONS)
def test_a_declaration_has_a_fault_when_the_server_refuses_it(profile: str, tools: list[Any]) -> None:
    fault = first_fault(tools, dialect_of(version_of(profile)))
    assert (fault is not None) == is_refused(tools, profile)


@pytest.mark.parametrize("profile", PROFILES)
@given(result=RESULTS)
def test_an_answer_is_a_violation_when_the_server_does_not_take_it(profile: str, result: Any) -> None:
    report = ended(answered(result, version=PROFILES[profile].version)).report()
    assert bool(report.violations) == is_not_taken(result, profile)
