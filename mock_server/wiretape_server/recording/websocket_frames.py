"""Reads the messages of a websocket out of its bytes as they pass by (RFC 6455, without extensions)."""

from __future__ import annotations

from itertools import cycle
from typing import Final, NamedTuple

TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
_CONTINUATION: Final = 0
_FINAL: Final = 0x80
_MASKED: Final = 0x80
_LONG: Final = {126: 2, 127: 8}
"""What stands for the length in the second byte, and the bytes behind it that say the length."""


class Message(NamedTuple):
    """A whole message, in however many frames it came: ``kind`` is TEXT, BINARY or CLOSE."""

    kind: int
    data: bytes


class MessageReader:
    """One direction of a websocket. Pings and pongs are skipped."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._pieces: list[bytes] = []
        self._kind = _CONTINUATION
        """Of the message that has begun."""

    def feed(self, data: bytes) -> list[Message]:
        """Take bytes; give the messages that they complete."""
        self._buffer += data
        messages = []
        while (frame := self._frame()) is not None:
            messages += self._message(*frame)
        return messages

    def _frame(self) -> tuple[int, bool, bytes] | None:
        """The next frame, once it is whole: its opcode, whether it ends a message, its data."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        extra = _LONG.get(buffer[1] & 0x7F, 0)
        begin = 2 + extra + (4 if buffer[1] & _MASKED else 0)
        length = int.from_bytes(buffer[2 : 2 + extra], "big") if extra else buffer[1] & 0x7F
        if len(buffer) < begin + length:
            return None
        data = bytes(buffer[begin : begin + length])
        if buffer[1] & _MASKED:
            data = unmasked(data, bytes(buffer[begin - 4 : begin]))
        first = buffer[0]
        del buffer[: begin + length]
        return first & 0x0F, bool(first & _FINAL), data

    def _message(self, kind: int, final: bool, data: bytes) -> list[Message]:
        if kind == CLOSE:
            return [Message(CLOSE, data)]
        if kind not in (_CONTINUATION, TEXT, BINARY):
            return []
        if kind != _CONTINUATION:
            self._kind, self._pieces = kind, []
        self._pieces.append(data)
        return [Message(self._kind, b"".join(self._pieces))] if final else []


def unmasked(data: bytes, key: bytes) -> bytes:
    """Take the mask off a client's data, or put it on."""
    if len(data) < 64:
        return bytes(byte ^ mask for byte, mask in zip(data, cycle(key)))
    whole = (key * (len(data) // 4 + 1))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(whole, "big")).to_bytes(len(data), "big")
