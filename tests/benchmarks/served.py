"""One server in a process of its own, for bench_server: wiretape, or what it is measured against.

    python -m tests.benchmarks.served VARIANT EVENTS DELAY_MS

Serves one recorded answer of EVENTS events, DELAY_MS apart, to whoever posts a request. Takes commands on
stdin, one a line, and answers each with one line on stdout: ``play`` (a fresh base URL), ``cpu`` (seconds
that this process has used), ``late`` (milliseconds that chunks were written after their time, sorted),
``judge`` (how many findings the verdict on the last play has), ``rss`` (bytes in memory).
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Protocol

from tests.server.making import Interaction, answer_stream, cassette, interaction, user_turn
from wiretape.sse import event_ends
from wiretape.transcript import Chunk, Response
from wiretape.verdict import verify
from wiretape_server.options import PlayOptions
from wiretape_server.pacing import Wheel
from wiretape_server.thread import Playback, ServerThread

PATH = "/backend-api/f/conversation"
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-store\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
_FIXED_EVENTS = 6
SETTLED = 2.0
"""Seconds after which all streams are open and the collector is done with them: figures are from then on."""


def body_of(events: int) -> bytes:
    """An answer of that many events, most of them text that grows."""
    return answer_stream("", words=[f" word {number}" for number in range(events - _FIXED_EVENTS)])


def chunks_of(body: bytes) -> list[bytes]:
    ends = event_ends(body)
    return [body[start:end] for start, end in zip([0, *ends], ends, strict=False)]


class Variant(Protocol):
    """What every variant can be asked for."""

    late: list[float]

    def play(self) -> str: ...

    def judge(self) -> int: ...


class Wiretape:
    """wiretape itself, every option as a user has it."""

    def __init__(self, body: bytes, delay: float) -> None:
        cuts = [(delay * 1000 if index else 0.0, len(chunk)) for index, chunk in enumerate(chunks_of(body))]
        exchange: Interaction = interaction(user_turn(), body, chunks=cuts)
        self._cassette = cassette(exchange)
        self._options = PlayOptions(pace="recorded" if delay else "instant")
        self._delay = delay
        self._server = ServerThread().start()
        self._playback: Playback | None = None

    def play(self) -> str:
        if self._playback is not None:
            self._playback.close()
        self._playback = self._server.play(self._cassette, self._options)
        return self._playback.base_url

    def judge(self) -> int:
        assert self._playback is not None
        return len(verify(self._playback.transcript()).findings)

    @property
    def late(self) -> list[float]:
        assert self._playback is not None
        return list(_lateness(self._playback, self._delay))


def _lateness(playback: Playback, delay: float) -> Iterator[float]:
    began: dict[int, float] = {}
    due: dict[int, float] = {}
    for entry in playback.transcript().entries:
        if isinstance(entry, Response):
            began[entry.number] = due[entry.number] = entry.at
        elif isinstance(entry, Chunk):
            if due[entry.number] - began[entry.number] >= SETTLED:
                yield entry.at - due[entry.number]
            due[entry.number] += delay


class Looped:
    """A server of asyncio's in a thread; the subclass says how it answers."""

    def __init__(self, body: bytes, delay: float) -> None:
        self.chunks, self.delay = chunks_of(body), delay
        self.late: list[float] = []
        self.loop = asyncio.new_event_loop()
        self.base_url = ""
        listening = threading.Event()
        threading.Thread(target=self._run, args=(listening,), daemon=True).start()
        listening.wait()

    def _run(self, listening: threading.Event) -> None:
        port = self.loop.run_until_complete(self.listen())
        self.base_url = f"http://127.0.0.1:{port}"
        listening.set()
        self.loop.run_forever()

    def listen(self) -> Coroutine[Any, Any, int]:
        raise NotImplementedError

    def play(self) -> str:
        self.late.clear()
        return self.base_url

    def judge(self) -> int:
        return 0


class Aiohttp(Looped):
    """A StreamResponse with a write per chunk, and a sleep before it where there is a delay."""

    async def listen(self) -> int:
        from aiohttp import web

        async def answer(request: web.Request) -> web.StreamResponse:
            await request.read()
            response = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8"})
            await response.prepare(request)
            began = due = self.loop.time()
            for index, chunk in enumerate(self.chunks):
                if self.delay and index:
                    due += self.delay
                    await asyncio.sleep(due - self.loop.time())
                if due - began >= SETTLED:
                    self.late.append(self.loop.time() - due)
                await response.write(chunk)
            return response

        application = web.Application()
        application.router.add_post(PATH, answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
        await site.start()
        return int(runner.addresses[0][1])


class Raw(Looped):
    """A bare Protocol: one write of prepared frames, or one a chunk by a shared timer wheel."""

    async def listen(self) -> int:
        self.frames = [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in self.chunks]
        self.whole = HEAD + b"".join(self.frames) + b"0\r\n\r\n"
        self.wheel = Wheel(self.loop.time, self.loop.call_at)
        server = await self.loop.create_server(lambda: _RawConnection(self), "127.0.0.1", 0, backlog=2048)
        return int(server.sockets[0].getsockname()[1])


class _RawConnection(asyncio.Protocol):
    def __init__(self, owner: Raw) -> None:
        self.owner, self.index, self.due, self.received = owner, 0, 0.0, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        if not found or len(body) < length:
            return
        self.received = b""
        if not self.owner.delay:
            self.transport.write(self.owner.whole)
            return
        self.began = self.due = self.owner.loop.time()
        self.transport.write(HEAD)
        self.step()

    def step(self) -> None:
        owner = self.owner
        if self.due - self.began >= SETTLED:
            owner.late.append(owner.loop.time() - self.due)
        last = self.index == len(owner.frames) - 1
        self.transport.write(owner.frames[self.index] + (b"0\r\n\r\n" if last else b""))
        if not last:
            self.index += 1
            self.due += owner.delay
            owner.wheel.at(self.due, self.step)


class HttpServer:
    """pytest-httpserver with a handler that yields the chunks."""

    late: list[float] = []  # noqa: RUF012 - it is never paced

    def __init__(self, body: bytes, _delay: float) -> None:
        from pytest_httpserver import HTTPServer
        from werkzeug import Response as WerkzeugResponse

        chunks = chunks_of(body)
        self._server = HTTPServer(threaded=False)
        self._server.expect_request(PATH, method="POST").respond_with_handler(
            lambda _request: WerkzeugResponse(iter(chunks), content_type="text/event-stream; charset=utf-8")
        )
        self._server.start()  # type: ignore[no-untyped-call]

    def play(self) -> str:
        self._server.clear_log()  # type: ignore[no-untyped-call]
        return self._server.url_for("")

    def judge(self) -> int:
        return 0


VARIANTS: dict[str, Callable[[bytes, float], Variant]] = {
    "wiretape": Wiretape,
    "aiohttp": Aiohttp,
    "raw": Raw,
    "httpserver": HttpServer,
}


def resident() -> int:
    """Bytes of memory that this process holds, as Linux tells it."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main(name: str, events: str, delay: str) -> None:
    variant = VARIANTS[name](body_of(int(events)), float(delay) / 1000)
    gc.collect()
    gc.freeze()  # what was imported is none of the streams' cost
    commands: dict[str, Callable[[], object]] = {
        "play": variant.play,
        "cpu": time.process_time,
        "late": lambda: sorted(seconds * 1000 for seconds in variant.late),
        "judge": variant.judge,
        "rss": resident,
    }
    for line in sys.stdin:
        print(json.dumps(commands[line.strip()]()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
