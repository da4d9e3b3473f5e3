"""The real backend: its address, connections to it, and what a request to it looks like."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from wiretape_server.options import OptionError

_READ_AT_ONCE: Final = 32 * 1024
"""Bytes: so much is in no file yet, at most, when the process is killed."""
CONNECT_TIMEOUT: Final = 30.0
"""Seconds."""
_HOP_BY_HOP: Final = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade", "expect", "host", "content-length"),
    }
)
"""Headers that belong to the client's own connection, or that this one has its own of."""


class UpstreamError(Exception):
    """No answer can be had from the upstream. The text says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the upstream is. ``prefix`` is the path that requests' paths are put behind."""

    host: str
    port: int
    tls: bool
    authority: str
    """The Host header."""
    prefix: str = ""


def parse(url: str) -> Address:
    """Read an upstream URL. Raises OptionError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise OptionError(f"upstream {url!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise OptionError(
            f"expected an upstream such as https://host or http://127.0.0.1:8123/play/x, got {url!r}"
        )
    tls = parts.scheme == "https"
    return Address(
        host=parts.hostname,
        port=port or (443 if tls else 80),
        tls=tls,
        authority=parts.netloc,
        prefix=parts.path.rstrip("/"),
    )


def trust(ca: Path | None) -> ssl.SSLContext:
    """The certificates that are trusted: the system's, or those of a PEM file. Raises OptionError."""
    try:
        return ssl.create_default_context(cafile=str(ca) if ca else None)
    except (OSError, ssl.SSLError) as error:
        raise OptionError(f"--ca {ca}: expected a file of certificates in PEM form, got: {error}") from None


class Next(Enum):
    """What a taker of an answer's bytes wants."""

    GO_ON = auto()
    WAIT = auto()
    """Nothing more until it has drained."""
    STOP = auto()
    """Nothing more: it has all, or no use for the rest."""


Take: TypeAlias = Callable[[bytes], Next]
Drain: TypeAlias = Callable[[], Awaitable[object]]


class Connection(asyncio.BufferedProtocol):
    """One connection to the upstream. What comes is handed on as it is read, without a task in between."""

    def __init__(self) -> None:
        self._buffer = bytearray(_READ_AT_ONCE)
        self.heard = False
        """Whether the last request got as much as one byte of an answer."""
        self._transport: asyncio.Transport | None = None
        self._take: Take | None = None
        self._wake: asyncio.Future[None] | None = None
        self._waits = False
        self._over = False
        """Whether the connection is of no more use."""
        self._error: Exception | None = None

    @property
    def is_open(self) -> bool:
        return not self._over

    async def ask(self, request: bytes, take: Take, drain: Drain) -> None:
        """Send a request and give the answer's bytes to ``take``, until it stops or the connection ends.

        ``drain`` is awaited before anything more is read when ``take`` wants to wait. Raises OSError.
        """
        assert self._transport is not None
        self._take, self.heard = take, False
        self._transport.write(request)
        try:
            while self._take is not None and not self._over:
                self._wake = asyncio.get_running_loop().create_future()
                await self._wake
                if self._waits and not self._over:
                    await drain()
                    self._waits = False
                    self._transport.resume_reading()
        except BaseException:
            self.close()
            raise
        if self._error is not None:
            raise self._error

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.heard = True
        wanted = Next.STOP if self._take is None else self._take(bytes(self._buffer[:nbytes]))
        if wanted is Next.GO_ON:
            return
        if self._take is None:  # nobody asked
            self.close()
        elif wanted is Next.STOP:
            self._take = None
        elif self._transport is not None:
            self._waits = True
            self._transport.pause_reading()
        self._awake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._error = None if exc is None or self._take is None else exc
        self._over = True
        self._awake()

    def eof_received(self) -> None:
        self._over = True
        self._awake()

    def close(self) -> None:
        self._over = True
        if self._transport is not None:
            self._transport.abort()

    def _awake(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)


class Upstream:
    """Gives connections to an address. One that has answered in full serves the next request."""

    def __init__(self, address: Address, tls: ssl.SSLContext | None = None) -> None:
        self.address = address
        self._tls = tls if address.tls else None
        self._idle: list[Connection] = []

    async def ask(self, request: bytes, take: Take, drain: Drain) -> Connection:
        """Send a request and give the answer's bytes to ``take``; the connection, when that has ended.

        An idle connection that turns out to be dead is replaced. Raises UpstreamError, OSError.
        """
        while self._idle:
            kept = self._idle.pop()
            if not kept.is_open:
                continue
            try:
                await kept.ask(request, take, drain)
            except OSError:
                if kept.heard:
                    raise
            if kept.heard:
                return kept
        connection = await self._connect()
        await connection.ask(request, take, drain)
        return connection

    def keep(self, connection: Connection) -> None:
        """Take back a connection for the next request."""
        self._idle.append(connection)

    def close(self) -> None:
        """Close what is idle."""
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    async def _connect(self) -> Connection:
        host, port = self.address.host, self.address.port
        where = f"the upstream {host} port {port}"
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                loop = asyncio.get_running_loop()
                return (await loop.create_connection(Connection, host, port, ssl=self._tls))[1]
        except OSError as error:
            raise UpstreamError(unreachable(error, where)) from None


def unreachable(error: OSError, where: str) -> str:
    """Why the upstream, which is at ``where``, can't be reached, and what to do."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"{where} has a certificate that is not trusted: {error.verify_message}. "
            "Name the file of its authority with --ca FILE."
        )
    if isinstance(error, ssl.SSLError):
        return f"{where} did not agree on TLS: {error.reason or error}"
    if isinstance(error, TimeoutError):
        return f"{where} did not accept a connection in {CONNECT_TIMEOUT:.0f} s"
    return f"{where} can't be reached: {error.strerror or error}. Is --upstream right, and is it up?"


def request_bytes(
    address: Address,
    method: str,
    path: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    version: str = "1.1",
) -> bytes:
    """A client's request, as the upstream gets it: its own Host, its body with a length."""
    headers = list(headers)
    named = {
        word.strip().lower()
        for name, value in headers
        if name.lower() == "connection"
        for word in value.split(",")
    }
    lines = [f"{method} {address.prefix}{path} HTTP/{version}", f"Host: {address.authority}"]
    lines += [f"{name}: {value}" for name, value in headers if name.lower() not in _HOP_BY_HOP | named]
    if body or any(name.lower() in ("content-length", "transfer-encoding") for name, _ in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
