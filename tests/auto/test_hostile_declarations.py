"""Whatever a client declares, something is made up and nothing breaks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.auto.schemas import signature
from wiretape import strictjson, testing
from wiretape.cassette import dumps, loads
from wiretape.flow_a.facts import read_stream
from wiretape.scenario import UnfitError, fitting, of_dynamic_tools, of_signatures
from wiretape.scenario.draw import Draw

WORDS = (
    *("type", "enum", "const", "properties", "required", "items", "prefixItems", "contains", "uniqueItems"),
    *("minItems", "maxItems", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "$ref"),
    *("exclusiveMinimum", "exclusiveMaximum", "multipleOf", "anyOf", "allOf", "oneOf", "minProperties"),
    *("additionalProperties", "examples"),
)
VALUES = st.one_of(
    testing.json_values(),
    st.sampled_from(["object", "array", "string", "number", "integer", "#", "#/properties/a", "[", "date"]),
    st.sampled_from([1e308, -1e308, 5e-324, 10**30, ["string", "null"], ["a"], True]),
)
ANY_SCHEMA = st.recursive(
    st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=4),
    lambda inner: (
        st.dictionaries(st.sampled_from(WORDS), inner | st.lists(inner, max_size=2) | VALUES, max_size=4)
        | st.dictionaries(st.sampled_from(["properties"]), st.dictionaries(st.just("a"), inner), max_size=1)
    ),
    max_leaves=5,
)


@given(schema=ANY_SCHEMA, seed=st.integers(-9, 9))
def test_any_schema_gives_a_value_or_the_reason_why_not(schema: Any, seed: int) -> None:
    with suppress(UnfitError):
        strictjson.dumps(fitting(schema, Draw(seed)))


@given(declared=testing.json_values() | st.lists(testing.json_objects(), max_size=3), seed=st.integers(0, 9))
def test_any_value_in_place_of_signatures_makes_a_conversation(declared: Any, seed: int) -> None:
    for interaction in of_signatures(declared, seed=seed).interactions:
        assert not read_stream(interaction.response.body).errors


@given(declared=testing.json_values() | st.lists(testing.json_objects(), max_size=3))
def test_any_value_in_place_of_dynamic_tools_makes_a_session(declared: Any) -> None:
    assert of_dynamic_tools(declared).model


@pytest.mark.parametrize("name", ["a.b", "com espaço", "\ud800", "😀", '"', "\\", "\x00", "local.x"])
def test_a_tool_may_be_called_anything(name: str) -> None:
    made = of_signatures([signature(name, "\udfff" + name)])
    (call,) = read_stream(made.interactions[0].response.body).calls
    assert call.tool == name
    assert list(strictjson.loads(call.text)) == ["\udfff" + name]


@pytest.mark.parametrize("name", ["a.b", "com espaço", "😀", '"', "\\", "\x00", "\u0085"])
def test_what_is_called_anything_is_kept_in_a_file(name: str) -> None:
    made = of_signatures([signature(name, name)])
    assert loads(dumps(made)) == made


WIDE = {f"d{number}": {"allOf": [{"$ref": f"#/$defs/d{number + 1}"}] * 2} for number in range(15)}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$defs": {**WIDE, "d15": {}}, "$ref": "#/$defs/d0"}, "has too many parts"),
        ({"type": "string", "minLength": 10**9}, "has the minLength 1000000000, 10000 is made at most"),
        ({"type": "array", "minItems": 10**9}, "has the minItems"),
        ({"type": "object", "minProperties": 10**9}, "has the minProperties"),
        ({"type": "number", "multipleOf": 5e-324, "minimum": 1e308, "maximum": -1e308}, "has bounds"),
    ],
)
def test_a_schema_that_asks_for_too_much_is_refused_at_once(schema: Any, why: str) -> None:
    with pytest.raises(UnfitError, match=why):
        fitting(schema, Draw(0))
