"""What the app-server takes as the input schema of a tool: it looks at the shape, not at the meaning."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from wiretape.codex.dialects import Dialect

_OLD_TYPES: Final = ("boolean", "string", "integer", "number", "array", "object")

SchemaFault: TypeAlias = tuple[str, str, object]
"""Where in the schema, what was wanted, what came."""


def schema_fault(schema: object, dialect: Dialect) -> SchemaFault | None:
    """The first thing that is refused; None for a schema that is taken."""
    fault = _fault(schema, "", dialect)
    if fault is None and dialect.canonical_tools and isinstance(schema, dict):
        kind = schema.get("type")
        return (".type", "another type than null", kind) if kind in ("null", ["null"]) else None
    return fault


def _fault(schema: object, path: str, dialect: Dialect) -> SchemaFault | None:
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return path, "an object, true or false", schema
    for key in ("required", "enum") if dialect.canonical_tools else ("required",):
        if not isinstance(schema.get(key, []), list):
            return f"{path}.{key}", "a list", schema[key]
    kind = schema.get("type")
    if isinstance(kind, str) and kind not in _OLD_TYPES and not dialect.canonical_tools:
        return f"{path}.type", " or ".join(_OLD_TYPES), kind
    if not isinstance(schema.get("properties", {}), dict):
        return f"{path}.properties", "an object", schema["properties"]
    each = (_fault(inner, where, dialect) for where, inner in _inner(schema, path))
    return next((fault for fault in each if fault is not None), None)


def _inner(schema: dict[str, Any], path: str) -> list[tuple[str, object]]:
    """The schemas inside a schema, with their paths."""
    properties = schema.get("properties", {})
    inner = [(f"{path}.properties.{name}", each) for name, each in properties.items()]
    return inner + ([(f"{path}.items", schema["items"])] if "items" in schema else [])
