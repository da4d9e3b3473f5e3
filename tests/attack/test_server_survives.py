"""The server under random requests and aborted connections: it stays up, and keeps nothing of them."""

from __future__ import annotations

import ast
import asyncio
import logging
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from tests.attack.codex_peer import over_bridge, over_websocket
from tests.attack.counting import Held, descriptors, held
from tests.attack.peer import Answer, talk
from tests.attack.traffic import Script, script
from wiretape.cassette import load_cassette
from wiretape_server.converse import converse
from wiretape_server.options import PlayOptions
from wiretape_server.refusals import REFUSALS
from wiretape_server.server import Server

REQUESTS = 10_000
WARM_UP = 1_000
CLIENTS = 24
"""At once."""
PAGE = Path(__file__).parents[2] / "docs" / "server-answers.md"
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|", re.MULTILINE)
BREAKS = ["cut-inside@event:4", "reset@byte:900", "bad-chunk@event:3", "early-end@event:5"]
BREAKING = "breaking"
"""A play whose answers come to no end."""
CODEX = "codex/dynamic_tool_text"
PLAYS: dict[str, tuple[str, PlayOptions]] = {
    "alefita_way": ("alefita_way", PlayOptions(pace="instant")),
    "plain_answer": ("plain_answer", PlayOptions(pace="instant", strict=True)),
    "server_tool": ("server_tool", PlayOptions(pace="instant")),
    "strict": ("two_calls", PlayOptions(pace="instant", strict=True)),
    BREAKING: ("plain_answer", PlayOptions.parse(pace="instant", faults=BREAKS)),
    CODEX: (CODEX, PlayOptions(pace="instant")),
}
"""Address to cassette and options."""
REFUSING = {
    f"refuses/{kind}": ("two_calls", PlayOptions.parse(pace="instant", faults=[f"{kind}@request:*"]))
    for kind in REFUSALS
}
"""Plays that give one refusal for every request that can get it."""
QUIET = {"quiet": ("plain_answer", PlayOptions())}
"""A play that nobody plays: the inspector shows it."""


def documented() -> set[Answer]:
    return {*ROW.findall(PAGE.read_text("utf-8"))}


class Stage:
    """A server with plays, and clients that attack it."""

    def __init__(self, server: Server, random: Random) -> None:
        self.server, self.random = server, random
        host, port = server.base_url.removeprefix("http://").split(":")
        self.address = host, int(port)
        self.seen: Counter[Answer] = Counter()
        self.known: list[str] = []
        self.sent = 0

    async def round(self, requests: int) -> None:
        """Let clients send this many requests to new plays, which end with the round."""
        plays = [
            self.server.add(load_cassette(name), options, key=key)
            for key, (name, options) in (PLAYS | REFUSING | QUIET).items()
        ]
        end = self.sent + requests
        async with asyncio.TaskGroup() as group:
            for _ in range(CLIENTS):
                group.create_task(self._client(end))
        assert [error for play in plays for error in play.errors if "the server failed" in error] == []
        for play in plays:
            await self.server.remove(play.key)

    async def serves(self) -> bool:
        """Whether a client that does everything right is served as if nothing had been."""
        play = self.server.add(load_cassette("plain_answer"), PlayOptions(pace="instant"))
        request = f"GET /play/{play.key}/backend-api/ios/attestation_challenge HTTP/1.1\r\nhost: x\r\n"
        right = Script(
            pieces=(f"{request}connection: close\r\n\r\n".encode(),), methods=("GET",), ending="read"
        )
        return await talk(self.address, right, []) == [("200", "JSON")]

    async def _client(self, end: int) -> None:
        while self.sent < end:
            del self.known[:-50]
            await self._attack()

    async def _attack(self) -> None:
        chance = self.random.random()
        if chance < 0.03:
            path = f"/play/{CODEX}/codex"
            sent, answers = await over_websocket(self.address, path, self.random)
        elif chance < 0.06:
            play = self.random.choice((CODEX, CODEX, "alefita_way", "x"))
            sent, answers = await over_bridge(self.server.bridge_address, play, self.random)
        else:
            key = self.random.choice([*(PLAYS if chance < 0.9 else REFUSING)])
            attack = script(self.random, f"/play/{key}", self.known)
            sent = len(attack.methods)
            answers = await talk(self.address, attack, self.known, broken=key == BREAKING)
        self.sent += sent
        self.seen.update(answers)


async def attacked(seed: int) -> Stage:
    """A server that has met everything, after it was seen to keep nothing."""
    server = Server()
    await server.start()
    try:
        stage = Stage(server, Random(seed))
        await stage.round(WARM_UP)
        before = await held()
        await stage.round(REQUESTS)
        after = await held()
        assert (after.tasks, after.descriptors) == (before.tasks, before.descriptors)
        assert after.objects == before.objects
        # Bounded caches may fill; one object kept of each request would be more than twice as much.
        assert after.blocks - before.blocks < REQUESTS // 2, "memory that grows with the requests"
        assert await stage.serves()
        return stage
    finally:
        await server.stop()


def undocumented(seen: Iterable[Answer]) -> set[Answer]:
    """Answers that the page does not have; one without a body may be any, to HEAD."""
    known = documented()
    statuses = {status for status, _ in known}
    return {(status, sort) for status, sort in seen if (status, sort) not in known} - {
        (status, "empty") for status in statuses
    }


@pytest.fixture
def _nothing_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that is captured keeps every connection that is in a traceback."""
    monkeypatch.setattr(logging.getLogger("wiretape_server.http"), "disabled", True)


@pytest.mark.usefixtures("_nothing_is_logged")
def test_ten_thousand_random_requests_leave_a_server_as_it_was() -> None:
    stage = asyncio.run(attacked(seed=5))
    assert stage.sent >= REQUESTS
    assert len(stage.seen) > 25
    assert undocumented(stage.seen) == set()


def test_an_answer_that_the_page_does_not_have_is_noticed() -> None:
    assert undocumented([("404", "`unknown_path`"), ("418", "text"), ("404", "`teapot`")]) == {
        ("418", "text"),
        ("404", "`teapot`"),
    }


def test_what_a_server_still_holds_is_noticed() -> None:
    async def open_one() -> tuple[Held, Held]:
        server = Server()
        await server.start()
        before = await held()
        play = server.add(load_cassette("plain_answer"), PlayOptions(pace="instant"))
        _, writer = await asyncio.open_connection(*server.base_url.removeprefix("http://").split(":"))
        writer.write(b"POST /play/x HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n")
        after = await held()
        writer.close()
        await server.remove(play.key)
        await server.stop()
        return before, after

    before, after = asyncio.run(open_one())
    assert after.descriptors > before.descriptors or not descriptors()
    assert after.objects - before.objects >= Counter({"Play": 1, "RequestHandler": 1})


SERVER = Path(converse.__code__.co_filename).parent


def refusals() -> set[Answer]:
    """What the sources refuse requests with, by status and code."""
    found = set()
    for path in SERVER.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "RefusedError":
                status, code = call.args[:2]
                if isinstance(status, ast.Constant) and isinstance(code, ast.Constant):
                    found.add((str(status.value), f"`{code.value}`"))
    return found


def test_every_refusal_in_the_sources_is_on_the_page() -> None:
    assert len(refusals()) > 10
    assert refusals() <= documented()
