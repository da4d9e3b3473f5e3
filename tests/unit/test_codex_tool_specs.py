"""Declarations, row by row of what was measured at the servers."""

from __future__ import annotations

from typing import Any

import pytest

from wiretape.codex.dialects import CURRENT, DIALECTS, Dialect, dialect_of, version_of
from wiretape.codex.tool_specs import first_fault
from wiretape.strictjson import ABSENT

OLD = dialect_of((0, 110))
SCHEMA = {"type": "object"}


def function(name: object = "demo_echo", **more: Any) -> dict[str, Any]:
    return _without_absent(
        {"type": "function", "name": name, "description": "d", "inputSchema": SCHEMA} | more
    )


def flat(name: object = "demo_echo", **more: Any) -> dict[str, Any]:
    return function(name, type=ABSENT, **more)


def namespace(name: object = "demo", *tools: object, **more: Any) -> dict[str, Any]:
    inner = list(tools) or [function()]
    return _without_absent({"type": "namespace", "name": name, "description": "d", "tools": inner} | more)


def _without_absent(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not ABSENT}


def path(tools: object, dialect: Dialect = CURRENT) -> str | None:
    fault = first_fault(tools, dialect)
    return fault and fault.path


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [function()],
        [flat()],
        [function("a" * 128), function("7up"), function("mcp_x"), function("MCP__x"), function("shell")],
        [function(description="", more=1, deferLoading=False)],
        [function(description="d" * 1025)],
        [function(), namespace("demo", function(), function("other", deferLoading=True))],
        [namespace("demo_echo"), function()],
        [namespace("a" * 64, description="d" * 1024), namespace("web_search"), namespace("shell")],
        [flat(namespace="a"), flat(namespace="b"), flat(namespace=None)],
        [flat(namespace="a", deferLoading=True), flat("other", namespace="a", exposeToContext=False)],
        [flat(exposeToContext=True)],
        [flat(deferLoading=None, exposeToContext=None)],
        [function(exposeToContext=False)],
        [namespace(namespace="unknown here")],
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_declaration_that_is_taken_has_no_fault(tools: list[Any]) -> None:
    assert first_fault(tools, CURRENT) is None


