"""Random clients of an app-server: over a websocket or a bridge, right for a while and then wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from tests.attack.peer import LIMIT, Answer, HungError, reset
from wiretape_server.bridge import EXIT, HEAD, HEADER_SIZE, STDOUT, record

_HANDSHAKE: Final = (
    "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n"
    "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
_ME: Final = {"clientInfo": {"name": "x", "version": "1"}, "capabilities": {"experimentalApi": True}}
_TOOL: Final = {"type": "function", "name": "demo_echo", "description": "", "inputSchema": {"type": "object"}}
_METHODS: Final = (
    *("thread/start", "thread/list", "thread/read", "thread/resume", "thread/fork", "thread/archive"),
    *("turn/start", "turn/interrupt", "turn/steer", "model/list", "account/read", "initialize"),
    *("thread/turns/list", "account/login/start", "config/read", "no/such", ""),
)
_PARAMS: Final = (
    {},
    None,
    [],
    5,
    {"threadId": "x"},
    {"threadId": None},
    {"dynamicTools": 5},
    {"cursor": "x"},
)
_GARBAGE: Final = (
    *(b"", b"{", b"[]", b"null", b"5", b"\xff\xfe", b"{}", b'{"id": 1}', b'{"method": 5}', b"[" * 9000),
    *(b'{"id": 0, "result": {}}', b'{"id": 77, "error": {}}', b'{"id": null, "method": "model/list"}'),
    *(b"x" * 70000, b'{"id": 1, "id": 2, "method": "model/list"}', b'{"id": 1e400, "method": "x"}'),
)
_RESULTS: Final = (
    {"result": {"contentItems": [{"type": "inputText", "text": "hi"}], "success": True}},
    {"result": {"output": "hi"}},
    {"result": None},
    {"error": {"code": -32000, "message": "no"}},
    {"error": 5},
)
_ARGUMENTS: Final = (
    *(["app-server"], ["app-server"], ["app-server"], ["app-server", "--listen", "ws://127.0.0.1:0"]),
    *(["--version"], ["exec"], ["app-server", "--nope"], [], ["app-server", "--ws-auth", "x"], ["\udcff"]),
)


class Talk:
    """One client: what it has heard of threads, turns and calls, and what it says next."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.threads: list[str] = []
        self.turns: list[dict[str, Any]] = []
        self.asked: list[Any] = []
        self.codes: list[Answer] = []
        self.number = 0

    def hear(self, data: bytes) -> None:
        """Learn from a message of the server's."""
        said = json.loads(data)
        if "error" in said:
            self.codes.append((str(said["error"]["code"]), "JSON-RPC error"))
        result = said.get("result")
        if isinstance(result, dict) and isinstance(result.get("thread"), dict):
            self.threads.append(result["thread"]["id"])
        if "method" in said and "id" in said:
            self.asked.append(said["id"])
        if said.get("method") == "turn/started":
            params = said["params"]
            self.turns.append({"threadId": params["threadId"], "turnId": params["turn"]["id"]})

    def opening(self) -> Iterator[bytes]:
        """What most clients begin with."""
        if self.random.random() < 0.8:
            yield self.request("initialize", _ME)
            yield b'{"method": "initialized"}'
            yield self.request("thread/start", {"dynamicTools": [_TOOL]})

    def next(self) -> bytes:
        """A message that fits, or any other."""
        chance = self.random.random()
        if self.asked and chance < 0.3:
            return _written({"id": self.asked.pop(0), **self.random.choice(_RESULTS)})
        if self.threads and chance < 0.6:
            thread = self.random.choice(self.threads)
            return self.request("turn/start", {"threadId": thread, "input": [{"type": "text", "text": "x"}]})
        if self.turns and chance < 0.7:
            return self.request("turn/interrupt", self.random.choice(self.turns))
        if chance < 0.85:
            return self.request(self.random.choice(_METHODS), self.random.choice(_PARAMS))
        return self.random.choice(_GARBAGE)

    def request(self, method: str, params: object) -> bytes:
        self.number += 1
        return _written({"id": self.number, "method": method, "params": params})


def _written(value: object) -> bytes:
    return json.dumps(value).encode()


