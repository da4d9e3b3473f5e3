"""An app-server that listens: several connections, a call that survives one, frames that can't be read."""

from __future__ import annotations

from tests.differential.connection import Client, Websocket
from tests.differential.scenario import ECHO, OK, ONE_CALL, scenario, text_answer
from tests.differential.scenarios.turns import read
from tests.differential.stage import Stage


async def connected(stage: Stage) -> Client:
    client = await stage.websocket()
    await client.initialize()
    return client


async def called(stage: Stage) -> tuple[Client, str]:
    client = await connected(stage)
    thread = await client.start_thread(ECHO)
    await client.start_turn(thread)
    await client.asked()
    return client, thread


@scenario("websocket: one turn", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread = await called(stage)
    await client.reply(await client.asked(), OK)
    await client.told("turn/completed")
    await read(client, thread)


@scenario("websocket: a call outlives its connection", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread = await called(stage)
    await client.close()
    other = await connected(stage)
    await other.request("thread/loaded/list")
    await read(other, thread)
    await other.request("thread/resume", {"threadId": thread})
    await other.reply(await other.asked(), OK)
    await other.told("turn/completed")
    await read(other, thread)


@scenario("websocket: two connections hold one call", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread = await called(stage)
    other = await connected(stage)
    await other.request("thread/resume", {"threadId": thread, "excludeTurns": True})
    await other.reply(await other.asked(), text_answer("from the second"))
    await other.told("turn/completed")
    await client.told("turn/completed")
    await client.reply(await client.asked(), text_answer("too late"))
    await client.quiet()
    await read(client, thread)


@scenario("websocket: who hears of a thread", *ONE_CALL)
async def _(stage: Stage) -> None:
    watcher = await connected(stage)
    silent = await stage.websocket()
    client, _ = await called(stage)
    await client.reply(await client.asked(), OK)
    await client.told("turn/completed")
    await watcher.quiet()
    await silent.request("thread/loaded/list")


@scenario("websocket: ids of the server count over its connections", *ONE_CALL)
async def _(stage: Stage) -> None:
    first, _ = await called(stage)
    second, _ = await called(stage)
    for client in (second, first):
        await client.reply(await client.asked(), OK)
        await client.told("turn/completed")


@scenario("websocket: frames that can't be read")
async def _(stage: Stage) -> None:
    client = await connected(stage)
    line = '{"id": 50, "method": "thread/loaded/list", "params": {}}'
    assert isinstance(client.wire, Websocket)
    await client.wire.socket.send_bytes(line.encode())
    await client.quiet()
    await client.send(line + "\n" + line.replace("50", "51"))
    await client.quiet()
    await client.send(line.replace("50", "52") + "\n")
    await client.answer_to(52)


@scenario("websocket: the server is killed during a call", *ONE_CALL)
async def _(stage: Stage) -> None:
    _, thread = await called(stage)
    await stage.kill()
    client = await connected(stage)
    await read(client, thread)
    await client.request("thread/resume", {"threadId": thread})
    await client.start_turn(thread, "again")
    await client.told("turn/completed")
    await read(client, thread)
