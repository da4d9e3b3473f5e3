"""What can be read of a JSON Schema: which of its keywords have a shape that they can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""The keywords that tell a type where none is said."""
TYPES: Final = (*KINDS, "integer", "boolean", "null")


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_READABLE: Final[Mapping[str, Callable[[Any], bool]]] = {
    "enum": lambda value: isinstance(value, list),
    **dict.fromkeys(("examples", "allOf", "anyOf", "oneOf", "prefixItems"), _is_list),
    **dict.fromkeys(("pattern", "format", "$ref"), _is_text),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties"), _is_count),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "properties": _is_object,
    "required": lambda value: _is_list(value) and all(map(_is_text, value)),
    "type": lambda value: _is_text(value) or _is_list(value),
}
"""Keywords of another shape count as not there: a client's declaration is taken as far as it can be read."""


def readable(schema: object) -> dict[str, Any]:
    """The keywords of a schema that can be read; none of what is no object."""
    keywords = schema.items() if isinstance(schema, dict) else ()
    return {word: value for word, value in keywords if _READABLE.get(word, lambda _: True)(value)}


def both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A schema that demands what both demand, where they speak of different things."""
    joined = {**one, **other}
    if "properties" in one and "properties" in other:
        joined["properties"] = {**one["properties"], **other["properties"]}
    if "required" in one and "required" in other:
        joined["required"] = [*one["required"], *other["required"]]
    return joined
