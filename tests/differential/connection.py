"""A client that sends exactly what it is told, checks nothing, and keeps whatever it hears, in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, Protocol, TypeVar

import aiohttp

from wiretape.jsonrpc import LineDecoder

Found = TypeVar("Found")

PATIENCE: Final = 20.0
"""Seconds for whatever a script waits for."""
_EXIT: Final = 5.0
"""Seconds for a process to end once its stdin is closed."""


class StuckError(Exception):
    """What a script waits for did not come."""


class Wire(Protocol):
    """Carries messages, each a text without newline."""

    async def write(self, text: str) -> None: ...

    def messages(self) -> AsyncIterator[bytes]:
        """Give messages until the other side has ended."""

    async def close(self) -> None:
        """End, and wait until the other side has."""


class Pipes:
    """An app-server process over stdio."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def write(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode() + b"\n")
        await self._process.stdin.drain()

    async def messages(self) -> AsyncIterator[bytes]:
        assert self._process.stdout is not None
        lines = LineDecoder()
        while piece := await self._process.stdout.read(1 << 16):
            for line in lines.feed(piece):
                yield line

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _EXIT)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


class Websocket:
    """A connection to an app-server that listens."""

    def __init__(self, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._session = session
        self.socket = socket

    @classmethod
    async def open(cls, url: str) -> Websocket:
        session = aiohttp.ClientSession()
        return cls(session, await session.ws_connect(url, max_msg_size=0))

    async def write(self, text: str) -> None:
        await self.socket.send_str(text)

    async def messages(self) -> AsyncIterator[bytes]:
        async for message in self.socket:
            yield message.data.encode()

    async def close(self) -> None:
        await self.socket.close()
        await self._session.close()


class Client:
    """One connection. ``heard`` holds the server's messages, ``sent`` its own that are JSON objects."""

    def __init__(self, name: str, wire: Wire) -> None:
        self.name = name
        self.wire = wire
        self.heard: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        self._ended = False
        self._id = 0
        self._news = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for data in self.wire.messages():
            self.heard.append(json.loads(data))
            self._news.set()
        self._ended = True
        self._news.set()

    async def close(self) -> None:
        """Leave; over stdio the process ends with it."""
        await self.wire.close()
        await self._reader

    # sending

    async def send(self, message: Any) -> None:
        """Send a message, or a text as it is."""
        if isinstance(message, dict):
            self.sent.append(message)
        await self.wire.write(message if isinstance(message, str) else json.dumps(message))

    async def request(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and wait for its answer, a result or an error."""
        self._id += 1
        number = self._id
        await self.send({"id": number, "method": method, "params": {} if params is None else params})
        return await self.answer_to(number)

    async def result(self, method: str, params: Any = None) -> Any:
        answer = await self.request(method, params)
        if "result" not in answer:
            raise StuckError(f"{self.name}: {method} was refused: {answer}")
        return answer["result"]

    async def quiet(self) -> None:
        """Wait until the server has taken everything sent so far."""
        await self.request("thread/loaded/list")

    async def initialize(self, **capabilities: Any) -> None:
        """Do the handshake, with experimentalApi unless told otherwise."""
        info = {"name": "demo_client", "title": "Demo", "version": "0.0.1"}
        given = {"experimentalApi": True, **capabilities}
        await self.result("initialize", {"clientInfo": info, "capabilities": given})
        await self.send({"method": "initialized"})

    async def start_thread(self, *tools: Any, **more: Any) -> str:
        declared = {"dynamicTools": list(tools)} if tools else {}
        return str((await self.result("thread/start", {**declared, **more}))["thread"]["id"])

    async def start_turn(self, thread: str, text: str = "go") -> str:
        params = {"threadId": thread, "input": user(text)}
        return str((await self.result("turn/start", params))["turn"]["id"])

    async def reply(self, request: dict[str, Any], result: Any) -> None:
        await self.send({"id": request["id"], "result": result})

    # hearing

    async def answer_to(self, number: Any) -> dict[str, Any]:
        def found() -> dict[str, Any] | None:
            answers = (each for each in self.heard if "method" not in each)
            return next((each for each in answers if each.get("id") == number), None)

        return await self.until(found, f"the answer to request {number}")

    async def asked(self, count: int = 1, method: str = "item/tool/call") -> dict[str, Any]:
        """Wait for the server's request of this method with this number, from 1."""
        return await self._nth(count, method, lambda each: "id" in each)

    async def told(self, method: str, count: int = 1) -> dict[str, Any]:
        """Wait for the notification of this method with this number, from 1."""
        return await self._nth(count, method, lambda each: "id" not in each)

    async def _nth(self, count: int, method: str, wanted: Callable[[Any], bool]) -> dict[str, Any]:
        def found() -> dict[str, Any] | None:
            matching = [each for each in self.heard if each.get("method") == method and wanted(each)]
            return matching[count - 1] if len(matching) >= count else None

        return await self.until(found, f"{method}, number {count}")

    async def until(self, look: Callable[[], Found | None], what: str) -> Found:
        """Look again after each message. Raises StuckError after PATIENCE, or when the server has ended."""
        try:
            async with asyncio.timeout(PATIENCE):
                while (found := look()) is None:
                    if self._ended:
                        raise StuckError(f"{self.name}: the server ended before {what}")
                    self._news.clear()
                    await self._news.wait()
                return found
        except TimeoutError:
            last = [each.get("method", "an answer") for each in self.heard[-5:]]
            raise StuckError(f"{self.name}: no {what} in {PATIENCE:g} s; heard last: {last}") from None


def user(text: str) -> list[dict[str, Any]]:
    """What a user says, as the ``input`` of turn/start."""
    return [{"type": "text", "text": text}]
