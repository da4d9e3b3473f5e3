"""The chunk table: one line per chunk, ``13+142`` is 13 ms after the chunk before, 142 bytes long."""

from __future__ import annotations

import json
import re
from itertools import chain

from wiretape.cassette.model import Chunks
from wiretape.cassette.refusal import refusal, shown

DELAY = r"(?!0[0-9])[0-9]{1,9}+(?:\.[0-9]{1,3}+)?"
"""Milliseconds: up to three decimals, and no second way to write the same number of them."""

_CUT = DELAY + r"\+[1-9][0-9]{0,11}+"
_LINE = re.compile(_CUT)
_TABLE = re.compile(f"(?:{_CUT}\n)*(?:{_CUT})?")
_AS_COMMAS = str.maketrans("+\n", ",,")


def read_chunks(table: str, size: int, at: str) -> Chunks:
    """Read the table of a body of ``size`` bytes. Raises CassetteError for a bad line or a wrong sum."""
    if not _TABLE.fullmatch(table):
        raise _bad_line(table, at)
    # The JSON reader is the fastest parser of many numbers that the standard library has.
    numbers = json.loads(f"[{table.translate(_AS_COMMAS).rstrip(',')}]")
    chunks = Chunks(delays=tuple(numbers[::2]), lengths=tuple(numbers[1::2]))
    total = sum(chunks.lengths)
    if total != size:
        raise _wrong_sum(total, size, at)
    return chunks


def write_chunks(chunks: Chunks) -> bytes:
    """Write the table. Raises CassetteError for a delay that it can't hold exactly: nothing is rounded."""
    numbers = chain.from_iterable(zip(chunks.delays, chunks.lengths, strict=True))
    table = ("%r+%r\n" * len(chunks.lengths) % tuple(numbers)).replace(".0+", "+")
    if not _TABLE.fullmatch(table):
        raise _bad_line(table.rstrip("\n"), "interactions[].response.chunks")
    return table.encode()


def _bad_line(table: str, at: str) -> Exception:
    lines = enumerate(table.split("\n"), start=1)
    number, line = next((number, line) for number, line in lines if not _LINE.fullmatch(line))
    return refusal(
        at=f"{at}, its line {number}",
        want="DELAY+LENGTH, milliseconds since the chunk before and bytes, such as 13+142",
        got=shown(line),
        hint="write one chunk a line; round delays to three decimals; a length is 1 or more",
    )


def _wrong_sum(total: int, size: int, at: str) -> Exception:
    off = abs(total - size)
    return refusal(
        at=at,
        want=f"lengths that add up to the body's {size} bytes",
        got=f"{total} bytes, {off} too {'many' if total > size else 'few'}",
        hint="correct the chunk that was edited, or leave chunks out to get one chunk per event; "
        "if nobody edited it, an editor may have taken blanks from the ends of lines",
    )
