"""Spellings of characters: the escapes of JSON and of URLs, undone, and put back at the same length."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote, unquote_to_bytes

_TWO_LETTERS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX: Final = "[0-9a-fA-F]"
_JSON_ESCAPE: Final = (
    rf'\\(?:u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|["\\/bfnrt])'  # a pair is one
)
_FURTHER: Final = rf"%[89abAB]{_HEX}"
_URL_ESCAPE: Final = (
    rf"%[0-7]{_HEX}|%[c-dC-D]{_HEX}{_FURTHER}|%[eE]{_HEX}(?:{_FURTHER}){{2}}|%[fF][0-4](?:{_FURTHER}){{3}}"
)


class Notation:
    """A way to spell characters: each match of ``units`` is one character, all else is itself."""

    def __init__(self, marks: str, units: str) -> None:
        self._marks = tuple(marks)
        self._units = re.compile(units)

    def plain(self, text: str) -> str:
        """Undo the escapes, one level of them."""
        if not any(mark in text for mark in self._marks):
            return text
        return self._units.sub(_character_of, text)

    def respelled(self, text: str, new: str) -> str:
        """Write ``new``, which is as long as ``plain(text)``, with the escapes that ``text`` has.

        A character goes into an escape of the same length only; where that can't be, the old one stays.
        """
        pieces, read, taken = [], 0, 0
        for match in self._units.finditer(text):
            begin = taken
            taken += match.start() - read
            pieces += [new[begin:taken], _spelled_like(match[0], new[taken])]
            read, taken = match.end(), taken + 1
        return "".join([*pieces, new[taken:]])


JSON: Final = Notation("\\", _JSON_ESCAPE)
EVERY: Final = Notation("\\%", f"{_JSON_ESCAPE}|{_URL_ESCAPE}")
"""JSON's and those of URLs."""


def deepest(text: str, change: Callable[[str], str]) -> str:
    """Change a text under all its escapes; ``change`` keeps the length."""
    inner = EVERY.plain(text)
    return change(text) if inner == text else EVERY.respelled(text, deepest(inner, change))


def undone(text: str) -> str:
    """Undo every level of escapes."""
    inner = EVERY.plain(text)
    return text if inner == text else undone(inner)


def inside_escape(text: str, position: int) -> bool:
    """Whether a character may be a part of a JSON escape, so that changing it would spoil the JSON."""
    before = _BEGUN.search(text, max(0, position - 64), position)
    return before is not None and len(before[1]) % 2 == 1 and (before[2] != "" or text[position] in _SECOND)


_BEGUN: Final = re.compile(rf"(\\+)(u{_HEX}{{0,3}}|)$")
_SECOND: Final = '"\\/bfnrtu'


def _character_of(match: re.Match[str]) -> str:
    return _character(match[0])


def _character(unit: str) -> str:
    if unit[0] == "%":
        return unquote_to_bytes(unit).decode(errors="replace")[0]
    if len(unit) == 2:
        return _TWO_LETTERS.get(unit[1], unit[1])
    if len(unit) == 6:
        return chr(int(unit[2:], 16))
    return bytes.fromhex(unit[2:6] + unit[8:]).decode("utf-16-be")


def _spelled_like(unit: str, character: str) -> str:
    if _character(unit) == character:
        return unit
    if unit[0] == "%":
        spelled = quote(character, safe="") if ord(character) > 127 else f"%{ord(character):02X}"
    elif len(unit) == 2:
        spelled = "\\" + character if character in '"\\/' else unit
    else:
        units = character.encode("utf-16-be", "surrogatepass")
        spelled = "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    return spelled if len(spelled) == len(unit) else unit
