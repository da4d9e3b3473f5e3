"""Turns that end before the model is done: by the client's interrupt, or with the process."""

from __future__ import annotations

import asyncio
from typing import Final

from tests.differential.scenario import NOBODY, OK, ONE_CALL, call, does, says, scenario
from tests.differential.scenarios.turns import asked_of, begun, calls_completed, finished
from tests.differential.stage import Stage
from wiretape.cassette.model import Step

_SETTLED: Final = 0.3
"""Seconds: for a moment the real program has told of a call's end, and not yet kept what it gave."""


@scenario(
    "interrupt: during a call, a late answer, another turn",
    does(call()),
    does(call("call_2", "second")),
    says("done"),
)
async def _(stage: Stage) -> None:
    client, thread, turn = await begun(stage)
    request = await client.asked()
    await client.request("turn/interrupt", {"threadId": thread, "turnId": NOBODY})
    await client.result("turn/interrupt", {"threadId": thread, "turnId": turn})
    await finished(client, thread)
    await client.reply(request, OK)
    await client.quiet()
    await client.start_turn(thread, "after the interrupt")
    await client.reply(await client.asked(2), OK)
    await finished(client, thread, 2)


@scenario("interrupt: two calls, one answered", does(call("call_a", "a"), call("call_b", "b")), says("done"))
async def _(stage: Stage) -> None:
    client, thread, turn = await begun(stage)
    await asked_of(client, "call_b")
    await client.reply(await asked_of(client, "call_a"), OK)
    await calls_completed(client, 1)
    await asyncio.sleep(_SETTLED)
    await client.result("turn/interrupt", {"threadId": thread, "turnId": turn})
    await finished(client, thread)
    await client.start_turn(thread, "again")
    await finished(client, thread, 2)


@scenario("interrupt: while the model is silent", Step(wait="until_interrupt"), says("done"))
async def _(stage: Stage) -> None:
    client, thread, turn = await begun(stage)
    await stage.side.asked.reach(1)
    await client.result("turn/interrupt", {"threadId": thread, "turnId": turn})
    await finished(client, thread)
    await client.start_turn(thread, "again")
    await finished(client, thread, 2)


@scenario("interrupt: after the turn", *ONE_CALL)
async def _(stage: Stage) -> None:
    client, thread, turn = await begun(stage)
    await client.reply(await client.asked(), OK)
    await client.told("turn/completed")
    await client.request("turn/interrupt", {"threadId": thread, "turnId": turn})
