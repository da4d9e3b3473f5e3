"""Turns: what the user says, what the model says, several calls, the provider's failures."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.connection import Client, user
from tests.differential.scenario import (
    ECHO,
    NOBODY,
    OK,
    ONE_CALL,
    TWO_CALLS,
    Script,
    add,
    call,
    does,
    fails,
    says,
    scenario,
    text_answer,
)
from tests.differential.stage import Stage
from wiretape.cassette.model import ModelText


async def begun(stage: Stage, *tools: Any, **more: Any) -> tuple[Client, str, str]:
    """Start a turn; give the client, the thread and the turn."""
    client = await stage.client()
    await client.initialize()
    thread = await client.start_thread(*(tools or (ECHO,)), **more)
    return client, thread, await client.start_turn(thread)


async def read(client: Client, thread: str) -> None:
    await client.request("thread/read", {"threadId": thread, "includeTurns": True})


async def finished(client: Client, thread: str, turns: int = 1) -> None:
    """Read on to a turn's end, and look what is kept."""
    await client.told("turn/completed", turns)
    await read(client, thread)


def answering(calls: int) -> Script:
    """Answer that many calls of one turn, one by one."""

    async def script(stage: Stage) -> None:
        client, thread, _ = await begun(stage)
        for number in range(1, calls + 1):
            await client.reply(await client.asked(number), OK)
        await finished(client, thread)

    return script


LOOK: Final = ModelText(text="I look.", id="msg_1")
TWO_TEXTS: Final = does(ModelText(text="One.", id="msg_1"), ModelText(text="Two.", id="msg_2"))

add("turn: a text", answering(0))
add("turn: a text in pieces", answering(0), says("one two three", deltas=("one t", "wo th", "ree")))
add("turn: two texts", answering(0), TWO_TEXTS)
add("turn: a text before a call", answering(1), does(LOOK, call()), says("done", "msg_2"))
add("turn: a second round of calls", answering(2), does(call()), does(call("call_2")), says("done"))


def inputs(*given: Any) -> Script:
    """Start a turn with this input."""

    async def script(stage: Stage) -> None:
        client = await stage.client()
        await client.initialize()
        thread = await client.start_thread()
        await client.request("turn/start", {"threadId": thread, "input": list(given)})
        await finished(client, thread)

    return script


ELEMENTS: Final = {"type": "text", "text": "b", "text_elements": []}
add("turn: no input", inputs())
add("turn: several inputs", inputs(*user("a"), ELEMENTS, {"type": "text", "text": "c", "more": 1}))


@scenario("turn: two turns, two calls", *TWO_CALLS)
async def _(stage: Stage) -> None:
    client, thread, _ = await begun(stage)
    await client.reply(await client.asked(), OK)
    await finished(client, thread)
    await client.start_turn(thread, "again")
    await client.reply(await client.asked(2), text_answer("second"))
    await finished(client, thread, 2)


@scenario("turn: two threads in one process", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, first, _ = await begun(stage)
    await client.asked()
    second = await client.start_thread(ECHO)
    await client.start_turn(second)
    await client.reply(await client.asked(2), text_answer("second"))
    await client.told("turn/completed")
    await client.reply(await client.asked(1), text_answer("first"))
    await client.told("turn/completed", 2)
    for thread in (first, second):
        await read(client, thread)


PARALLEL: Final = does(*(call(f"call_{each}", each) for each in "abc"))


@scenario("parallel: three calls, answered from the last to the first", PARALLEL, says("done"))
async def _(stage: Stage) -> None:
    client, thread, _ = await begun(stage)
    for count, each in enumerate("cba", 1):
        await client.reply(await asked_of(client, f"call_{each}"), text_answer(f"r-{each}"))
        await calls_completed(client, count)
    await finished(client, thread)


@scenario(
    "parallel: one of two calls can't be made",
    does(call("call_a", tool="no_such_tool"), call("call_b")),
    says("done"),
)
async def _(stage: Stage) -> None:
    client, thread, _ = await begun(stage)
    await client.reply(await client.asked(), OK)
    await finished(client, thread)


async def asked_of(client: Client, call_id: str) -> dict[str, Any]:
    """Wait for the request that makes this call."""

    def found() -> dict[str, Any] | None:
        requests = (each for each in client.heard if each.get("method") == "item/tool/call")
        return next((each for each in requests if each["params"]["callId"] == call_id), None)

    return await client.until(found, f"the request for {call_id}")


async def calls_completed(client: Client, count: int) -> None:
    """Wait for the end of that many calls."""

    def found() -> bool | None:
        completed = (each for each in client.heard if each.get("method") == "item/completed")
        kinds = [each["params"]["item"]["type"] for each in completed]
        return kinds.count("dynamicToolCall") >= count or None

    await client.until(found, f"the end of call {count}")


@scenario("steer: during a call", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread, turn = await begun(stage)
    request = await client.asked()
    for expected in (NOBODY, turn):
        params = {"threadId": thread, "input": user("more"), "expectedTurnId": expected}
        await client.request("turn/steer", params)
    await client.reply(request, OK)
    await finished(client, thread)


@scenario("steer: a second turn/start joins the turn", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread, _ = await begun(stage)
    request = await client.asked()
    await client.start_turn(thread, "more")
    await client.reply(request, OK)
    await finished(client, thread)


async def failing(stage: Stage) -> None:
    """Answer a call, hear of the provider's failure, try again."""
    client, thread, _ = await begun(stage)
    await client.reply(await client.asked(), OK)
    await finished(client, thread)
    await client.start_turn(thread, "again")
    await finished(client, thread, 2)


ERROR: Final = '{"error": {"message": "no key", "type": "invalid_request_error"}}'
for status in (400, 401, 403, 404, 409, 418, 429, 500, 503):
    add(f"provider: HTTP {status} with an error body", failing, does(call()), fails(status, ERROR), says("x"))
    add(f"provider: HTTP {status} with an empty body", failing, does(call()), fails(status), says("x"))
for status in (400, 401, 500):
    add(f"provider: HTTP {status} with a text", failing, does(call()), fails(status, "a text"), says("x"))
