"""What the attack has found, each on its own."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from collections.abc import Awaitable, Callable

import pytest

from tests.attack.counting import held
from wiretape.cassette import load_cassette
from wiretape_server.bridge import HEAD, record
from wiretape_server.options import PlayOptions
from wiretape_server.server import Server

CODEX = "codex/dynamic_tool_text"


def served(attack: Callable[[Server], Awaitable[None]]) -> None:
    """Run an attack on a server that plays a codex cassette."""

    async def run() -> None:
        server = Server()
        await server.start()
        try:
            server.add(load_cassette(CODEX), PlayOptions(pace="instant"), key="p")
            async with asyncio.timeout(20):
                await attack(server)
        finally:
            await server.stop()

    asyncio.run(run())


async def asked(server: Server, body: bytes, *headers: str) -> tuple[bytes, bytes]:
    """The head and the body of the provider's answer, on a connection of its own."""
    host, port = server.base_url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = ["POST /play/p/v1/responses HTTP/1.1", "host: x", f"content-length: {len(body)}", *headers]
    writer.write("\r\n".join([*lines, "connection: close", "", ""]).encode() + body)
    answer = await reader.read(-1)
    writer.close()
    head, _, content = answer.partition(b"\r\n\r\n")
    return head, content


def test_a_body_for_the_provider_that_is_not_encoded_as_it_says_is_a_400() -> None:
    async def attack(server: Server) -> None:
        head, body = await asked(server, b"{}", "content-encoding: gzip")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert "content-encoding 'gzip'" in json.loads(body)["error"]["message"]
        head, _ = await asked(server, gzip.compress(b"{}"), "content-encoding: gzip")
        assert head.startswith(b"HTTP/1.1 200 ")

    served(attack)


def test_the_provider_calls_json_what_is_json() -> None:
    async def attack(server: Server) -> None:
        for _ in range(2):
            await asked(server, b"{}")
        head, body = await asked(server, b"{}")  # the cassette has no third step
        assert head.startswith(b"HTTP/1.1 400 ")
        assert b"content-type: text/plain" in head.lower()
        assert body.startswith(b"the cassette has 2 model steps")

    served(attack)


@pytest.mark.parametrize("patience", range(6))
def test_a_client_that_leaves_while_its_app_server_begins_to_listen_leaves_no_socket(patience: int) -> None:
    async def attack(server: Server) -> None:
        before = await held()
        for _ in range(5):
            _, writer = await asyncio.open_connection(*server.bridge_address)
            command = ("p", os.getcwd(), "app-server", "--listen", "ws://127.0.0.1:0")
            writer.write(record(HEAD, b"\0".join(map(str.encode, command))))
            for _ in range(patience):
                await asyncio.sleep(0)
            writer.transport.abort()
        after = await held()
        assert (after.descriptors, after.objects) == (before.descriptors, before.objects)

    served(attack)