async def over_websocket(address: tuple[str, int], path: str, random: Random) -> tuple[int, list[Answer]]:
    """Connect, talk, and leave in some way; how many messages were sent, and what they met."""
    reader, writer = await asyncio.open_connection(*address)
    talk, sent = Talk(random), 0
    writer.write(_HANDSHAKE.format(path=path).encode())
    try:
        async with asyncio.timeout(LIMIT):
            head = await reader.readuntil(b"\r\n\r\n")
            talk.codes.append((head.split(b" ")[1].decode(), "websocket"))
            for data in (*talk.opening(), *(b"" for _ in range(random.choice((1, 5, 20))))):
                writer.write(_frame(data or talk.next(), random))
                await writer.drain()
                sent += 1
                await _hear_frames(reader, talk)
            chance = random.random()
            if chance < 0.6:
                writer.write(
                    random.randbytes(20) if chance < 0.2 else b""
                )  # the begin of a frame, for all we know
                reset(writer)
            else:
                writer.write(_framed(b"\x03\xe8", 0x88))
                await reader.read(-1)
    except TimeoutError:
        raise HungError(f"no end within {LIMIT} s over a websocket") from None
    except (OSError, EOFError):
        pass  # the server hung up on what is no websocket
    finally:
        writer.close()
    return sent, talk.codes


def _frame(data: bytes, random: Random, opcode: int = 1) -> bytes:
    """A websocket frame, masked with zeros; sometimes one of another kind, or in two parts."""
    chance = random.random()
    if chance < 0.05:
        opcode = random.choice((0, 2, 3, 8, 9, 10, 15))
    if chance < 0.10 and opcode == 1 and len(data) > 1:
        half = len(data) // 2
        return _framed(data[:half], 0x01) + _framed(data[half:], 0x80)
    return _framed(data, 0x80 | opcode)


def _framed(data: bytes, first: int) -> bytes:
    size = len(data)
    if size < 126:
        return bytes([first, 0x80 | size]) + bytes(4) + data
    if size < 1 << 16:
        return bytes([first, 0x80 | 126]) + size.to_bytes(2, "big") + bytes(4) + data
    return bytes([first, 0x80 | 127]) + size.to_bytes(8, "big") + bytes(4) + data


async def _hear_frames(reader: asyncio.StreamReader, talk: Talk) -> None:
    """Take what has come."""
    await asyncio.sleep(0)
    while True:
        try:
            async with asyncio.timeout(0.002):
                first, second = await reader.readexactly(2)
        except TimeoutError:
            return
        size = second & 127
        if size > 125:
            size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
        data = await reader.readexactly(size)
        if first & 15 == 1:
            talk.hear(data)
        elif first & 15 == 8:
            raise EOFError


async def over_bridge(address: tuple[str, int], play: str, random: Random) -> tuple[int, list[Answer]]:
    """Start an app-server through a bridge, talk, and leave in some way."""
    reader, writer = await asyncio.open_connection(*address)
    talk, sent = Talk(random), 0
    arguments = random.choice(_ARGUMENTS)
    head = [part.encode("utf-8", "surrogateescape") for part in (play, "/tmp", *arguments)]
    data = record(HEAD, b"\0".join(head)) if random.random() < 0.9 else random.randbytes(40)
    try:
        async with asyncio.timeout(LIMIT):
            writer.write(data)
            for line in (*talk.opening(), *(b"" for _ in range(random.choice((1, 5, 20))))):
                writer.write((line or talk.next()) + b"\n")
                await writer.drain()
                await asyncio.sleep(0)
                sent += 1
            if random.random() < 0.5:
                reset(writer)
            else:
                writer.write_eof()
                talk.codes += _records(await reader.read(-1), talk)
    except TimeoutError:
        raise HungError(f"no end within {LIMIT} s of a bridge with {arguments}") from None
    except OSError:
        pass  # the server hung up on a stranger
    finally:
        writer.close()
    return sent, talk.codes


def _records(data: bytes, talk: Talk) -> Iterator[Answer]:
    while data:
        kind, size = data[:1], int.from_bytes(data[1:HEADER_SIZE], "big")
        content, data = data[HEADER_SIZE : HEADER_SIZE + size], data[HEADER_SIZE + size :]
        if kind == EXIT:
            yield f"exit {content.decode()}", "bridge"
        elif kind == STDOUT and content.startswith(b"{"):
            talk.hear(content)
