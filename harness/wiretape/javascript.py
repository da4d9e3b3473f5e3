"""What JavaScript makes of a value: its text, and strings counted in UTF-16 units.

Deltas are defined by what the client does, and the client is JavaScript. Python keeps the two halves of a
surrogate pair apart when they come from two texts; ``joined`` makes them one character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from wiretape.strictjson import ABSENT

_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_WORDS: Final[dict[Any, str]] = {None: "null", ABSENT: "undefined"}


def text(value: Any) -> str:
    """Convert as ``String(value)`` does: ``1.0`` is ``1``, an object ``[object Object]``."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, list):
        return ",".join(_leaf_texts(value))
    return "[object Object]" if isinstance(value, dict) else _WORDS[value]


def _leaf_texts(items: list[Any]) -> list[str]:
    texts: list[str] = []
    rest = items[::-1]
    while rest:  # a loop: lists may nest deeper than Python likes to recurse
        item = rest.pop()
        if isinstance(item, list) and item:
            rest += item[::-1]
        else:
            texts.append("" if item is None else text(item))
    return texts


def number_text(number: float) -> str:
    """Write the shortest decimal that reads back as the same double, in JavaScript's layout."""
    sign, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    assert isinstance(exponent, int), f"expected a JSON number, got {number!r}"
    figures = "".join(map(str, digits))
    point = len(figures) + exponent  # where the decimal point stands, counted from the first figure
    if figures == "0":
        return "0"
    return "-" * sign + _laid_out(figures, point)


def _laid_out(figures: str, point: int) -> str:
    if len(figures) <= point <= 21:
        return figures.ljust(point, "0")
    if 0 < point < len(figures):
        return f"{figures[:point]}.{figures[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + figures
    mantissa = figures[0] + ("." + figures[1:] if len(figures) > 1 else "")
    return f"{mantissa}e{point - 1:+d}"


def joined(pieces: Iterable[str]) -> str:
    """Concatenate; halves of a surrogate pair that meet become the one character that they mean."""
    whole = "".join(pieces)
    return whole if whole.isascii() else _PAIR.sub(_one_character, whole)


def _one_character(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def first_units(string: str, count: int) -> str:
    """Keep the first ``count`` UTF-16 units; a cut inside a surrogate pair leaves its first half."""
    if string.isascii():
        return string[:count]
    units = string.encode("utf-16-le", "surrogatepass")[: 2 * count]
    return units.decode("utf-16-le", "surrogatepass")


def unit_count(string: str) -> int:
    """Count UTF-16 units: 2 for a character beyond U+FFFF."""
    return len(string.encode("utf-16-le", "surrogatepass")) // 2
