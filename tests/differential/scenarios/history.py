"""What a thread's history shows: in the same process and in the next one, whole and by pages."""

from __future__ import annotations

from typing import Any

from tests.differential.connection import Client
from tests.differential.scenario import ECHO, OK, ONE_CALL, TWO_CALLS, scenario
from tests.differential.scenarios.turns import begun, read
from tests.differential.stage import Stage

LISTS = ("thread/turns/list", "thread/items/list")


async def with_one_call(stage: Stage, **more: Any) -> tuple[Client, str]:
    """A client whose thread has had a turn with a call."""
    client, thread, _ = await begun(stage, **more)
    await client.reply(await client.asked(), OK)
    await client.told("turn/completed")
    return client, thread


async def with_two_turns(stage: Stage, **more: Any) -> tuple[Client, str]:
    client, thread = await with_one_call(stage, **more)
    await client.start_turn(thread, "again")
    await client.reply(await client.asked(2), OK)
    await client.told("turn/completed", 2)
    return client, thread


async def next_process(stage: Stage, client: Client) -> Client:
    """Another process on the same home, once the first has ended."""
    await client.close()
    following = await stage.client()
    await following.initialize()
    return following


for mode in ("paginated", "legacy"):

    @scenario(f"history: of a {mode} thread, read and resumed in a new process", *TWO_CALLS)
    async def _(stage: Stage, mode: str = mode) -> None:
        client, thread = await with_one_call(stage, historyMode=mode)
        await read(client, thread)
        for method in LISTS:
            await client.request(method, {"threadId": thread})
        client = await next_process(stage, client)
        await client.request("thread/list")
        await read(client, thread)
        for method in LISTS:
            await client.request(method, {"threadId": thread})
        await client.request("thread/resume", {"threadId": thread})
        await client.start_turn(thread, "again")
        await client.reply(await client.asked(), OK)
        await client.told("turn/completed")
        await read(client, thread)


@scenario("history: resumed without turns", *TWO_CALLS)
async def _(stage: Stage) -> None:
    client, thread = await with_two_turns(stage)
    client = await next_process(stage, client)
    await client.request("thread/resume", {"threadId": thread, "excludeTurns": True})
    await client.told("thread/goal/cleared")
    await client.request("thread/loaded/list")


@scenario("history: resumed in the same process", *TWO_CALLS)
async def _(stage: Stage) -> None:
    client, thread = await with_one_call(stage)
    await client.request(
        "thread/resume", {"threadId": thread, "dynamicTools": [], "persistExtendedHistory": True}
    )
    await client.start_turn(thread, "again")
    await client.reply(await client.asked(2), OK)
    await client.told("turn/completed", 2)


@scenario("history: pages of one", *TWO_CALLS)
async def _(stage: Stage) -> None:
    client, thread = await with_two_turns(stage)
    for method in LISTS:
        for direction in ("asc", "desc"):
            await all_pages(client, method, {"threadId": thread, "limit": 1, "sortDirection": direction})


async def all_pages(client: Client, method: str, params: dict[str, Any]) -> None:
    cursor = None
    while True:
        page = await client.result(method, {**params, "cursor": cursor})
        cursor = page["nextCursor"]
        if cursor is None:
            return


@scenario("history: views, limits and cursors", *TWO_CALLS)
async def _(stage: Stage) -> None:
    client, thread = await with_two_turns(stage)
    for view in ("full", "summary", "notLoaded", "bogus"):
        await client.request(
            "thread/turns/list", {"threadId": thread, "itemsView": view, "sortDirection": "asc"}
        )
    for limit in (0, 2, 1000, -1, 1.5):
        for method in LISTS:
            await client.request(method, {"threadId": thread, "limit": limit})
    for cursor in ("no-such-cursor", "", 5):
        for method in LISTS:
            await client.request(method, {"threadId": thread, "cursor": cursor})
    for method in LISTS:
        page = await client.result(method, {"threadId": thread, "limit": 1})
        await client.request(method, {"threadId": thread, "cursor": page["backwardsCursor"]})
        await client.request(
            method, {"threadId": thread, "cursor": page["backwardsCursor"], "sortDirection": "desc"}
        )


@scenario("history: threads are listed after their first turn", *ONE_CALL)
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    await client.request("thread/list")
    await client.request("thread/loaded/list")
    thread = await client.start_thread(ECHO)
    await client.request("thread/list")
    await client.start_turn(thread)
    await client.reply(await client.asked(), OK)
    await client.told("turn/completed")
    await client.request("thread/list")
    await client.request("thread/list", {"limit": 1, "bogus": 1})
    await client.request("thread/loaded/list", {"limit": 1})


@scenario("history: a fork has the history and the tools", *TWO_CALLS)
async def _(stage: Stage) -> None:
    client, thread = await with_one_call(stage)
    forked = await client.result("thread/fork", {"threadId": thread})
    fork = forked["thread"]["id"]
    await read(client, fork)
    for method in LISTS:
        await client.request(method, {"threadId": fork})
    await client.request("thread/list")
    await client.request("thread/loaded/list")


@scenario("history: a fork without turns", *TWO_CALLS)
async def _(stage: Stage) -> None:
    client, thread = await with_one_call(stage)
    await client.request("thread/fork", {"threadId": thread, "excludeTurns": True})


@scenario("history: a turn in a fork", *ONE_CALL, *ONE_CALL)  # a real fork's model begins at the first step
async def _(stage: Stage) -> None:
    client, thread = await with_one_call(stage)
    fork = (await client.result("thread/fork", {"threadId": thread}))["thread"]["id"]
    await client.start_turn(fork, "again")
    await client.reply(await client.asked(2), OK)
    await client.told("turn/completed", 2)
    await read(client, fork)
    await read(client, thread)


@scenario("history: read and resumed during a call", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread, _ = await begun(stage)
    request = await client.asked()
    await read(client, thread)
    for method in LISTS:
        await client.request(method, {"threadId": thread})
    await client.request("thread/resume", {"threadId": thread})
    assert (await client.asked(2))["id"] == request["id"]
    await client.reply(request, OK)
    await client.told("turn/completed")


@scenario("history: the process ends during a call", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread, _ = await begun(stage)
    await client.asked()
    client = await next_process(stage, client)
    await read(client, thread)
    await client.request("thread/resume", {"threadId": thread})
    await client.start_turn(thread, "again")
    await client.told("turn/completed")
    await read(client, thread)