@pytest.mark.parametrize(
    ("tools", "where"),
    [
        ({"a": 1}, ""),
        (["x"], "[0]"),
        ([function(""), function()], "[0].name"),
        ([function(" ")], "[0].name"),
        ([function(" demo_echo ")], "[0].name"),
        ([function("a\n")], "[0].name"),
        ([function("demo.echo")], "[0].name"),
        ([function("écho")], "[0].name"),
        ([function("a" * 129)], "[0].name"),
        ([function("mcp")], "[0].name"),
        ([function("mcp__x")], "[0].name"),
        ([function(), function()], "[1].name"),
        ([namespace("demo", function(), function())], "[0].tools[1].name"),
        ([flat(namespace="demo"), flat(namespace="demo")], "[1].name"),
        ([function(deferLoading=True)], "[0]"),
        ([flat(exposeToContext=False)], "[0]"),
        ([namespace("")], "[0].name"),
        ([namespace("a.b")], "[0].name"),
        ([namespace("a" * 65)], "[0].name"),
        ([namespace("mcp__a")], "[0].name"),
        ([namespace("web")], "[0].name"),
        ([flat(namespace="functions")], "[0].namespace"),
        ([namespace(), namespace()], "[1].name"),
        ([namespace(tools=[])], "[0].tools"),
        ([namespace(tools="x")], "[0].tools"),
        ([namespace(description="d" * 1025)], "[0].description"),
        ([namespace("demo", namespace())], "[0].tools[0].type"),
        ([namespace("demo", flat())], "[0].tools[0].type"),
        ([function(), flat("other")], "[1].type"),
        ([function(namespace="demo")], "[0].namespace"),
        ([function(inputSchema=ABSENT)], "[0].inputSchema"),
        ([function(description=ABSENT)], "[0].description"),
        ([function(description=None)], "[0].description"),
        ([function(5)], "[0].name"),
        ([function(deferLoading=None)], "[0].deferLoading"),
        ([function(type="custom")], "[0].type"),
        ([function(type=None)], "[0].type"),
        ([flat(namespace=5)], "[0].namespace"),
        ([function("a.b"), function(inputSchema=ABSENT)], "[1].inputSchema"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_what_is_wrong_with_a_declaration_is_found_by_its_path(tools: object, where: str) -> None:
    assert path(tools) == where


@pytest.mark.parametrize(
    "schema",
    [
        *({}, True, False, {"type": "string"}, {"type": 5}, {"type": "wat"}, {"type": ["object", "null"]}),
        *({"$ref": "#"}, {"anyOf": [SCHEMA]}, {"required": ["nobody"]}),
        {"properties": {"a": {"type": "null"}}},
        {"properties": {"a": True}, "items": False},
        {"properties": None, "items": None, "required": None, "enum": None, "anyOf": None, "$ref": None},
        {"description": 5},
    ],
    ids=str,
)
def test_a_schema_is_looked_at_for_its_shape_only(schema: object) -> None:
    assert path([function(inputSchema=schema)]) is None


SCHEMAS: list[tuple[object, str, bool]] = [
    ("x", "", True),
    (None, "", True),
    ([], "", True),
    (5, "", True),
    ({"type": "object", "properties": 5}, ".properties", True),
    ({"properties": {"a": "x"}}, ".properties.a", True),
    ({"properties": {"a": {"items": {"required": "a"}}}}, ".properties.a.items.required", True),
    ({"items": "x"}, ".items", True),
    ({"required": "a"}, ".required", True),
    ({"enum": "a"}, ".enum", False),
    ({"required": [1]}, ".required[0]", True),
    ({"additionalProperties": 5}, ".additionalProperties", True),
    ({"type": "object", "description": 5}, ".description", True),
    ({"$ref": 5}, ".$ref", False),
    ({"anyOf": 5}, ".anyOf", False),
    ({"oneOf": [{}, 5]}, ".oneOf[1]", False),
    ({"type": "null"}, ".type", True),
    ({"type": ["null"]}, ".type", False),
]


@pytest.mark.parametrize(("schema", "where", "_old"), SCHEMAS, ids=str)
def test_a_schema_of_the_wrong_shape_is_refused(schema: object, where: str, _old: bool) -> None:
    assert path([function(inputSchema=schema)]) == f"[0].inputSchema{where}"


@pytest.mark.parametrize(("schema", "where", "refused"), SCHEMAS, ids=str)
def test_an_old_server_looks_at_less_of_a_schema(schema: object, where: str, refused: bool) -> None:
    assert path([flat(inputSchema=schema)], OLD) == (f"[0].inputSchema{where}" if refused else None)


@pytest.mark.parametrize("name", ["properties", "items", "description"])
def test_an_old_server_takes_no_null_where_later_ones_do(name: str) -> None:
    assert path([flat(inputSchema={name: None})], OLD) == f"[0].inputSchema.{name}"
    assert path([flat(inputSchema={name: None})]) is None


def test_an_old_server_knows_its_types_by_name() -> None:
    assert path([flat(inputSchema={"type": "wat"})], OLD) == "[0].inputSchema.type"
    assert path([flat(inputSchema={"type": 5})], OLD) is None


@pytest.mark.parametrize(
    "tool",
    [
        flat("demo.echo"),
        flat("a" * 129),
        flat(deferLoading=True),
        flat(deferLoading=None),
        function(type="custom"),
        function(type=None),
        flat(namespace=5),
    ],
    ids=lambda value: str(value)[:50],
)
def test_an_old_server_takes_what_it_does_not_know(tool: dict[str, Any]) -> None:
    assert path([tool], OLD) is None


@pytest.mark.parametrize(
    ("tools", "where"),
    [
        ([flat("")], "[0].name"),
        ([flat(" a")], "[0].name"),
        ([flat("mcp__x")], "[0].name"),
        ([flat(namespace="a"), flat(namespace="b")], "[1].name"),
        ([namespace()], "[0].inputSchema"),
        (["x"], "[0]"),
    ],
)
def test_an_old_server_refuses_some_too(tools: list[Any], where: str) -> None:
    assert path(tools, OLD) == where


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("demo_client/0.171.0 (Debian 12.0.0; x86_64) xterm (demo_client; 0.0.1)", (0, 171)),
        ("0.110", (0, 110)),
        ("1.0", (1, 0)),
        ("", None),
        ("demo", None),
        (None, None),
        (5, None),
    ],
)
def test_a_version_is_read_from_a_user_agent_or_a_profile(text: object, version: object) -> None:
    assert version_of(text) == version


@pytest.mark.parametrize(
    ("version", "since"),
    [((0, 94), (0, 98)), ((0, 98), (0, 98)), ((0, 162), (0, 110)), ((0, 171), (0, 163)), (None, (0, 163))],
)
def test_a_version_speaks_the_newest_dialect_that_it_can_know(version: Any, since: tuple[int, int]) -> None:
    assert dialect_of(version).since == since


def test_dialects_are_in_order() -> None:
    assert list(DIALECTS) == sorted(DIALECTS, key=lambda each: each.since)
