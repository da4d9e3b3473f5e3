"""The real backend: its address, connections to it, and what a request to it looks like."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from wiretape_server.options import OptionError

READ_SIZE: Final = 64 * 1024
_CONNECT_TIMEOUT: Final = 30.0
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


class Connection:
    """One connection to the upstream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @property
    def is_open(self) -> bool:
        return not self._reader.at_eof() and not self._writer.is_closing()

    async def send(self, request: bytes) -> bytes:
        """Send a request; the first bytes of its answer, none when the connection is over."""
        self._writer.write(request)
        await self._writer.drain()
        return await self.read()

    async def read(self) -> bytes:
        """The next bytes; none when the upstream has closed. Raises OSError."""
        return await self._reader.read(READ_SIZE)

    def close(self) -> None:
        self._writer.transport.abort()


class Upstream:
    """Gives connections to an address. One that has answered in full serves the next request."""

    def __init__(self, address: Address, tls: ssl.SSLContext | None = None) -> None:
        self.address = address
        self._tls = tls if address.tls else None
        self._idle: list[Connection] = []

    async def ask(self, request: bytes) -> tuple[Connection, bytes]:
        """Send a request; the connection, and the first bytes of the answer (none: it was closed).

        An idle connection that turns out to be dead is replaced. Raises UpstreamError, OSError.
        """
        while self._idle:
            kept = self._idle.pop()
            if kept.is_open:
                with suppress(OSError):
                    if first := await kept.send(request):
                        return kept, first
            kept.close()
        connection = await self._connect()
        try:
            return connection, await connection.send(request)
        except BaseException:
            connection.close()
            raise

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
            async with asyncio.timeout(_CONNECT_TIMEOUT):
                return Connection(*await asyncio.open_connection(host, port, ssl=self._tls))
        except ssl.SSLCertVerificationError as error:
            raise UpstreamError(
                f"{where} has a certificate that is not trusted: {error.verify_message}. "
                "Name the file of its authority with --ca FILE."
            ) from None
        except ssl.SSLError as error:
            raise UpstreamError(f"{where} did not agree on TLS: {error.reason or error}") from None
        except TimeoutError:
            raise UpstreamError(f"{where} did not accept a connection in {_CONNECT_TIMEOUT:.0f} s") from None
        except OSError as error:
            raise UpstreamError(
                f"{where} can't be reached: {error.strerror or error}. Is --upstream right, and is it up?"
            ) from None


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
