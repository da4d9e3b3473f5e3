"""What the app-server takes as the input schema of a tool: it looks at the shape, not at the meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from wiretape.codex.dialects import Dialect

_OLD_TYPES: Final = ("boolean", "string", "integer", "number", "array", "object")
_OLD_NULLABLE: Final = ("required", "additionalProperties")
"""Old servers take null for these only, later ones for every keyword."""
_CHOICES: Final = ("anyOf", "oneOf", "allOf")
"""Lists of schemas, which old servers do not look at."""

SchemaFault: TypeAlias = tuple[str, str, object]
"""Where in the schema, what was wanted, what came."""


def schema_fault(schema: object, dialect: Dialect) -> SchemaFault | None:
    """The first thing that is refused; None for a schema that is taken."""
    fault = next(_faults(schema, "", dialect), None)
    if fault is None and dialect.canonical_tools and isinstance(schema, dict):
        kind = schema.get("type")
        return (".type", "another type than null", kind) if kind in ("null", ["null"]) else None
    return fault


def _faults(schema: object, path: str, dialect: Dialect) -> Iterator[SchemaFault]:
    """What is refused; of several things only the first one counts."""
    if not isinstance(schema, dict):
        if not isinstance(schema, bool):
            yield path, "an object, true or false", schema
        return
    given = {
        name: value for name, value in schema.items() if value is not None or not _nullable(name, dialect)
    }
    kind = given.get("type")
    if isinstance(kind, str) and kind not in _OLD_TYPES and not dialect.canonical_tools:
        yield f"{path}.type", " or ".join(_OLD_TYPES), kind
    for name, (want, wanted) in _keywords(schema, dialect).items():
        if name in given and not isinstance(given[name], wanted):
            yield f"{path}.{name}", want, given[name]
    for index, each in enumerate(given.get("required", [])):
        if not isinstance(each, str):
            yield f"{path}.required[{index}]", "a string", each
    for where, inner in _inner(given, path, dialect):
        yield from _faults(inner, where, dialect)


def _nullable(name: str, dialect: Dialect) -> bool:
    return dialect.canonical_tools or name in _OLD_NULLABLE


def _keywords(schema: dict[str, Any], dialect: Dialect) -> dict[str, tuple[str, type]]:
    """The keywords that are looked at, with what they have to be, in words and as a type."""
    lists, texts = ["required"], ["description"]
    if dialect.canonical_tools:
        lists += ["enum", *_CHOICES]
        texts = ["$ref", *(texts if "type" in schema else [])]
    each = dict.fromkeys(texts, ("a string", str)) | dict.fromkeys(lists, ("a list", list))
    return each | {"properties": ("an object", dict)}


def _inner(given: dict[str, Any], path: str, dialect: Dialect) -> Iterator[tuple[str, object]]:
    """The schemas inside a schema, with their paths."""
    for name, each in given.get("properties", {}).items():
        yield f"{path}.properties.{name}", each
    for name in ("items", "additionalProperties"):
        if name in given:
            yield f"{path}.{name}", given[name]
    for name in _CHOICES if dialect.canonical_tools else ():
        for index, each in enumerate(given.get(name, [])):
            yield f"{path}.{name}[{index}]", each
