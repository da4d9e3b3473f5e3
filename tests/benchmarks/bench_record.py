"""P17: what a recorder adds, against a bare aiohttp reverse proxy, and what it holds in memory."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from tests.benchmarks.measure import Child, Line, at_most, compare
from tests.benchmarks.served import PATH, body_of
from tests.server.making import user_turn

GOALS = ("P17",)

ANSWER = 303
HOUR = 10_000
"""Events of a usual answer, and of a stream that lasts for an hour."""
AT_ONCE = 0.0
ONE_BY_ONE = 0.0005
"""Seconds between the events of a stream: none, so that all are in one write, or enough to be read apart."""
FIRST_BYTES = 200
REQUEST = json.dumps(user_turn()).encode()


class Process:
    """A process of proxied.py."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.proxied", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="ascii",
        )
        assert self._process.stdout is not None
        self.base_url = self._process.stdout.readline().strip()

    def ask(self, command: str) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(command, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def read(self, count: int) -> Child:
        """Let a client read streams one after the other; CPU is the process's own."""
        began = self.ask("cpu")
        bodies = asyncio.run(read_bodies(self.base_url, count))
        return Child(cpu=self.ask("cpu") - began, content=set(bodies))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def process(*arguments: str) -> Iterator[Process]:
    running = Process(*arguments)
    try:
        yield running
    finally:
        running.close()


def run() -> Iterator[Line]:
    with TemporaryDirectory() as folder:
        yield from _passed_on(Path(folder), HOUR // 3, ONE_BY_ONE, streams=1)
        yield from _passed_on(Path(folder), HOUR, AT_ONCE, streams=1)
        yield from _passed_on(Path(folder), ANSWER, ONE_BY_ONE, streams=4)
        yield from _passed_on(Path(folder), ANSWER, AT_ONCE, streams=40)
        yield from _first_byte(Path(folder))
        yield from _memory(Path(folder))


def _passed_on(folder: Path, events: int, pace: float, streams: int) -> Iterator[Line]:
    """CPU of the proxy's process; a throughput of 0.7 is 1 / 0.7 of the CPU."""
    how = f"{events:,} events {'one by one' if pace else 'at once'}"
    with (
        process("backend", str(events), str(pace)) as backend,
        process("aiohttp", backend.base_url) as bare,
        process("recorder", backend.base_url, str(fresh(folder))) as recorder,
        process("unredacted", backend.base_url, str(fresh(folder))) as unredacted,
    ):
        proxies = {"aiohttp": bare, "recorder": recorder, "unredacted": unredacted}
        ratios = compare({name: partial(each.read, streams) for name, each in proxies.items()})
        yield ratios.at_most("P17", f"recording {how}", 1 / 0.7, of="recorder", to="aiohttp")
        yield ratios.report("P17", f"the same without redaction, {how}", of="unredacted", to="aiohttp")
        cost = 1 - 1 / ratios.ratio("recorder", "unredacted")
        what = f"redaction's part of the cost, {how}"
        yield at_most("P17", what, cost * 100, 20, unit="%", note=ratios.note("unredacted"))


def _first_byte(folder: Path) -> Iterator[Line]:
    with (
        process("backend", "10", str(AT_ONCE)) as backend,
        process("recorder", backend.base_url, str(fresh(folder))) as recorder,
    ):
        times: dict[str, list[float]] = {}
        for _ in range(FIRST_BYTES):
            for url in (backend.base_url, recorder.base_url):
                times.setdefault(url, []).append(asyncio.run(_time_to_first_byte(url)))
        direct, through = (median(each) * 1000 for each in times.values())
        note = f"median of {FIRST_BYTES}; {direct:.2f} ms without"
        yield at_most("P17", "added time to the first byte", through - direct, 3, unit="ms", note=note)


def _memory(folder: Path) -> Iterator[Line]:
    held = []
    for events in (HOUR, 4 * HOUR):
        with (
            process("backend", str(events), str(AT_ONCE)) as backend,
            process("recorder", backend.base_url, str(fresh(folder))) as recorder,
        ):
            (body,) = asyncio.run(read_bodies(recorder.base_url, 1))
            assert body == body_of(events)
            held.append(recorder.ask("rss"))
    grown = (held[1] - held[0]) / 1024
    note = f"{4 * HOUR:,} events beside {HOUR:,}; the longer body has {len(body_of(4 * HOUR)) / 1024:.0f} KiB"
    yield at_most("P17", "memory that a longer stream takes", grown, 1024, unit="KiB", note=note)


def fresh(folder: Path) -> Path:
    made = folder / str(time.monotonic_ns())
    made.mkdir()
    return made


async def read_bodies(base_url: str, count: int) -> list[bytes]:
    reader, writer = await _connect(base_url)
    bodies = []
    for _ in range(count):
        writer.write(_request(base_url))
        await reader.readuntil(b"\r\n\r\n")
        bodies.append(b"".join([chunk async for chunk in _chunks(reader)]))
    writer.close()
    return bodies


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while size := int(await reader.readline(), 16):
        yield await reader.readexactly(size)
        await reader.readline()
    await reader.readline()


async def _time_to_first_byte(base_url: str) -> float:
    reader, writer = await _connect(base_url)
    began = time.perf_counter()
    writer.write(_request(base_url))
    await reader.readuntil(b"\r\n\r\n")
    await reader.readline()
    taken = time.perf_counter() - began
    writer.close()
    return taken


async def _connect(base_url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(base_url)
    return await asyncio.open_connection(parts.hostname, parts.port, limit=1 << 24)


def _request(base_url: str) -> bytes:
    host = urlsplit(base_url).netloc
    return (
        f"POST {PATH} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(REQUEST)}\r\n\r\n".encode() + REQUEST
    )
