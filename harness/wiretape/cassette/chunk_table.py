"""The chunk table: one line per chunk, ``13+142`` is 13 ms after the chunk before, 142 bytes long."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wiretape.cassette.model import Cut
from wiretape.cassette.refusal import refusal, shown

_CUT = "[0-9]{1,9}(?:\\.[0-9]{1,3})?\\+[0-9]{1,12}"
_LINE = re.compile(_CUT)
_TABLE = re.compile(f"(?:{_CUT}\n)*+(?:{_CUT})?")


def read_chunks(table: str, size: int, at: str) -> tuple[Cut, ...]:
    """Read the cuts of a body of ``size`` bytes. Raises CassetteError for a bad line or a wrong sum."""
    if not _TABLE.fullmatch(table):
        raise _bad_line(table, at)
    numbers = table.replace("+", "\n").split()
    lengths = [int(length) for length in numbers[1::2]]
    if 0 in lengths:
        raise _bad_line(table, at)
    if sum(lengths) != size:
        raise _wrong_sum(sum(lengths), size, at)
    return tuple(map(Cut, map(float, numbers[::2]), lengths))


def write_chunks(cuts: Iterable[Cut]) -> bytes:
    """Write the table. Delays are whole microseconds: more digits are refused, never rounded in silence."""
    return "".join([f"{_delay(cut.delay)}+{cut.length}\n" for cut in cuts]).encode()


def _delay(delay: float) -> str:
    text = f"{delay:.3f}".rstrip("0").rstrip(".")
    if not _LINE.fullmatch(f"{text}+1") or float(text) != delay:
        raise refusal(
            at="interactions[].response.chunks",
            want="a delay from 0 to 999999999 ms with at most three decimals",
            got=shown(delay),
            hint="round the delay: round(milliseconds, 3)",
        )
    return text


def _bad_line(table: str, at: str) -> Exception:
    lines = enumerate(table.split("\n"), start=1)
    number, line = next(
        (n, ln) for n, ln in lines if not _LINE.fullmatch(ln) or not int(ln.partition("+")[2])
    )
    return refusal(
        at=f"{at}, its line {number}",
        want="DELAY+LENGTH, milliseconds since the chunk before and bytes, such as 13+142",
        got=shown(line),
        hint="write one chunk a line; delays have at most three decimals, lengths are 1 or more",
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
