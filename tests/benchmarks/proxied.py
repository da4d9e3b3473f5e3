"""One process of bench_record: a backend, or a proxy before it.

    python -m tests.benchmarks.proxied backend EVENTS PACE
    python -m tests.benchmarks.proxied aiohttp|recorder|unredacted UPSTREAM FOLDER

Prints the address that it listens on. Takes commands on stdin, one a line, and answers each with one line on
stdout: ``cpu`` (seconds that this process has used), ``rss`` (bytes in memory).
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import cast

import aiohttp
from aiohttp import web

from tests.benchmarks.served import HEAD, body_of, chunks_of
from wiretape.redaction import Redactor
from wiretape.redaction.stream import BodyRedactor
from wiretape_server.recording.beginning import begin
from wiretape_server.recording.server import Recorder
from wiretape_server.recording.upstream import Upstream, parse
from wiretape_server.site import Site


class Backend:
    """Sends an answer of so many events to whoever posts a request, so many seconds apart or all at once."""

    def __init__(self, events: int, pace: float) -> None:
        frames = [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks_of(body_of(events))]
        self._writes = frames if pace else [b"".join(frames)]
        self._pace = pace

    async def listen(self) -> str:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _request(reader):
            await reader.readexactly(_length(head))
            with suppress(ConnectionError):
                await self._send(writer)
        writer.close()

    async def _send(self, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for data in self._writes:
            writer.write(data)
            await asyncio.sleep(self._pace)
            await writer.drain()
        writer.write(b"0\r\n\r\n")


async def _request(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def _length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.lower().split(b"\r\n"))
    return next((int(value) for name, _, value in lines if name == b"content-length"), 0)


class Bare:
    """The plainest reverse proxy that aiohttp makes."""

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._site = Site(self._pass_on)

    async def listen(self) -> str:
        self._http = aiohttp.ClientSession(auto_decompress=False)
        await self._site.open("127.0.0.1", 0)
        return self._site.base_url

    async def _pass_on(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() != "host"}
        url = self._upstream + request.path_qs
        async with self._http.request(request.method, url, headers=headers, data=body) as upstream:
            kept = {"content-type": upstream.headers["content-type"]}
            answer = web.StreamResponse(status=upstream.status, headers=kept)
            await answer.prepare(request)
            async for data, _ in upstream.content.iter_chunks():
                await answer.write(data)
            await answer.write_eof()
            return answer


class Unredacted(Redactor):
    """Hides nothing: what recording costs without redaction."""

    def headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple(headers)

    def target(self, target: str) -> str:
        return target

    def body(self, data: bytes, *, target: str = "") -> bytes:  # noqa: ARG002
        return data

    def stream(self, *, target: str = "") -> BodyRedactor:  # noqa: ARG002
        return cast(BodyRedactor, _Same())


class _Same:
    def feed(self, data: bytes) -> str:
        return data.decode("utf-8", "surrogateescape")

    def held(self) -> str:
        return ""

    def close(self) -> str:
        return ""


class Recording:
    """wiretape's recorder, with every option as a user has it."""

    def __init__(self, upstream: str, folder: Path, redactor: Redactor) -> None:
        recording = begin(folder / "bench.yaml", redactor, basis="a bench")
        self._recorder = Recorder(Upstream(parse(upstream)), recording)

    async def listen(self) -> str:
        await self._recorder.start()
        return self._recorder.base_url


def make(variant: str, *arguments: str) -> Backend | Bare | Recording:
    if variant == "backend":
        return Backend(int(arguments[0]), float(arguments[1]))
    if variant == "aiohttp":
        return Bare(arguments[0])
    redactor = Redactor() if variant == "recorder" else Unredacted()
    return Recording(arguments[0], Path(arguments[1]), redactor)


def resident() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def main() -> None:
    print(await make(*sys.argv[1:]).listen(), flush=True)
    loop = asyncio.get_running_loop()
    answers = {"cpu": time.process_time, "rss": resident}
    while command := (await loop.run_in_executor(None, sys.stdin.readline)).strip():
        print(answers[command](), flush=True)
    os._exit(0)  # connections that are still open are nobody's any more


if __name__ == "__main__":
    asyncio.run(main())
