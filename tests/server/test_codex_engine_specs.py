"""What each version of the engine takes as a client's tools, and in which words it refuses the rest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.codex_client import ECHO, Bench

NONE = object()
SCHEMA = "dynamic tool input schema is not supported for demo_echo: "
RESPONSES = "must match ^[a-zA-Z0-9_-]+$ to match Responses API: "
OLD_TYPES = "expected one of `boolean`, `string`, `integer`, `number`, `array`, `object`"
MIXED = "Invalid request: dynamic tools must use either canonical or legacy format consistently"
ACCEPTED = ""


def spec(**changes: Any) -> dict[str, Any]:
    """The canonical tool with changes; NONE takes a member away."""
    return {
        name: value for name, value in {"type": "function", **ECHO, **changes}.items() if value is not NONE
    }


def flat(**changes: Any) -> dict[str, Any]:
    return spec(type=NONE, **changes)


def space(name: str = "demo", *tools: Any, **changes: Any) -> dict[str, Any]:
    return {
        "type": "namespace",
        "name": name,
        "description": "Demo",
        "tools": list(tools or [spec()]),
        **changes,
    }


def outcome(profile: str, tools: Any) -> str:
    """How thread/start with these tools is refused; empty when it is not."""
    answer = Bench(profile=profile).client().request("thread/start", {"dynamicTools": tools})
    if "result" in answer:
        return ACCEPTED
    assert answer["error"]["code"] == -32600
    return str(answer["error"]["message"])


BOTH = [
    ([spec(name="")], "dynamic tool name must not be empty"),
    ([spec(name=" demo_echo ")], "dynamic tool name has leading/trailing whitespace:  demo_echo "),
    ([spec(name="mcp")], "dynamic tool name is reserved: mcp"),
    ([spec(name="mcp__x")], "dynamic tool name is reserved: mcp__x"),
    ([spec(), spec()], "duplicate dynamic tool name: demo_echo"),
    ([spec(inputSchema={"required": "a"})], SCHEMA + 'invalid type: string "a", expected a sequence'),
    ([spec(inputSchema=NONE)], "Invalid request: missing field `inputSchema`"),
    ([spec(description=NONE)], "Invalid request: missing field `description`"),
    ([spec(description=None)], "Invalid request: invalid type: null, expected a string"),
    ([spec(name=5)], "Invalid request: invalid type: integer `5`, expected a string"),
    ({"a": 1}, "Invalid request: invalid type: map, expected a sequence"),
    *(
        ([spec(name=name)], ACCEPTED)
        for name in ("mcp_x", "MCP__x", "exec_command", "shell", "9lives", "a" * 128, "-", "_")
    ),
    *(
        ([spec(inputSchema=schema)], ACCEPTED)
        for schema in (
            {},
            True,
            False,
            {"type": "string"},
            {"type": 5},
            {"type": ["object", "null"]},
            {"$ref": "#/x"},
            {"anyOf": [{"type": "object"}]},
            {"type": "object", "required": ["nowhere"]},
        )
    ),
    ([spec(description="")], ACCEPTED),
    ([spec(description="d" * 1025)], ACCEPTED),
    ([spec(bogus=1)], ACCEPTED),
    ([spec(name=f"t{n}") for n in range(30)], ACCEPTED),
    ([], ACCEPTED),
    (None, ACCEPTED),
    ([flat()], ACCEPTED),
]
"""What all versions say the same of."""

DIFFERENT = [
    (
        [spec(name="a\n")],
        "dynamic tool name has leading/trailing whitespace: a\\n",
        "dynamic tool name has leading/trailing whitespace: a\n",
    ),
    *(
        ([spec(name=name)], f"dynamic tool name {RESPONSES}{shown}", ACCEPTED)
        for name, shown in (
            ("demo.echo", "demo.echo"),
            ("a/b", "a/b"),
            ("écho", "\\u{e9}cho"),
            ("a b", "a b"),
            ("a!", "a!"),
        )
    ),
    (
        [spec(name="a" * 129)],
        "dynamic tool name must be at most 128 characters to match Responses API: " + "a" * 129,
        ACCEPTED,
    ),
    ([spec(deferLoading=True)], "deferred dynamic tool must include a namespace: demo_echo", ACCEPTED),
    ([flat(deferLoading=True)], "deferred dynamic tool must include a namespace: demo_echo", ACCEPTED),
    ([flat(exposeToContext=False)], "deferred dynamic tool must include a namespace: demo_echo", ACCEPTED),
    ([space()], ACCEPTED, "Invalid request: missing field `inputSchema`"),
    (
        [spec(inputSchema="x")],
        SCHEMA + 'invalid type: string "x", expected struct JsonSchema',
        SCHEMA + 'invalid type: string "x", expected internally tagged enum JsonSchema',
    ),
    (
        [spec(inputSchema=None)],
        SCHEMA + "invalid type: null, expected struct JsonSchema",
        SCHEMA + "invalid type: null, expected internally tagged enum JsonSchema",
    ),
    (
        [spec(inputSchema=[])],
        SCHEMA + "invalid length 0, expected struct JsonSchema with 15 elements",
        SCHEMA + "missing field `type`",
    ),
    (
        [spec(inputSchema=5)],
        SCHEMA + "invalid type: number, expected struct JsonSchema",
        SCHEMA + "invalid type: integer `5`, expected internally tagged enum JsonSchema",
    ),
    (
        [spec(inputSchema={"type": "object", "properties": 5})],
        SCHEMA + "invalid type: number, expected a map",
        SCHEMA + "invalid type: integer `5`, expected a map",
    ),
    (
        [spec(inputSchema={"properties": {"a": "x"}})],
        SCHEMA + 'invalid type: string "x", expected struct JsonSchema',
        SCHEMA + 'invalid type: string "x", expected internally tagged enum JsonSchema',
    ),
    (
        [spec(inputSchema={"items": "x"})],
        SCHEMA + 'invalid type: string "x", expected struct JsonSchema',
        SCHEMA + 'invalid type: string "x", expected internally tagged enum JsonSchema',
    ),
    ([spec(inputSchema={"enum": "a"})], SCHEMA + 'invalid type: string "a", expected a sequence', ACCEPTED),
    (
        [spec(inputSchema={"type": "null"})],
        SCHEMA + "tool input schema must not be a singleton null type",
        SCHEMA + "unknown variant `null`, " + OLD_TYPES,
    ),
    (
        [spec(inputSchema={"type": ["null"]})],
        SCHEMA + "tool input schema must not be a singleton null type",
        ACCEPTED,
    ),
    ([spec(inputSchema={"type": "wat"})], ACCEPTED, SCHEMA + "unknown variant `wat`, " + OLD_TYPES),
    ([spec(deferLoading=None)], "Invalid request: invalid type: null, expected a boolean", ACCEPTED),
    (
        [spec(type="custom")],
        "Invalid request: unknown variant `custom`, expected `function` or `namespace`",
        ACCEPTED,
    ),
    ([spec(type=None)], "Invalid request: invalid type: null, expected variant identifier", ACCEPTED),
    (
        ["x"],
        'Invalid request: invalid type: string "x", expected struct LegacyDynamicToolSpec',
        'Invalid request: invalid type: string "x", expected struct DynamicToolSpec',
    ),
    (
        [spec(name="é", inputSchema=NONE)],
        "Invalid request: missing field `inputSchema`",
        "Invalid request: missing field `inputSchema`",
    ),
]
"""Tools, what 0.171 says of them, and what 0.110 and 0.98 say."""

NAMESPACES = [
    ([space("demo", spec(), spec())], "duplicate dynamic tool name in namespace demo: demo_echo"),
    (
        [flat(namespace="demo"), flat(namespace="demo")],
        "duplicate dynamic tool name in namespace demo: demo_echo",
    ),
    ([flat(namespace="a"), flat(namespace="b"), flat()], ACCEPTED),
    ([flat(namespace=None)], ACCEPTED),
    ([flat(namespace="demo", exposeToContext=False)], ACCEPTED),
    ([space("")], "dynamic tool namespace must not be empty"),
    ([space("a.b")], f"dynamic tool namespace {RESPONSES}a.b"),
    ([space("n" * 64)], ACCEPTED),
    (
        [space("n" * 65)],
        "dynamic tool namespace must be at most 64 characters to match Responses API: " + "n" * 65,
    ),
    ([space("mcp")], "dynamic tool namespace is reserved: mcp"),
    ([space("mcp__a")], "dynamic tool namespace is reserved: mcp__a"),
    *(
        ([space(name)], f"dynamic tool namespace collides with a reserved Responses API namespace: {name}")
        for name in (
            "api_tool",
            "browser",
            "computer",
            "container",
            "file_search",
            "functions",
            "image_gen",
            "multi_tool_use",
            "python",
            "python_user_visible",
            "submodel_delegator",
            "terminal",
            "tool_search",
            "web",
        )
    ),
    *(([space(name)], ACCEPTED) for name in ("web_search", "shell", "codex", "apps", "code_interpreter")),
    ([space(), space()], "duplicate dynamic tool namespace: demo"),
    ([space(tools=[])], "dynamic tool namespace must contain at least one tool: demo"),
    ([space(description="d" * 1025)], "dynamic tool namespace description must be at most 1024 characters"),
    ([space(description="d" * 1024)], ACCEPTED),
    ([space(description="")], ACCEPTED),
    ([space("demo", space("inner"))], "Invalid request: unknown variant `namespace`, expected `function`"),
    ([space("demo", spec(deferLoading=True))], ACCEPTED),
    ([spec(), space()], ACCEPTED),
    ([spec(name="demo"), space()], ACCEPTED),
    ([spec(name=f"t{n}") for n in range(200)], ACCEPTED),
    ([spec(), flat(name="b")], MIXED),
    ([space("demo", flat())], MIXED),
    ([spec(namespace="demo")], MIXED),
    ([space("demo", spec(inputSchema=5))], SCHEMA + "invalid type: number, expected struct JsonSchema"),
]
"""What only 0.171 knows."""


@pytest.mark.parametrize("profile", ["0.98", "0.110", "0.171"])
@pytest.mark.parametrize(("tools", "message"), BOTH)
def test_most_is_the_same_in_all_versions(profile: str, tools: Any, message: str) -> None:
    assert outcome(profile, tools) == message


@pytest.mark.parametrize(("tools", "message", "old_message"), DIFFERENT)
def test_what_is_not_the_same_is_in_the_profiles(tools: Any, message: str, old_message: str) -> None:
    assert outcome("0.171", tools) == message
    assert outcome("0.110", tools) == old_message
    assert outcome("0.98", tools) == old_message


@pytest.mark.parametrize(("tools", "message"), NAMESPACES)
def test_namespaces_have_rules_of_their_own(tools: Any, message: str) -> None:
    assert outcome("0.171", tools) == message


def test_a_refused_declaration_starts_nothing() -> None:
    client = Bench().client()
    client.request("thread/start", {"dynamicTools": [spec(name="")]})
    assert client.result("thread/loaded/list") == {"data": [], "nextCursor": None}
    assert client.told("thread/started") == []


@pytest.mark.parametrize("method", ["thread/resume", "thread/fork", "turn/start"])
def test_tools_are_declared_at_the_start_of_a_thread_only(method: str) -> None:
    client = Bench().client()
    missing = "01a22ce0-84c5-7ef1-b176-ec3703629600"
    given = {"threadId": missing, "input": [], "dynamicTools": {"a": 1}}
    assert missing in client.refusal(method, given)


def test_the_model_is_offered_what_is_not_deferred() -> None:
    bench = Bench()
    client = bench.client()
    hidden = spec(name="hidden", deferLoading=True)
    client.start_turn(client.start_thread(spec(), space("demo", spec(), hidden), space("gone", hidden)))
    function = {
        "type": "function",
        "name": "demo_echo",
        "description": "Echo text",
        "strict": False,
        "parameters": ECHO["inputSchema"],
    }
    namespace = {"type": "namespace", "name": "demo", "description": "Demo", "tools": [function]}
    assert bench.model.requests[0].body["tools"] == [function, namespace]


def test_flat_entries_of_a_namespace_become_one() -> None:
    bench = Bench()
    client = bench.client()
    tools = [flat(namespace="demo"), flat(), flat(name="other", namespace="demo")]
    client.start_turn(client.start_thread(*tools))
    first, second = bench.model.requests[0].body["tools"]
    assert first["description"] == "Tools in the demo namespace."
    assert [tool["name"] for tool in first["tools"]] == ["demo_echo", "other"]
    assert second["name"] == "demo_echo"
