"""Calls that the model makes in strange ways."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.connection import Client
from tests.differential.scenario import ECHO, OK, add, call, does, says, scenario
from tests.differential.scenarios.declarations import namespace, tool
from tests.differential.scenarios.turns import begun, finished
from tests.differential.stage import Stage
from wiretape.cassette.model import ModelCall

ARGUMENTS: Final = {
    "no JSON": "{text: 1}",
    "empty": "",
    "blank": "  ",
    "cut off": '{"text": "h',
    "cut off in a number": "[1, -",
    "two values": "{} {}",
    "a bad escape": '{"a": "\\x"}',
    "a control character": '{"a": "\n"}',
    "a trailing comma": '{"a": 1,}',
    "no constant": "NaN",
    "a lone surrogate": '{"a": "\\ud800"}',
    "too deep": "[" * 200 + "]" * 200,
    "a list": "[1, 2.0, 1e3]",
    "null": "null",
    "numbers": '{"a": 12345678901234567890, "b": 0.1, "c": -0, "d": 1.50, "e": 1E5}',
    "numbers beyond a double": "[1e400, -1e400]",
    "duplicate members": '{"a": 1, "b": 2, "a": 3}',
    "another order": '{"b": 1, "a": 2}',
    "not ASCII": '{"a": "\\u00e9 é 😀 \\ud83d\\ude00"}',
}


async def whatever(stage: Stage) -> None:
    """Answer the call if it comes to the client."""
    client, thread, _ = await begun(stage)
    await client.until(lambda: _came(client) or _ended(client) or None, "a call or the turn's end")
    if _came(client):
        await client.reply(await client.asked(), OK)
    await finished(client, thread)


def _came(client: Client) -> bool:
    return any(each.get("method") == "item/tool/call" for each in client.heard)


def _ended(client: Client) -> bool:
    return any(each.get("method") == "turn/completed" for each in client.heard)


for title, arguments in ARGUMENTS.items():
    made = ModelCall(id="call_1", tool="demo_echo", arguments=arguments)
    add(f"call: arguments that are {title}", whatever, does(made), says("done"))
add("call: of an unknown tool", whatever, does(call(tool="no_such_tool")), says("done"))


@scenario(
    "call: with and without a namespace",
    does(call(namespace="demo")),
    does(call("call_2")),
    does(call("call_3", tool="hidden", namespace="demo")),
    does(call("call_4", namespace="other")),
    says("done"),
)
async def _(stage: Stage) -> None:
    declared: Any = namespace("demo", ECHO, tool(name="hidden", deferLoading=True))
    client, thread, _ = await begun(stage, declared)
    await client.reply(await client.asked(), OK)
    await client.reply(await client.asked(2), OK)
    await finished(client, thread)
