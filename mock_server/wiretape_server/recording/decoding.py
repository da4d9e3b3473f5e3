"""Takes the compression off a body as it comes, for the file; the client gets the body as it is."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final, Protocol

_PIECE: Final = 1 << 20
"""Bytes that are unpacked at once: a small chunk can hold a very long one."""


class Decoder(Protocol):
    """Undoes one content coding. ``fault`` says why the rest of the body is not in the file."""

    fault: str

    def feed(self, data: bytes) -> Iterator[bytes]: ...

    def close(self) -> None: ...


class Plain:
    """A body without compression."""

    fault = ""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def close(self) -> None:
        """Nothing can be missing."""


class Inflate:
    """gzip, with all its members, and deflate, with or without zlib's head."""

    def __init__(self, coding: str) -> None:
        self.fault = ""
        self._coding = coding
        self._wbits = 31 if coding.endswith("gzip") else zlib.MAX_WBITS
        self._unpacker: Any = None
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self.fault:
            if self._unpacker is None:
                self._unpacker = zlib.decompressobj(self._bits(data))
            try:
                piece = self._unpacker.decompress(data, _PIECE)
            except zlib.error as error:
                self.fault = f"the {self._coding} body is damaged: {error}"
                return
            self._begun = True
            data = self._unpacker.unconsumed_tail or self._unpacker.unused_data
            if self._unpacker.eof:
                self._unpacker = None
            if piece:
                yield piece

    def close(self) -> None:
        if self._unpacker is not None and not self.fault:
            self.fault = f"the {self._coding} body ends early"

    def _bits(self, data: bytes) -> int:
        """«deflate» is sent with zlib's head and without."""
        bare = self._wbits == zlib.MAX_WBITS and not self._begun and data[0] & 0x0F != 8
        return -zlib.MAX_WBITS if bare else self._wbits


class Brotli:
    """br, where the library is there."""

    def __init__(self, library: Any) -> None:
        self.fault = ""
        self._error: type[Exception] = library.error
        self._unpacker = library.Decompressor()
        self._begun = False
        self._limit = (
            {"output_buffer_limit": _PIECE} if hasattr(self._unpacker, "can_accept_more_data") else {}
        )

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._begun = True
        while not self.fault:
            try:
                piece = self._unpacker.process(data, **self._limit)
            except self._error as error:
                self.fault = f"the br body is damaged: {error}"
                return
            if piece:
                yield piece
            if not self._limit or len(piece) < _PIECE or self._unpacker.is_finished():
                return
            data = b""

    def close(self) -> None:
        if self._begun and not self.fault and not self._unpacker.is_finished():
            self.fault = "the br body ends early"


def decoder(coding: str) -> Decoder | None:
    """What takes this Content-Encoding off; None when nothing here can."""
    coding = coding.strip().lower()
    make = _DECODERS.get(coding)
    return make(coding) if make else None


def _brotli(_coding: str) -> Decoder | None:
    for name in ("brotli", "brotlicffi"):
        try:
            return Brotli(import_module(name))
        except ImportError:
            continue
    return None


_DECODERS: Final[dict[str, Callable[[str], Decoder | None]]] = {
    "": lambda _: Plain(),
    "identity": lambda _: Plain(),
    "gzip": Inflate,
    "x-gzip": Inflate,
    "deflate": Inflate,
    "br": _brotli,
}
