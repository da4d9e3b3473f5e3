"""Bytes as people look at them: offset, hexadecimal, text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

WIDTH: Final = 8
"""Bytes of a line: on a wide screen two stand side by side, on a narrow one one below the other."""
PAGE: Final = 4096
"""Bytes that one view shows."""


class HexLine(NamedTuple):
    offset: str
    bytes: str
    text: str


def hex_lines(data: bytes, offset: int = 0) -> Iterator[HexLine]:
    """Write bytes eight a line; ``offset`` is that of the first one."""
    for start in range(0, len(data), WIDTH):
        piece = data[start : start + WIDTH]
        yield HexLine(
            f"{offset + start:06x}",
            piece.hex(" "),
            "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in piece),
        )
