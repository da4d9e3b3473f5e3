"""Arguments fit their schema, whatever the seed."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.auto.schemas import schemas
from wiretape.scenario import UnfitError, fitting
from wiretape.scenario.draw import Draw

TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"type": "string"},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["kids", "next"],
        }
    },
    "$ref": "#/$defs/node",
}
SCHEMAS: list[Any] = [
    TREE,
    {"oneOf": [{"type": "integer", "minimum": 1}, {"type": "string", "minLength": 1}]},
    {"allOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"required": ["b"]}]},
    {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {"type": "null"}}, "required": ["b"]}]},
    {"allOf": [{"type": "string"}, True]},
    {"type": "object", "minProperties": 3, "properties": {"a": {"type": "boolean"}}},
    {"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer"}},
    {
        "properties": {"a": {"type": "string"}},
        "required": ["a", "b"],
        "additionalProperties": {"type": "null"},
    },
    {"type": "object", "properties": {"never": False, "fine": True}},
    {"type": "array", "uniqueItems": True, "minItems": 5, "items": {"type": "integer", "minimum": 0}},
    {"type": "array", "uniqueItems": True, "minItems": 2, "items": {"type": "boolean"}},
    {"type": "array", "contains": {"const": "x"}, "minItems": 1},
    {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
    {"items": {"type": "integer"}},
    {"minLength": 200},
    {"type": "string", "pattern": "^[a-z]{3}$"},
    {"type": "string", "pattern": "^x{9}$", "examples": ["xxxxxxxxx"]},
    {"type": "string", "pattern": "^[0-9]+$", "maxLength": 3},
    {"type": "string", "format": "uuid"},
    {"exclusiveMinimum": 5, "exclusiveMaximum": 6},
    {"type": "number", "multipleOf": 0.25, "minimum": 7},
    {"type": "integer", "multipleOf": 7, "minimum": 50, "maximum": 60},
    {"type": "integer", "minimum": 10**20},
    {"type": "integer", "maximum": -(10**9)},
]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_a_value_fits_its_schema(schema: Any, seed: int) -> None:
    jsonschema.Draft202012Validator(schema).validate(fitting(schema, Draw(seed)))


@given(schema=schemas(), seed=st.integers(0, 99))
def test_a_value_fits_any_schema(schema: Any, seed: int) -> None:
    jsonschema.Draft202012Validator(schema).validate(fitting(schema, Draw(seed)))


def test_a_value_of_another_type_would_not_pass_for_fitting() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMAS[0]).validate("no node")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (False, "the schema takes nothing"),
        ({"type": "object", "properties": {"a": False}, "required": ["a"]}, "a takes nothing"),
        ({"properties": {"a": {"enum": []}}, "required": ["a"]}, "a takes nothing"),
        ({"properties": {"a": {"pattern": "^q{7}$"}}, "required": ["a"]}, r"a has the pattern '\^q"),
        ({"type": "string", "pattern": "("}, "the schema has the pattern"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "the schema has bounds"),
        ({"type": "date"}, "the schema has the type 'date'"),
        ({"$ref": "other.json#/a"}, r"refers to other\.json#/a"),
        ({"$ref": "#/$defs/a"}, r"refers to #/\$defs/a"),
        ({"$ref": "#/type/x", "type": "string"}, "refers to #/type/x"),
        ({"$ref": "#"}, "has no end"),
        (
            {"properties": {"child": {"$ref": "#"}}, "required": ["child"]},
            f"^{'child.' * 6}chil… has no end$",
        ),
        (
            {"type": "array", "uniqueItems": True, "minItems": 3, "items": {"type": "boolean"}},
            "wants 3 different items, 2 were found",
        ),
    ],
)
def test_what_no_value_fits_is_said_with_its_place(schema: Any, why: str) -> None:
    with pytest.raises(UnfitError, match=why):
        fitting(schema, Draw(0))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": "many", "pattern": 5, "enum": {}, "format": None},
        {"type": "array", "minItems": -1, "items": {"type": "string"}, "prefixItems": []},
        {"type": "object", "properties": [], "required": "a", "allOf": None},
        {"type": "number", "multipleOf": 0, "minimum": True},
    ],
)
def test_keywords_of_another_shape_count_as_not_there(schema: Any) -> None:
    kinds = {"string": str, "array": list, "object": dict, "number": (int, float)}
    assert isinstance(fitting(schema, Draw(1)), kinds[schema["type"]])


def test_the_same_seed_and_place_give_the_same_value() -> None:
    assert fitting(TREE, Draw(7, "here")) == fitting(TREE, Draw(7, "here"))
    values = [json.dumps(fitting(TREE, Draw(seed, "here"))) for seed in range(8)]
    assert len(set(values)) > 1


def test_a_reference_leads_through_lists_too() -> None:
    schema = {"prefixItems": [{"const": 1}, {"$ref": "#/prefixItems/0"}], "minItems": 2}
    assert fitting(schema, Draw(0))[:2] == [1, 1]


def test_texts_beyond_ascii_empty_texts_and_numbers_are_among_a_few_values() -> None:
    draw = Draw(0)
    texts = [fitting({"type": "string"}, draw) for _ in range(9)]
    assert "" in texts
    assert any(not text.isascii() for text in texts)
    assert any(ord(character) > 0xFFFF for text in texts for character in text)
    numbers = [fitting({"type": "number"}, draw) for _ in range(6)]
    assert {type(number) for number in numbers} == {int, float}
