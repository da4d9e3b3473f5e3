"""The shape of a tool's ``inputSchema``: containers of the right JSON type, not a valid JSON Schema."""

from __future__ import annotations

from typing import Any

from wiretape_server.codex import serde
from wiretape_server.codex.profiles import SchemaDialect
from wiretape_server.codex.serde import UnreadableError


def schema_complaint(schema: object, dialect: SchemaDialect) -> str:
    """What a version has against a schema; empty when it takes it."""
    try:
        _check_schema(schema, dialect)
    except UnreadableError as complaint:
        return str(complaint)
    if dialect.refuses_null and isinstance(schema, dict) and schema.get("type") in ("null", ["null"]):
        return "tool input schema must not be a singleton null type"
    return ""


def _check_schema(schema: Any, dialect: SchemaDialect) -> None:
    if isinstance(schema, bool):
        return
    if schema == []:
        raise UnreadableError(dialect.empty_list)
    if not isinstance(schema, dict):
        raise _wrong(schema, dialect.struct, dialect)
    _check_type_name(schema.get("type"), dialect)
    for child in _expect(schema, "properties", dict, serde.MAP, dialect).values():
        _check_schema(child, dialect)
    if "items" in schema:
        _check_schema(schema["items"], dialect)
    _expect(schema, "required", list, serde.SEQUENCE, dialect)
    if dialect.enum_is_list:
        _expect(schema, "enum", list, serde.SEQUENCE, dialect)


def _check_type_name(name: object, dialect: SchemaDialect) -> None:
    if isinstance(name, str) and dialect.types and name not in dialect.types:
        raise UnreadableError(serde.unknown_variant(name, dialect.types))


def _expect(schema: dict[str, Any], name: str, kind: type, words: str, dialect: SchemaDialect) -> Any:
    value = schema.get(name)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise _wrong(value, words, dialect)
    return value


def _wrong(value: object, expected: str, dialect: SchemaDialect) -> UnreadableError:
    if dialect.bare_numbers and isinstance(value, (int, float)) and not isinstance(value, bool):
        return UnreadableError(f"invalid type: number, expected {expected}")
    return UnreadableError(serde.invalid_type(value, expected))
