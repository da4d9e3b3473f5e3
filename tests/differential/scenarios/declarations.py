"""What a thread may declare as its tools, and how a wrong declaration is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.differential.scenario import ECHO, Script, add, scenario
from tests.differential.stage import Stage

_LEFT_OUT: Final = object()


def tool(**changes: Any) -> dict[str, Any]:
    """The usual tool with other members."""
    return {name: value for name, value in {**ECHO, **changes}.items() if value is not _LEFT_OUT}


def flat(**changes: Any) -> dict[str, Any]:
    return tool(type=_LEFT_OUT, **changes)


def namespace(name: Any = "demo", *tools: Any, **changes: Any) -> dict[str, Any]:
    declared = {"type": "namespace", "name": name, "description": "Demo", "tools": list(tools) or [ECHO]}
    return {**declared, **changes}


def schema(value: Any) -> list[Any]:
    return [tool(inputSchema=value)]


NAMES: Final[dict[str, Any]] = {
    "canonical": [ECHO],
    "flat": [flat()],
    "empty": [tool(name="")],
    "blanks": [tool(name=" demo_echo ")],
    "newline": [tool(name="a\n")],
    "dot": [tool(name="demo.echo")],
    "slash": [tool(name="demo/echo")],
    "accent": [tool(name="écho")],
    "blank inside": [tool(name="demo echo")],
    "digit first": [tool(name="1echo")],
    "128 characters": [tool(name="a" * 128)],
    "129 characters": [tool(name="a" * 129)],
    "mcp": [tool(name="mcp")],
    "mcp__x": [tool(name="mcp__x")],
    "mcp_x": [tool(name="mcp_x")],
    "MCP__x": [tool(name="MCP__x")],
    "twice": [ECHO, ECHO],
    "twice flat": [flat(), flat()],
    "of a built-in tool": [tool(name="exec_command"), tool(name="shell"), tool(name="apply_patch")],
    "number": [tool(name=5)],
    "null": [tool(name=None)],
}
FORMS: Final[dict[str, Any]] = {
    "null": None,
    "empty list": [],
    "object": {"a": 1},
    "text": "x",
    "entry is a text": ["x"],
    "entry is null": [None],
    "entry is a number": [5],
    "entry is empty": [{}],
    "mixed": [ECHO, flat(name="other")],
    "flat inside a namespace": [namespace("demo", flat())],
    "canonical with a namespace member": [tool(namespace="demo")],
    "type unknown": [tool(type="custom")],
    "type null": [tool(type=None)],
    "type a number": [tool(type=5)],
    "description missing": [tool(description=_LEFT_OUT)],
    "description null": [tool(description=None)],
    "description empty": [tool(description="")],
    "description long": [tool(description="d" * 1025)],
    "schema missing": [tool(inputSchema=_LEFT_OUT)],
    "schema missing, flat": [flat(inputSchema=_LEFT_OUT)],
    "unknown members": [tool(bogus=1)],
    "deferred without a namespace": [tool(deferLoading=True)],
    "not deferred": [tool(deferLoading=False)],
    "deferLoading null": [tool(deferLoading=None)],
    "deferLoading a text": [tool(deferLoading="yes")],
    "exposeToContext false, flat": [flat(exposeToContext=False)],
    "exposeToContext false, in a namespace": [flat(exposeToContext=False, namespace="demo")],
    "two hundred tools": [tool(name=f"echo_{number}") for number in range(200)],
}
NAMESPACES: Final[dict[str, Any]] = {
    "good": [namespace()],
    "flat": [flat(namespace="demo")],
    "empty name": [namespace("")],
    "dot": [namespace("a.b")],
    "64 characters": [namespace("a" * 64)],
    "65 characters": [namespace("a" * 65)],
    "mcp": [namespace("mcp")],
    "mcp__a": [namespace("mcp__a")],
    "free names": [namespace(each) for each in ("web_search", "shell", "codex", "apps", "code_interpreter")],
    "twice": [namespace(), namespace()],
    "without tools": [namespace(tools=[])],
    "tool twice": [namespace("demo", ECHO, ECHO)],
    "tool twice, flat": [flat(namespace="demo"), flat(namespace="demo")],
    "same tool in two, flat": [flat(namespace="demo"), flat(namespace="other")],
    "same tool outside": [ECHO, namespace()],
    "name of a tool": [ECHO, namespace("demo_echo")],
    "description 1024": [namespace(description="d" * 1024)],
    "description 1025": [namespace(description="d" * 1025)],
    "description empty": [namespace(description="")],
    "inside a namespace": [namespace("demo", namespace("inner"))],
    "number": [namespace(5)],
    "deferred tool": [namespace("demo", tool(deferLoading=True))],
    "bad tool name": [namespace("demo", tool(name="a.b"))],
}
RESERVED: Final = (
    *("api_tool", "browser", "computer", "container", "file_search", "functions", "image_gen"),
    *(
        "multi_tool_use",
        "python",
        "python_user_visible",
        "submodel_delegator",
        "terminal",
        "tool_search",
        "web",
    ),
)
SCHEMAS: Final[dict[str, Any]] = {
    "text": schema("x"),
    "null": schema(None),
    "empty list": schema([]),
    "list": schema([1, 2]),
    "number": schema(5),
    "fraction": schema(1.5),
    "empty": schema({}),
    "true": schema(True),
    "false": schema(False),
    "properties a number": schema({"type": "object", "properties": 5}),
    "properties a list": schema({"type": "object", "properties": []}),
    "property a text": schema({"type": "object", "properties": {"a": "x"}}),
    "property null": schema({"type": "object", "properties": {"a": None}}),
    "items a text": schema({"type": "array", "items": "x"}),
    "required a text": schema({"type": "object", "required": "a"}),
    "required numbers": schema({"type": "object", "required": [1]}),
    "required unknown": schema({"type": "object", "required": ["b"]}),
    "enum a text": schema({"enum": "a"}),
    "enum of numbers": schema({"enum": [1, 2]}),
    "type null": schema({"type": "null"}),
    "type list of null": schema({"type": ["null"]}),
    "type object or null": schema({"type": ["object", "null"]}),
    "type unknown": schema({"type": "wat"}),
    "type a number": schema({"type": 5}),
    "type text": schema({"type": "string"}),
    "description a number": schema({"type": "object", "description": 5}),
    "additionalProperties a text": schema({"type": "object", "additionalProperties": "x"}),
    "additionalProperties a schema": schema({"type": "object", "additionalProperties": {"type": "string"}}),
    "anyOf a text": schema({"anyOf": "x"}),
    "anyOf": schema({"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "reference": schema({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}),
    "nested null type": schema({"type": "object", "properties": {"a": {"type": "null"}}}),
}


def declaring(table: Mapping[str, Any]) -> Script:
    """Declare one after the other, each in a thread of its own."""

    async def script(stage: Stage) -> None:
        client = await stage.client()
        await client.initialize()
        for tools in table.values():
            await client.request("thread/start", {"dynamicTools": tools, "ephemeral": True})

    return script


add("declare: names", declaring(NAMES))
add("declare: forms", declaring(FORMS))
add("declare: namespaces", declaring(NAMESPACES))
add("declare: reserved namespaces", declaring({name: [namespace(name)] for name in RESERVED}))
add("declare: schemas", declaring(SCHEMAS))


@scenario("declare: without experimentalApi")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize(experimentalApi=False)
    for tools in ([ECHO], [], None, "x"):
        await client.request("thread/start", {"dynamicTools": tools, "ephemeral": True})


@scenario("declare: where it declares nothing")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    thread = await client.start_thread(dynamic_tools=[ECHO])
    params = {"threadId": thread, "input": [{"type": "text", "text": "go"}], "dynamicTools": [ECHO]}
    await client.request("turn/start", params)
    await client.told("turn/completed")


@scenario("declare: every kind, as the model sees it")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    hidden = tool(name="hidden", deferLoading=True)
    declared = [ECHO, namespace("demo", ECHO, hidden), namespace("secret", hidden)]
    await client.start_turn(await client.start_thread(*declared))
    await client.told("turn/completed")
    flats = [flat(), flat(namespace="demo"), flat(name="hidden", namespace="demo", exposeToContext=False)]
    await client.start_turn(await client.start_thread(*flats))
    await client.told("turn/completed", 2)
