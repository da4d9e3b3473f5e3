"""The tee on websockets: listens for clients, and passes every byte on to the app-server and back at once."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakSet

from wiretape.transcript import Side
from wiretape_server.loop_thread import LoopThread
from wiretape_server.options import OptionError
from wiretape_server.recording.codex_session import CodexRecording
from wiretape_server.recording.upstream import CONNECT_TIMEOUT, unreachable
from wiretape_server.recording.websocket_frames import BINARY, TEXT, MessageReader
from wiretape_server.site import cannot_listen

_PIECE: Final = 1 << 16
_LONGEST_HEAD: Final = 1 << 20
_END_OF_HEAD: Final = b"\r\n\r\n"
_SWITCHING: Final = re.compile(rb"HTTP/1\.1 101\b")
_FINE: Final = re.compile(rb"HTTP/1\.1 2\d\d\b")
_BAD_GATEWAY: Final = b"\r\n".join(
    [
        b"HTTP/1.1 502 Bad Gateway",
        b"Content-Type: text/plain",
        b"Connection: close",
        b"Content-Length: %d",
        b"",
        b"%b",
    ]
)
_REQUEST_LINE: Final = re.compile(rb"([A-Z]+ )(/[^ \r\n]*)")
_HOST: Final = re.compile(rb"(?im)^(host:[ \t]*)[^\r\n]*")
_EXTENSIONS: Final = re.compile(rb"(?im)^sec-websocket-extensions:[^\r\n]*\r\n")
_NO_ANSWER: Final = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
_GONE: Final = (
    *_NO_ANSWER,
    asyncio.CancelledError,  # the tee stops; asyncio's own streams report it as a fault
)
"""What ends a connection before its time."""

Note: TypeAlias = Callable[[bytes], None]
"""Takes the bytes that passed."""


class Address:
    """A websocket's address, as ``--listen`` and ``--upstream`` give it. Raises OptionError."""

    def __init__(self, url: str, option: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise OptionError(f"{option} {url!r}: {error}") from None
        self.tls = parts.scheme == "wss" and option == "--upstream"
        self.host, self.port = parts.hostname or "", port or (443 if self.tls else 0)
        lacks = not self.host or (port is None and not self.tls)
        too_much = parts.query or parts.fragment or parts.username
        if not (parts.scheme == "ws" or self.tls) or lacks or too_much:
            also = " or wss://HOST" if option == "--upstream" else ""
            raise OptionError(f"expected {option} ws://127.0.0.1:PORT{also}, got {url!r}")
        self.path = parts.path.rstrip("/")
        self.authority = parts.netloc


class WebsocketTee:
    """Listens at ``listen``; every connection there gets one to ``upstream``.

    Compression is not offered on, so that what passes can be read; all else is left as it is: paths,
    credentials, refusals, pings, closes.
    """

    def __init__(
        self,
        listen: Address,
        upstream: Address,
        recording: CodexRecording,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._listen = listen
        self._upstream = upstream
        self._tls = tls if upstream.tls else None
        self._recording = recording
        self._listener: asyncio.Server | None = None
        self._passages: set[asyncio.Task[None]] = set()
        self._upstreams: WeakSet[asyncio.WriteTransport] = WeakSet()
        """Connections to the upstream; TLS lets one go only when both sides have said so."""
        self.url = ""

    async def start(self) -> None:
        """Listen. Raises OSError."""
        host, port = self._listen.host, self._listen.port
        try:
            self._listener = await asyncio.start_server(self._serve, host, port, limit=_LONGEST_HEAD)
        except (OSError, UnicodeError) as error:
            raise cannot_listen(host, port, error) from None
        self.url = f"ws://{host}:{self._listener.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """End every connection."""
        if self._listener is not None:
            self._listener.close()
        for task in self._passages:
            task.cancel()
        await asyncio.gather(*self._passages, return_exceptions=True)
        for connection in self._upstreams:
            connection.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._passages.add(task)
        totals = self._recording.recording.totals
        totals.open += 1
        try:
            with suppress(*_GONE):
                await self._connect(reader, writer)
        finally:
            totals.open -= 1
            self._passages.discard(task)
            writer.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(_END_OF_HEAD)
        upstream = self._upstream
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                their_reader, their_writer = await asyncio.open_connection(
                    upstream.host, upstream.port, limit=_LONGEST_HEAD, ssl=self._tls
                )
        except OSError as error:
            self._refuse(writer, unreachable(error, f"the upstream {upstream.authority}"))
            return
        self._upstreams.add(their_writer.transport)
        try:
            their_writer.write(self._head(asked))
            answered = await self._answer(their_reader)
            writer.write(answered)
            theirs, ours = self._notes(answered)
            await asyncio.gather(_pass_on(reader, their_writer, ours), _pass_on(their_reader, writer, theirs))
        finally:
            if not their_writer.is_closing():  # closed twice, a TLS transport ignores abort
                their_writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        """The head of the upstream's answer. One that ends without an answer ends so for the client too."""
        try:
            return await reader.readuntil(_END_OF_HEAD)
        except _NO_ANSWER:
            self._recording.recording.troubles.append(
                f"the upstream {self._upstream.authority} gave no HTTP answer. Is --upstream right?"
            )
            raise

    def _head(self, asked: bytes) -> bytes:
        """The client's request, as the upstream gets it."""
        prefix, authority = self._upstream.path.encode(), self._upstream.authority.encode()
        line = _REQUEST_LINE.sub(lambda found: found[1] + (prefix + found[2]).rstrip(b"/"), asked, count=1)
        if not prefix:
            line = asked
        return _EXTENSIONS.sub(b"", _HOST.sub(lambda found: found[1] + authority, line, count=1))

    def _notes(self, answered: bytes) -> tuple[Note, Note]:
        """What becomes of the bytes behind an answer's head, the server's and the client's."""
        if _SWITCHING.match(answered):
            name = self._recording.name_connection()
            return self._noting("server", name), self._noting("client", name)
        if not _FINE.match(answered):
            status = answered.partition(b"\r\n")[0].decode("latin-1")
            self._recording.recording.troubles.append(f"the upstream did not let a client in: {status}")
        return _nothing, _nothing

    def _noting(self, by: Side, name: str) -> Note:
        reader = MessageReader()

        def note(data: bytes) -> None:
            messages, stamp = reader.feed(data), self._recording.stamp()
            texts = [message.data for message in messages if message.kind == TEXT]
            self._recording.messages(by, texts, name, stamp)
            for message in messages:
                if message.kind == BINARY:
                    size = len(message.data)
                    self._recording.gap(f"The {by} sent a binary message of {size} bytes, which is left out.")

        return note

    def _refuse(self, writer: asyncio.StreamWriter, why: str) -> None:
        self._recording.recording.troubles.append(why)
        text = why.encode()
        writer.write(_BAD_GATEWAY % (len(text), text))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, note: Note) -> None:
    """Pass on to the end: every piece goes first to the other side, and then into the recording."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            note(piece)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        else:  # TLS has no half-closed connections
            writer.close()
    except OSError:
        writer.transport.abort()


def _nothing(_data: bytes) -> None:
    """Take no notice: it is no websocket."""


class WebsocketTeeThread(LoopThread):
    """A WebsocketTee that runs beside the caller; a context manager. Takes what WebsocketTee takes."""

    def __init__(
        self,
        listen: Address,
        upstream: Address,
        recording: CodexRecording,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._tee = WebsocketTee(listen, upstream, recording, tls)
        super().__init__(self._tee)

    @property
    def url(self) -> str:
        """What a client is given in place of the upstream's."""
        return self._tee.url
