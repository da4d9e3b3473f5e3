"""Literal blocks: which bytes they hold exactly, how they are written, and how they are cut out without YAML.

A literal block gives back printable text and line feeds, and nothing else: carriage return, U+0085, U+2028
and U+2029 come back as line feeds, control characters are refused, and a first line that begins with a blank
is taken for more indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARK = b"wiretape-block-"
_ONE_BYTE = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
_NOT_EXACT = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LINE_START = re.compile(rb"\n(?=[^\n])")
_FIRST_LINE = re.compile(rb"\n*[^ \t\n]")

_HEAD = re.compile(rb"^(    (?=body|chunks)|(?=frames))(body|chunks|frames): \|([+-])\n", re.MULTILINE)
"""Where a block of the canonical layout begins: its content is indented by two more."""
_LINES = {
    pad: (re.compile(rb"\n*" + pad + rb"[^ \t\n]"), re.compile(rb"\n(?!" + pad + rb"|\n)"))
    for pad in (b" " * 2, b" " * 6)
}
"""Of each indentation: how the content begins, and the end of its last line."""
_NEXT = re.compile(rb"  response:\n|    body: |- request:\n|x-|\Z")


def block_holds(data: bytes) -> bool:
    """Whether a literal block gives back exactly ``data``."""
    return _FIRST_LINE.match(data) is not None and is_exact(data)


def is_exact(data: bytes) -> bool:
    """Whether ``data`` is text that YAML readers give back as it stands in a block."""
    if not data.translate(None, _ONE_BYTE):
        return True
    try:
        return _NOT_EXACT.search(data.decode()) is None
    except UnicodeDecodeError:
        return False


def block(data: bytes, pad: bytes) -> Iterator[bytes]:
    """Write ``data``, which a block holds, as what stands behind ``key: ``, indented by ``pad``.

    ``|+`` keeps every line feed at the end, ``|-`` is for text that ends without one.
    """
    kept = data.endswith(b"\n")
    yield b"|+" if kept else b"|-"
    yield (b"\n" + pad).join(_LINE_START.split(b"\n" + data))
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
        pad = head[1] + b"  "
        content = _indented(data, head.end(), pad)
        if content is None or not is_exact(content):
            return None
        blocks.append((head[2].decode(), _without_pad(content, pad, keep=head[3] == b"+")))
        rest += data[done : head.end(2)], b": ", mark(len(blocks) - 1).encode(), b"\n"
        done = head.end() + len(content)
    return (b"".join([*rest, data[done:]]), blocks) if blocks else None


def _indented(data: bytes, start: int, pad: bytes) -> bytes | None:
    """The lines from ``start`` that are indented by ``pad``; None when anything is unusual."""
    first, last_line_end = _LINES[pad]
    end = last_line_end.search(data, start) if first.match(data, start) else None
    return data[start : end.end()] if end and _NEXT.match(data, end.end()) else None


def mark(number: int) -> str:
    """What stands in the place of the block of this number."""
    return f"{_MARK.decode()}{number}"


def is_mark(value: object) -> bool:
    """Whether a value stands in the place of some block."""
    return isinstance(value, str) and value.startswith(_MARK.decode())


def _without_pad(content: bytes, pad: bytes, *, keep: bool) -> bytes:
    text = b"\n".join(content.removeprefix(pad).split(b"\n" + pad))
    return text if keep else text.rstrip(b"\n")
