"""Event streams as bytes: every way to frame the same events, and to cut the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hypothesis import strategies as st

from wiretape.sse import ServerSentEvent
from wiretape.testing.changes import Draw

LINE_ENDS: Final[tuple[tuple[str, ...], ...]] = (("\n",), ("\r\n",), ("\r",), ("\n", "\r\n", "\r"))
"""The line ends of a stream: one kind, or all of them mixed."""

_NOISE: Final = (":", ": a comment", ":data: x", "retry: 3000", "id: 7", "foo: bar", "foo")
"""Lines that change no event; the id is one that nobody in this protocol reads."""
_PING: Final = ("event: ping", "data: {}")
_ENDS: Final = st.sampled_from(LINE_ENDS)
_MIXED: Final = st.sampled_from(LINE_ENDS[-1])
_NOISES: Final = st.sampled_from(_NOISE)
_STYLES: Final = st.integers(0, 15)
_SOMETIMES: Final = st.integers(0, 3)


@st.composite
def framings(draw: Draw, events: Sequence[ServerSentEvent]) -> bytes:
    """Event streams that hold these events, without ids of their own.

    Line ends CR, LF, CRLF or mixed; comments, retry, ids and unknown fields; pings; a blank behind the colon
    or none; the lines of a block in any order; data of an object over several lines, cut where JSON allows a
    line end; a byte order mark. No data may hold a line end or begin with a blank.
    """
    ends = draw(_ENDS)
    blocks = [_lines(draw, event) for event in events]
    if draw(_SOMETIMES) == 3:
        blocks.insert(draw(st.integers(0, len(blocks))), [*_PING])
    mark = "\ufeff" if draw(_SOMETIMES) == 3 else ""
    return (mark + "".join(_block(draw, lines, ends) for lines in blocks)).encode()


def _lines(draw: Draw, event: ServerSentEvent) -> list[str]:
    """The lines of one event. Four bits of style: no blank, name last, data cut, a line of noise."""
    style = draw(_STYLES)
    colon = ":" if style & 1 else ": "
    data = event.data
    parts = ["{", data[1:]] if style & 4 and data.startswith("{") else [data]
    lines = [f"data{colon}{part}" for part in parts]
    if event.event != "message":
        lines.insert(len(lines) if style & 2 else 0, f"event{colon}{event.event}")
    if style & 8:
        lines.insert(style % len(lines), draw(_NOISES))
    return lines


def _block(draw: Draw, lines: Sequence[str], ends: Sequence[str]) -> str:
    if len(ends) == 1:
        return "".join(line + ends[0] for line in [*lines, ""])
    each = [draw(_MIXED) for _ in lines]
    # A blank line that ends in LF, behind a line that ends in CR, would be no line at all.
    blank = "\r\n" if each[-1] == "\r" else draw(_MIXED)
    return "".join(line + end for line, end in zip(lines, each, strict=True)) + blank


@st.composite
def chunkings(draw: Draw, data: bytes) -> list[bytes]:
    """The same bytes in pieces: whole, byte by byte, or cut anywhere, inside characters and line ends too.

    A piece may be empty.
    """
    if draw(st.integers(0, 3)) == 3:
        return [data[at : at + 1] for at in range(len(data))]
    at = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[start:end] for start, end in pairwise([0, *at, len(data)])]
