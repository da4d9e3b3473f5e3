"""Reads an HTTP/1.1 answer out of bytes as they come: its head, the pieces of its body, and where it ends.

The bytes themselves go to the client as they are. This reader only looks at them, so it never raises: an
answer that is no HTTP, or whose framing breaks, has a ``fault`` and is passed on all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_STATUS_LINE: Final = re.compile(rb"HTTP/(1\.[01]) ([1-9][0-9]{2})(?: [^\r\n]*)?")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_CHUNK: Final = re.compile(rb"([1-9A-Fa-f][0-9A-Fa-f]{0,14})\r\n")
_LONGEST_HEAD: Final = 1 << 20
_SHOWN: Final = 8
"""Bytes of what is no HTTP that a fault quotes: it goes into the file, and no secret may be in it."""
_LONGEST_PIECE: Final = 1 << 20
"""Bytes of an unfinished chunk that are kept together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """An answer's status and headers, in order, with their names as they were written."""

    status: int
    headers: tuple[tuple[str, str], ...]
    version: str = "1.1"

    def get(self, name: str) -> str:
        """The value of a header, of several joined by commas; empty when there is none."""
        return ", ".join(value for key, value in self.headers if key.lower() == name)

    def has(self, name: str, token: str) -> bool:
        """Whether a header that is a list of words holds this one."""
        return token in (each.strip().lower() for each in self.get(name).split(","))


class AnswerReader:
    """Reads the answer to a request of this method.

    ``head`` is None until it is whole. ``ended``: the last byte of the answer was seen. ``fault`` says what
    is no HTTP; nothing behind it is read.
    """

    def __init__(self, method: str) -> None:
        self.head: Head | None = None
        self.ended = False
        self.fault = ""
        self._bodiless = method == "HEAD"
        self._buffer = bytearray()
        self._left: int | None = None
        """Bytes that are still due, of the body or of the chunk; None: up to the connection's end."""
        self._step: Callable[[list[bytes]], bool] = self._read_head

    @property
    def keeps_alive(self) -> bool:
        """Whether the connection serves another request."""
        if self.head is None or not self.ended or self._buffer or self._step == self._read_to_the_end:
            return False
        if self.head.has("connection", "close"):
            return False
        return self.head.version == "1.1" or self.head.has("connection", "keep-alive")

    def feed(self, data: bytes) -> list[bytes]:
        """The pieces of the body that are complete now: HTTP chunks, or without chunks what came."""
        if not self._buffer and self._step == self._read_chunk_size:
            size = _CHUNK.match(data)
            end = len(data) - 2
            if size is not None and end - size.end() == int(size[1], 16) and data.endswith(b"\r\n"):
                return [data[size.end() : end]]  # one whole chunk: most come by themselves
        pieces: list[bytes] = []
        if not self.fault:
            self._buffer += data
            while not self.ended and not self.fault and self._step(pieces):
                pass
        return pieces

    def close(self) -> list[bytes]:
        """The connection has ended: the body's last piece, which may be a part of a chunk."""
        if self._step == self._read_to_the_end:
            self.ended = True
        partial = self._step == self._read_chunk and self._left is not None
        return [bytes(self._buffer[: self._left])] if partial and self._buffer else []

    def _read_head(self, _pieces: list[bytes]) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _LONGEST_HEAD:
                self.fault = (
                    f"expected an HTTP/1.1 answer's head, got {len(self._buffer)} bytes without its end"
                )
            elif not _begins_like_http(self._buffer):
                self.fault = f"expected an HTTP/1.1 answer, got {bytes(self._buffer[:_SHOWN])!r}…"
            return False
        head = _parse_head(bytes(self._buffer[:end]))
        if head is None:
            self.fault = "expected an HTTP/1.1 answer's head, got a line that has no place in one"
            return False
        del self._buffer[: end + 4]
        if head.status >= 200:
            self.head = head
            self._begin_body(head)
        return True

    def _begin_body(self, head: Head) -> None:
        length, *others = {each.strip() for each in head.get("content-length").split(",")}
        if self._bodiless or head.status in (204, 304):
            self.ended = True
        elif head.has("transfer-encoding", "chunked"):
            self._step = self._read_chunk_size
        elif length.isdecimal() and not others:  # it may be said twice, but not in two ways
            self._left = int(length)
            self._step = self._read_sized
            self.ended = not self._left
        else:
            self._step = self._read_to_the_end

    def _read_sized(self, pieces: list[bytes]) -> bool:
        assert self._left is not None
        piece = bytes(self._buffer[: self._left])
        if piece:
            pieces.append(piece)
            del self._buffer[: len(piece)]
            self._left -= len(piece)
            self.ended = not self._left
        return False

    def _read_to_the_end(self, pieces: list[bytes]) -> bool:
        if self._buffer:
            pieces.append(bytes(self._buffer))
            self._buffer.clear()
        return False

    def _read_chunk_size(self, _pieces: list[bytes]) -> bool:
        end = self._buffer.find(b"\r\n")
        size = _CHUNK_SIZE.fullmatch(self._buffer, 0, end) if end >= 0 else None
        if size is None:
            if end >= 0 or len(self._buffer) > _LONGEST_HEAD:
                self.fault = (
                    f"expected the size of a chunk, got {len(self._buffer)} bytes that begin with none"
                )
            return False
        self._left = int(size[1], 16)
        del self._buffer[: end + 2]
        self._step = self._read_chunk if self._left else self._read_trailers
        return True

    def _read_chunk(self, pieces: list[bytes]) -> bool:
        left, buffer = self._left or 0, self._buffer
        if len(buffer) < left + 2:
            if min(left, len(buffer)) >= _LONGEST_PIECE:
                self._read_sized(pieces)
                self.ended = False
            return False
        if buffer[left : left + 2] != b"\r\n":
            self.fault = f"expected the end of a chunk behind {left} bytes, got more"
        if left:
            pieces.append(bytes(buffer[:left]))
        del buffer[: left + 2]
        self._step = self._read_chunk_size
        return True

    def _read_trailers(self, _pieces: list[bytes]) -> bool:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            return False
        del self._buffer[: end + 2]
        self.ended = end == 0
        return True


def _begins_like_http(data: bytearray) -> bool:
    return data[:5] == b"HTTP/"[: len(data)]


def _parse_head(data: bytes) -> Head | None:
    first, *lines = data.split(b"\r\n")
    status = _STATUS_LINE.fullmatch(first)
    headers = [line.decode("latin-1").partition(":") for line in lines]
    if status is None or not all(name and colon for name, colon, _ in headers):
        return None
    return Head(
        status=int(status[2]),
        version=status[1].decode(),
        headers=tuple((name, value.strip()) for name, _, value in headers),
    )
