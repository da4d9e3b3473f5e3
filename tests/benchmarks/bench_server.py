"""P4 to P7: what playing costs the server, against aiohttp, pytest-httpserver and a bare Protocol."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from tests.benchmarks.measure import Child, Line, at_most, compare
from tests.benchmarks.served import PATH, SETTLED
from tests.server.making import user_turn
from wiretape.flow_a.stream import decode

GOALS = ("P4", "P5", "P6", "P7")

REPLAYED = 303
"""Events of the answer that P4 replays."""
STREAMS = 1000
REQUEST = {
    "supported_encodings": ["v1"],
    "thinking_effort": "standard",
    "timezone": "Etc/UTC",
    "timezone_offset_min": 0,
    "client_prepare_state": "failure",
    "local_function_signatures": [
        {
            "description": "Hands the request over.",
            "name": "handoff",
            "params": [
                {"name": name, "required": True, "type": {"description": name, "type": "string"}}
                for name in ("prompt", "reason")
            ],
            "type": "kwargs",
        }
    ],
}
"""What a conforming request has beside its message, but for the challenge: only one server has one."""
_AT_ONCE = 40


class Served:
    """A server in a child process."""

    def __init__(self, variant: str, events: int, delay_ms: float = 0.0) -> None:
        command = [sys.executable, "-m", "tests.benchmarks.served", variant, str(events), str(delay_ms)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # pytest-httpserver logs every request there
            encoding="ascii",
        )

    def ask(self, command: str) -> Any:
        """Give a command and wait for its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(command, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def replay(self, count: int, *, kept: bool) -> Child:
        """Let clients read ``count`` streams and judge them; CPU is the server's."""
        base_url = self.ask("play")
        began = self.ask("cpu")
        bodies = asyncio.run(_read_all(base_url, count, _AT_ONCE, kept=kept))
        self.ask("judge")
        return Child(cpu=self.ask("cpu") - began, content=_told_alike(bodies))

    def pace(self) -> Child:
        """Let a thousand clients read a stream each; CPU is the server's once all are open."""
        base_url = self.ask("play")
        began = 0.0

        def settled() -> None:
            nonlocal began
            began = self.ask("cpu")

        bodies = asyncio.run(_read_all(base_url, STREAMS, STREAMS, spread=SETTLED / 2, after=settled))
        return Child(cpu=self.ask("cpu") - began, content=_told_alike(bodies))

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def served(variants: dict[str, Served]) -> Iterator[dict[str, Served]]:
    try:
        yield variants
    finally:
        for each in variants.values():
            each.close()


async def _read_all(
    base_url: str,
    count: int,
    at_once: int,
    *,
    kept: bool = False,
    spread: float = 0.0,
    after: Callable[[], None] | None = None,
) -> list[bytes]:
    """Read ``count`` answers, ``at_once`` at a time, over connections that are ``kept`` or made for each.

    They begin within ``spread`` seconds, and ``after`` is called when SETTLED is over.
    """
    share, step = count // at_once, spread / at_once
    settling = asyncio.create_task(_after(SETTLED, after)) if after else None
    some = await asyncio.gather(
        *(_read_some(base_url, share, kept, index * step) for index in range(at_once))
    )
    if settling is not None:
        await settling
    return [body for bodies in some for body in bodies]


async def _after(seconds: float, call: Callable[[], None]) -> None:
    await asyncio.sleep(seconds)
    await asyncio.to_thread(call)


async def _read_some(base_url: str, count: int, kept: bool, wait: float) -> list[bytes]:
    await asyncio.sleep(wait)
    bodies: list[bytes] = []
    connection = None
    for _ in range(count):
        if connection is None or not kept or connection[0].at_eof():
            connection = await _connect(base_url)
        connection[1].write(_request(base_url))
        bodies.append(await _answer(connection[0]))
        if not kept:
            connection[1].close()
    return bodies


async def _connect(base_url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(base_url)
    return await asyncio.open_connection(parts.hostname, parts.port, limit=2**20)


def _request(base_url: str) -> bytes:
    parts = urlsplit(base_url)
    body = json.dumps(REQUEST | user_turn("Say a few hundred words.")).encode()
    head = f"POST {parts.path.rstrip('/')}{PATH} HTTP/1.1\r\nhost: {parts.netloc}\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def _answer(reader: asyncio.StreamReader) -> bytes:
    """The raw answer, up to the last chunk or the end of the connection."""
    pieces: list[bytes] = []
    end = b""
    while not end.endswith(b"\r\n0\r\n\r\n") and (piece := await reader.read(2**18)):
        pieces.append(piece)
        end = end[-7:] + piece
    return b"".join(pieces)


def _told_alike(bodies: list[bytes]) -> tuple[int, str, int]:
    """What every client has got. Raises AssertionError when they did not get the same."""
    told = {_told(body) for body in bodies}
    assert len(told) == 1, f"{len(told)} different streams"
    return told.pop()


def _told(answer: bytes) -> tuple[int, str, int]:
    """What a client has got: length and text, the same whatever ids were made; and in how many chunks."""
    head, _, rest = answer.partition(b"\r\n\r\n")
    if b"chunked" not in head:
        return len(rest), _text(rest), 0
    chunks: list[bytes] = []
    while True:
        size, _, rest = rest.partition(b"\r\n")
        if not int(size, 16):
            break
        chunks.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]
    body = b"".join(chunks)
    return len(body), _text(body), len(chunks)


def _text(body: bytes) -> str:
    return str(decode(body)["messages"][0]["content"]["parts"][0])


def run() -> Iterator[Line]:
    yield from replay()
    yield from paced("P5", events=60, delay_ms=100.0, cpu_to_raw=1.35)
    yield from paced("P6", events=200, delay_ms=20.0, cpu_to_raw=1.15)
    yield from memory()


def replay() -> Iterator[Line]:
    """P4: all chunks at once, with matching, transcript and every rule."""
    names = ("wiretape", "aiohttp", "httpserver", "raw")
    for kept, how in ((True, "connections kept"), (False, "a connection each")):
        with served({name: Served(name, REPLAYED) for name in names}) as servers:
            ratios = compare(
                {name: partial(each.replay, 200, kept=kept) for name, each in servers.items()},
                equal=lambda one, other: one[:2] == other[:2],  # type: ignore[index]
            )
        what = f"replay of {REPLAYED} chunks, {how}"
        yield ratios.at_most("P4", what, 0.20, of="wiretape", to="aiohttp")
        yield ratios.at_most("P4", what, 0.15, of="wiretape", to="httpserver")
        yield ratios.at_most("P4", what, 6.0, of="wiretape", to="raw")


def paced(goal: str, *, events: int, delay_ms: float, cpu_to_raw: float) -> Iterator[Line]:
    """P5 and P6: a thousand streams at once; CPU per event, and how late each was written."""
    late: dict[str, list[float]] = {}
    names = ("wiretape", "raw", "aiohttp")
    with served({name: Served(name, events, delay_ms) for name in names}) as servers:

        def pace(name: str) -> Child:
            done = servers[name].pace()
            late.setdefault(name, []).append(_p99(servers[name].ask("late")))
            return done

        ratios = compare({name: partial(pace, name) for name in names})
    what = f"{STREAMS} streams, {1000 / delay_ms:g} events/s each"
    yield ratios.at_most(goal, f"CPU per event, {what}", cpu_to_raw, of="wiretape", to="raw")
    if goal == "P5":
        yield ratios.at_most(goal, f"CPU per event, {what}", 0.70, of="wiretape", to="aiohttp")
    yield _lateness(goal, what, {name: median(values) for name, values in late.items()})


def _lateness(goal: str, what: str, p99: dict[str, float]) -> Line:
    figure = p99["wiretape"] / p99["raw"]
    note = ", ".join(f"{name} {milliseconds:.1f} ms" for name, milliseconds in p99.items())
    if goal == "P5":
        return at_most(goal, f"p99 lateness, {what}", figure, 1.25, unit="×", note=note)
    return Line(goal=goal, what=f"p99 lateness, {what}", figure=figure, target=None, note=note)


def _p99(late: list[float]) -> float:
    return late[len(late) * 99 // 100]


def memory() -> Iterator[Line]:
    """P7: what one more open stream holds; the cassette's frames are shared."""
    held = {(name, events): _held(name, events) for name in ("wiretape", "raw") for events in (30, 3000)}
    ours, raw = held["wiretape", 30], held["raw", 30]
    note = (
        f"{ours:.1f} KB; raw {raw:.1f} KB; with a hundred times the cassette {held['wiretape', 3000]:.1f} KB"
    )
    yield at_most("P7", "memory of an open stream, to raw", ours / raw, 3.2, unit="×", note=note)
    yield at_most("P7", "memory of an open stream", ours, 16, unit="KB", note=note)


def _held(name: str, events: int) -> float:
    """KB per open stream, over a thousand of them."""
    with served({name: Served(name, events, 3_600_000.0)}) as servers:
        server = servers[name]
        base_url = server.ask("play")
        asyncio.run(_opened(base_url, 20))
        before = server.ask("rss")
        return (
            float(asyncio.run(_opened(base_url, STREAMS, lambda: server.ask("rss"))) - before)
            / STREAMS
            / 1024
        )


async def _opened(base_url: str, count: int, look: Any = int) -> Any:
    """Open streams, read the first chunk of each, look, and leave."""
    pairs = [await _connect(base_url) for _ in range(count)]
    for _, writer in pairs:
        writer.write(_request(base_url))
    for reader, _ in pairs:
        await reader.readuntil(b"\n\n\r\n")
    seen = look()
    for _, writer in pairs:
        writer.close()
    return seen
