"""The shape of a tool's ``inputSchema``: containers of the right JSON type, not a valid JSON Schema."""

from __future__ import annotations

from typing import Any

from wiretape_server.codex import serde
from wiretape_server.codex.profile import SchemaDialect
from wiretape_server.codex.serde import UnreadableError

_COMBINATIONS = ("anyOf", "oneOf", "allOf")


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
    if isinstance(schema, list):
        raise _no_struct(schema, dialect)
    if not isinstance(schema, dict):
        raise _wrong(schema, dialect.struct, dialect)
    _check_type_name(schema.get("type"), dialect)
    for child in _expect(schema, "properties", dict, "a map", dialect).values():
        _check_schema(child, dialect)
    if _has(schema, "items", dialect):
        _check_schema(schema["items"], dialect)
    if schema.get("required") is not None:
        _check_texts(_expect(schema, "required", list, serde.SEQUENCE, dialect), dialect)
    texts = dialect.texts + (dialect.typed_texts if "type" in schema else ())
    _check_texts([schema[name] for name in texts if _has(schema, name, dialect)], dialect)
    if schema.get("additionalProperties") is not None:
        _check_additional(schema["additionalProperties"], dialect)
    if dialect.reads_all:
        _check_choices(schema, dialect)


def _no_struct(schema: list[Any], dialect: SchemaDialect) -> UnreadableError:
    """A list is read as the members of a schema in order, of which the first is a text."""
    if not schema:
        return UnreadableError(dialect.empty_list)
    if not isinstance(schema[0], str):
        return _wrong(schema[0], dialect.first_member, dialect)
    if dialect.types:
        return UnreadableError(serde.unknown_variant(schema[0], dialect.types))
    return UnreadableError(dialect.empty_list.replace("0", str(len(schema)), 1))


def _check_choices(schema: dict[str, Any], dialect: SchemaDialect) -> None:
    """The keywords that older versions do not look at."""
    _expect(schema, "enum", list, serde.SEQUENCE, dialect)
    for name in _COMBINATIONS:
        for child in _expect(schema, name, list, serde.SEQUENCE, dialect):
            _check_schema(child, dialect)


def _check_additional(schema: object, dialect: SchemaDialect) -> None:
    try:
        _check_schema(schema, dialect)
    except UnreadableError:
        untagged = "data did not match any variant of untagged enum AdditionalProperties"
        raise UnreadableError(untagged) from None


def _check_texts(values: list[Any], dialect: SchemaDialect) -> None:
    for value in values:
        if not isinstance(value, str):
            raise _wrong(value, serde.STRING, dialect)


def _check_type_name(name: object, dialect: SchemaDialect) -> None:
    if isinstance(name, str) and dialect.types and name not in dialect.types:
        raise UnreadableError(serde.unknown_variant(name, dialect.types))


def _expect(schema: dict[str, Any], name: str, kind: type, words: str, dialect: SchemaDialect) -> Any:
    if not _has(schema, name, dialect):
        return kind()
    if not isinstance(schema[name], kind):
        raise _wrong(schema[name], words, dialect)
    return schema[name]


def _has(schema: dict[str, Any], name: str, dialect: SchemaDialect) -> bool:
    return name in schema and not (schema[name] is None and dialect.nullable)


def _wrong(value: object, expected: str, dialect: SchemaDialect) -> UnreadableError:
    return UnreadableError(serde.invalid_type(value, expected, bare=dialect.bare_numbers))
