"""The recorder: a port that clients are pointed at, before an upstream."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from wiretape_server.loop_thread import LoopThread
from wiretape_server.recording.proxy import ReverseProxy
from wiretape_server.recording.session import Recording
from wiretape_server.recording.upstream import Upstream
from wiretape_server.site import Site

_LONGEST_HEADER: Final = 1 << 20
"""Bytes: real cookies are longer than what servers take by default."""


class Recorder:
    """Listens on a port of this machine and passes everything on to the upstream."""

    def __init__(
        self, upstream: Upstream, recording: Recording, *, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self._host = host
        self._port = port
        self._upstream = upstream
        self._recording = recording
        self._proxy = ReverseProxy(upstream, recording)
        self._site: Site | None = None

    @property
    def base_url(self) -> str:
        """What a client is given in place of the upstream's URL."""
        if self._site is None:
            raise RuntimeError("the recorder has not been started")
        return self._site.base_url

    async def start(self) -> None:
        """Listen. Raises OSError when the port is taken."""
        site = Site(
            self._proxy,
            auto_decompress=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )
        await site.open(self._host, self._port)
        self._site = site

    async def wait_idle(self, timeout: float) -> bool:
        """Wait until no answer is on its way; whether that was in ``timeout`` seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._proxy.idle.wait(), timeout)
        return self._proxy.idle.is_set()

    async def stop(self) -> None:
        """End every stream, in well under two seconds."""
        self._recording.stopped = True
        if self._site is not None:
            await self._site.close()
        self._upstream.close()


class RecorderThread(LoopThread):
    """A Recorder that runs beside the caller; a context manager. Takes what Recorder takes."""

    def __init__(self, upstream: Upstream, recording: Recording, *, port: int = 0) -> None:
        self._recorder = Recorder(upstream, recording, port=port)
        super().__init__(self._recorder)

    @property
    def base_url(self) -> str:
        """What a client is given in place of the upstream's URL."""
        return self._recorder.base_url

    def wait_idle(self, timeout: float) -> bool:
        """Wait until no answer is on its way; whether that was in ``timeout`` seconds."""
        return bool(self.call(self._recorder.wait_idle, timeout))
