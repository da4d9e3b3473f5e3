"""The handshake, requests that are refused, and input that can't be read."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.connection import user
from tests.differential.scenario import ECHO, NOBODY, OK, ONE_CALL, scenario
from tests.differential.stage import Stage

INFO: Final = {"name": "demo", "version": "1"}
INITIALIZE: Final[tuple[Any, ...]] = (
    {},
    {"clientInfo": None},
    {"clientInfo": "x"},
    {"clientInfo": {}},
    {"clientInfo": {"name": "x"}},
    {"clientInfo": {"name": 5, "version": "1"}},
    {"clientInfo": {"name": "x", "version": None}},
    {"clientInfo": {"name": "x", "version": "1", "title": 5}},
    {"clientInfo": {"name": "bad name\n", "version": "1"}},
    {"clientInfo": {"name": "naïve", "version": "1"}},
    {"clientInfo": INFO, "capabilities": "x"},
    {"clientInfo": INFO, "capabilities": {"experimentalApi": "yes"}},
    {"clientInfo": INFO, "capabilities": {"optOutNotificationMethods": "x"}},
)


@scenario("handshake: refused before initialize")
async def _(stage: Stage) -> None:
    client = await stage.client()
    for method in ("thread/start", "turn/start", "thread/list", "no/such/method"):
        await client.request(method)


@scenario("handshake: wrong initialize")
async def _(stage: Stage) -> None:
    client = await stage.client()
    for params in INITIALIZE:
        await client.request("initialize", params)


@scenario("handshake: without capabilities and initialized")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.request("initialize", {"clientInfo": {**INFO, "title": None}, "capabilities": None})
    await client.request("initialize", {"clientInfo": INFO})
    thread = await client.start_thread()
    await client.start_turn(thread)
    await client.told("turn/completed")
    await client.request("thread/read", {"threadId": thread, "includeTurns": True})


@scenario("handshake: strange names")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.request("initialize", {"clientInfo": {"name": "a b/c (d)", "version": ""}, "more": 1})


@scenario("handshake: opted out", *ONE_CALL)
async def _(stage: Stage) -> None:
    client = await stage.client()
    methods = ["thread/started", "item/started", "item/tool/call", "thread/status/changed", "no/such"]
    await client.initialize(optOutNotificationMethods=methods)
    await client.start_turn(await client.start_thread(ECHO))
    await client.reply(await client.asked(), OK)
    await client.told("turn/completed")


@scenario("refused: unknown methods and wrong params")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    await client.request("no/such/method")
    await client.request("item/tool/call", {"threadId": NOBODY})
    thread = await client.start_thread()
    await client.told("thread/started")
    for method, params in wrong_params(thread):
        await client.request(method, params)


def wrong_params(thread: str) -> tuple[tuple[str, Any], ...]:
    go = user("go")
    return (
        ("turn/start", {"threadId": thread}),
        ("turn/start", {"input": go}),
        ("turn/start", {"threadId": 5, "input": go}),
        ("turn/start", {"threadId": thread, "input": {}}),
        ("turn/start", {"threadId": thread, "input": ["x"]}),
        ("turn/start", {"threadId": thread, "input": [{"type": "bogus"}]}),
        ("turn/start", {"threadId": thread, "input": [{"type": "text"}]}),
        ("turn/start", {"threadId": thread, "input": [{"text": "x"}]}),
        ("turn/start", {"threadId": "nope", "input": []}),
        ("turn/start", {"threadId": NOBODY, "input": go}),
        ("turn/interrupt", {"threadId": thread}),
        ("turn/interrupt", {"threadId": thread, "turnId": "x"}),
        ("turn/interrupt", {"threadId": NOBODY, "turnId": "x"}),
        ("turn/steer", {"threadId": thread, "input": go}),
        ("turn/steer", {"threadId": thread, "input": go, "expectedTurnId": "x"}),
        ("thread/read", {}),
        ("thread/read", {"threadId": "zz"}),
        ("thread/read", {"threadId": NOBODY}),
        ("thread/read", {"threadId": NOBODY, "includeTurns": True}),
        ("thread/read", {"threadId": thread, "includeTurns": "yes"}),
        ("thread/read", {"threadId": thread, "includeTurns": True}),
        ("thread/read", {"threadId": thread}),
        ("thread/turns/list", {}),
        ("thread/turns/list", {"threadId": "zz"}),
        ("thread/turns/list", {"threadId": NOBODY}),
        ("thread/turns/list", {"threadId": thread}),
        ("thread/turns/list", {"threadId": thread, "sortDirection": "up"}),
        ("thread/turns/list", {"threadId": thread, "limit": "x"}),
        ("thread/items/list", {"threadId": NOBODY}),
        ("thread/items/list", {"threadId": thread}),
        ("thread/resume", {}),
        ("thread/resume", {"threadId": "zz"}),
        ("thread/resume", {"threadId": NOBODY}),
        ("thread/resume", {"threadId": thread}),
        ("thread/fork", {}),
        ("thread/fork", {"threadId": "zz"}),
        ("thread/fork", {"threadId": NOBODY}),
        ("thread/fork", {"threadId": thread}),
        ("thread/start", {"historyMode": "bogus"}),
        ("thread/start", {"ephemeral": 5}),
        ("account/login/start", {}),
        ("account/login/start", {"type": "bogus"}),
        ("account/login/start", {"type": "chatgptAuthTokens"}),
    )


@scenario("refused: an ephemeral thread's history")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    thread = await client.start_thread(ephemeral=True, bogusField=1, persistExtendedHistory=True)
    await client.start_turn(thread)
    await client.told("turn/completed")
    for method in ("thread/read", "thread/resume", "thread/fork", "thread/turns/list", "thread/items/list"):
        await client.request(method, {"threadId": thread, "includeTurns": True})


@scenario("input: params missing or null")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    for number, method in enumerate(
        ("thread/start", "thread/loaded/list", "account/read", "turn/start"), 100
    ):
        await client.send({"id": number, "method": method})
        await client.answer_to(number)
    await client.send({"id": 200, "method": "thread/loaded/list", "params": None})
    await client.answer_to(200)
    await client.send({"id": 201, "method": "thread/loaded/list", "params": []})
    await client.answer_to(201)


@scenario("input: ids of every kind")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    for good in ("a-b", "", "0", 0, -1, 2**53 + 1, 2**63 - 1, -(2**63)):
        await client.send({"jsonrpc": "2.0", "id": good, "method": "thread/loaded/list", "params": {}})
        await client.answer_to(good)
    for bad in (None, 1.5, 1.0, True, 2**63, [1], {"a": 1}):
        await client.send({"id": bad, "method": "thread/loaded/list", "params": {}})
        await client.quiet()


UNREADABLE: Final = (
    *("not json", "{", "[]", "{}", "null", "5", '"x"', "[" * 200),
    '[{"id":77,"method":"thread/loaded/list","params":{}}]',
    '{"foo": 1}',
    '{"id": 88, "method": 5}',
    '{"id": 89, "method": null, "params": {}}',
    '{"method": "bogus/notification"}',
    '{"method": "initialized", "params": {"more": 1}}',
    '{"id": 90, "result": {}}',
    '{"id": 91, "error": {"code": 1, "message": "m"}}',
    '{"id": 92, "method": "thread/loaded/list", "params": {}} trailing',
    '{"id": 93, "method": "thread/loaded/list", "params": {}}{"id": 94}',
    '{"id": 95, "id": 96, "method": "thread/loaded/list", "params": {}}',
    '{"id": 97, "method": "thread/loaded/list", "method": "account/read", "params": {}}',
    '{"id": 98, "method": "thread/loaded/list", "params": {"limit": 1, "limit": 2}}',
    '{"id": 106, "method": "thread/loaded/list", "params": {}, "params": {}}',
    '{"id": 107, "method": "thread/loaded/list", "params": {}, "more": 1, "more": 2}',
    '{"id": 108, "method": "thread/loaded/list", "params": {}, "jsonrpc": 1, "jsonrpc": 2}',
    '{"id": 0, "result": {}, "result": {}}',
    '{"id": 0, "error": {"code": 1, "code": 2, "message": "m"}}',
    '{"id": 109, "method": "thread/loaded/list", "params": {"bogus": "\\udc00"}}',
    '{"id": 110, "method": "thread/loaded/list", "params": {"bogus": "\\ud83d\\ude00"}}',
    '{"id": 99, "method": "thread/loaded/list", "params": {"bogus": NaN}}',
    '{"id": 101, "method": "thread/loaded/list", "params": {"bogus": "\\ud800"}}',
    '{"id": 104, "method": "thread/loaded/list", "params": {"bogus": ' + "[" * 125 + "]" * 125 + "}}",
    '{"id": 105, "method": "thread/loaded/list", "params": {"bogus": ' + "[" * 126 + "]" * 126 + "}}",
    "{'id': 102}",
    "",
    "   ",
    '\ufeff{"id": 103, "method": "thread/loaded/list", "params": {}}',
)


@scenario("input: what can't be read")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    for text in UNREADABLE:
        await client.send(text)
        await client.quiet()


@scenario("input: numbers beyond a double")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    await client.send('{"id": 50, "method": "thread/loaded/list", "params": {"bogus": 1e999}}')
    await client.quiet()


@scenario("input: several requests at once")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    await client.send(
        "\n".join(f'{{"id": {number}, "method": "no", "params": {{}}}}' for number in (50, 51, 52))
    )
    for number in (50, 51, 52):
        await client.answer_to(number)
