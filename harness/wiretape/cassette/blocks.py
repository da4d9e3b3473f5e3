"""Literal blocks: which bytes they hold exactly, how they are written, and how they are cut out without YAML.

A literal block gives back printable text and line feeds, and nothing else: carriage return, U+0085, U+2028
and U+2029 come back as line feeds, control characters are refused, and a first line that begins with a blank
is taken for more indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PAD = b"      "
"""The indentation of a block in the canonical layout: below ``body`` or ``chunks``."""

_MARK = b"wiretape-block-"
_ONE_BYTE = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
_NOT_EXACT = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LINE_START = re.compile(rb"\n(?=[^\n])")
_FIRST_LINE = re.compile(rb"\n*[^ \t\n]")

_HEAD = re.compile(rb"^    (body|chunks): \|([+-])\n(?=\n* {6}[^ \t\n])", re.MULTILINE)
_LAST_LINE_END = re.compile(rb"\n(?! {6}|\n)")
_NEXT = re.compile(rb"  response:\n|    body: |- request:\n|x-|\Z")


def block_holds(data: bytes) -> bool:
    """Whether a literal block gives back exactly ``data``."""
    return _FIRST_LINE.match(data) is not None and _is_exact(data)


def block(data: bytes, pad: bytes) -> Iterator[bytes]:
    """Write ``data``, which a block holds, as what stands behind ``key: ``, indented by ``pad``.

    ``|+`` keeps every line feed at the end, ``|-`` is for text that ends without one.
    """
    kept = data.endswith(b"\n")
    yield b"|+" if kept else b"|-"
    yield _LINE_START.sub(b"\n" + pad, b"\n" + data)
    if not kept:
        yield b"\n"


def cut_blocks(data: bytes) -> tuple[bytes, list[tuple[str, bytes]]] | None:
    """Cut the blocks of a file of canonical layout out of it, by their indentation.

    Returns the file with a mark in the place of each block, and each block's key and bytes; None when
    anything is unusual, and the whole file has to be read as YAML.
    """
    if _MARK in data:
        return None
    rest: list[bytes] = []
    blocks: list[tuple[str, bytes]] = []
    done = 0
    while head := _HEAD.search(data, done):
        end = _LAST_LINE_END.search(data, head.end())
        if end is None or not _NEXT.match(data, end.end()):
            return None
        content = data[head.end() : end.end()]
        if not _is_exact(content):
            return None
        blocks.append((head[1].decode(), _without_pad(content, keep=head[2] == b"+")))
        rest += data[done : head.end(1)], b": ", mark(len(blocks) - 1).encode(), b"\n"
        done = end.end()
    return (b"".join([*rest, data[done:]]), blocks) if blocks else None


def mark(number: int) -> str:
    """What stands in the place of the block of this number."""
    return f"{_MARK.decode()}{number}"


def is_mark(value: object) -> bool:
    """Whether a value stands in the place of some block."""
    return isinstance(value, str) and value.startswith(_MARK.decode())


def _without_pad(content: bytes, *, keep: bool) -> bytes:
    text = b"\n".join(content.removeprefix(PAD).split(b"\n" + PAD))
    return text if keep else text.rstrip(b"\n")


def _is_exact(data: bytes) -> bool:
    if not data.translate(None, _ONE_BYTE):
        return True
    try:
        return _NOT_EXACT.search(data.decode()) is None
    except UnicodeDecodeError:
        return False
