"""A ChatGPT login whose token the model's provider refuses, and what the client does about it."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.connection import Client
from tests.differential.scenario import Script, add, fails, says, scenario
from tests.differential.stage import Stage
from wiretape.codex.environment import unsigned_token

EXPIRED: Final = fails(401, '{"error": {"message": "token expired"}}')
METHOD: Final = "account/chatgptAuthTokens/refresh"


def tokens(serial: int) -> dict[str, Any]:
    token = unsigned_token("org-abc", serial)
    return {"accessToken": token, "chatgptAccountId": "org-abc", "chatgptPlanType": "pro"}


NEW: Final = tokens(2)


async def logged_in(stage: Stage) -> tuple[Client, str]:
    """A client with a login, and a thread of its own."""
    client = await stage.client()
    await client.initialize()
    await client.request("account/login/start", {"type": "chatgptAuthTokens", **tokens(1)})
    await client.told("account/login/completed")
    return client, await client.start_thread()


def refreshing(*answers: dict[str, Any] | str) -> Script:
    """Start a turn, and say this when new tokens are asked for."""

    async def script(stage: Stage) -> None:
        client, thread = await logged_in(stage)
        await client.start_turn(thread)
        await client.asked(method=METHOD)
        for answer in answers:
            await client.send({"id": 0, **answer} if isinstance(answer, dict) else answer)
        await client.told("turn/completed")

    return script


ANSWERS: Final[dict[str, Any]] = {
    "new tokens": {"result": NEW},
    "new tokens without a plan": {"result": {**NEW, "chatgptPlanType": None}},
    "an error": {"error": {"code": -32000, "message": "refresh failed", "data": None}},
    "error -32601": {"error": {"code": -32601, "message": "Method not found"}},
    "no JWT": {"result": {**NEW, "accessToken": "no-token"}},
    "a number for a token": {"result": {**NEW, "accessToken": 5}},
    "an empty object": {"result": {}},
    "null": {"result": None},
    "another account": {"result": {**NEW, "chatgptAccountId": "org-other"}},
}
NO_CODE: Final = '{"id": 0, "error": {"message": "refresh failed"}}'
ONCE: Final = (EXPIRED, says("done"))

for name, answer in ANSWERS.items():
    add(f"refresh: {name}", refreshing(answer), *ONCE, login=True)
add("refresh: refused too", refreshing({"result": NEW}), EXPIRED, *ONCE, login=True)
add("refresh: no answer", refreshing(), *ONCE, login=True)
add("refresh: an error without code", refreshing(NO_CODE), *ONCE, login=True)


@scenario("login: a turn", login=True)
async def _(stage: Stage) -> None:
    client, thread = await logged_in(stage)
    await client.start_turn(thread)
    await client.told("turn/completed")


@scenario("login: refused logins", login=True)
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    for params in (
        {"accessToken": "no-token", "chatgptAccountId": "a"},
        {"accessToken": 5, "chatgptAccountId": "a"},
    ):
        await client.request("account/login/start", {"type": "chatgptAuthTokens", **params})


@scenario("login: none, and none asked for")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    await client.request("account/read")
    await client.request("account/read", {"refreshToken": False})


@scenario("login: the models that there are")
async def _(stage: Stage) -> None:
    client = await stage.client()
    await client.initialize()
    await client.request("model/list")
