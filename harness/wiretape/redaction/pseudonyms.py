"""Pseudonyms: names of the same length that stand for secrets, the same name for the same secret.

A pseudonym keeps the characters by which readers tell the parts of a value: the dots of a JSON Web Token, the
``@`` of an address, slashes and blanks. It says nothing else about the secret but its length.
"""

from __future__ import annotations

import re
from typing import Final

_KEPT: Final = "./@ "
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUID_NAME: Final = "00000000-0000-4000-8000-"
_NAME: Final = re.compile(r"-*hidden-[0-9]+-*|~[0-9a-z]*~*")
_NUMBERED: Final = re.compile(rf"hidden-([0-9]{{1,6}})|{_UUID_NAME}00000000([0-9a-f]{{4}})")
_STAND_INS: Final = re.compile("[·…🔒\ud800-\udfff]")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


class Pseudonyms:
    """The pseudonyms of one session, numbered in the order in which they are asked for."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._count = 0

    def of(self, value: str) -> str:
        """The pseudonym of a value: as many characters, each as long in UTF-8 and in UTF-16.

        A pseudonym stays what it is, so that redacting twice is redacting once.
        """
        known = self._given.get(value)
        if known is None:
            known = self._given[value] = value if is_pseudonym(value) else self._next(value)
        return known

    def reserve(self, text: str) -> None:
        """Leave out the numbers that pseudonyms in a text have already."""
        for decimal, hexadecimal in _NUMBERED.findall(text):
            self._count = max(self._count, int(decimal or "0"), int(hexadecimal or "0", 16))

    def _next(self, value: str) -> str:
        self._count += 1
        if _UUID.fullmatch(value):
            return f"{_UUID_NAME}{self._count:012x}"
        frame = "".join(map(_stand_in, value))
        word = f"hidden-{self._count}"
        at = frame.find("-" * len(word))
        if at >= 0:
            return frame[:at] + word + frame[at + len(word) :]
        return _spread(frame, "~" + _short(self._count))


def masked(text: str) -> str:
    """What stands for a text that may yet become a part of a secret; it is a pseudonym of none."""
    return text.translate(_MASKS) if text.isascii() else "".join(map(_mask, text))


def is_pseudonym(value: str) -> bool:
    """Whether a value is a pseudonym, or has nothing that could be hidden."""
    if _UUID_NAME in value and len(value) == 36:
        return True
    name = _STAND_INS.sub("", value.translate(_WITHOUT_KEPT))
    return not name or _NAME.fullmatch(name) is not None


_WITHOUT_KEPT: Final = dict.fromkeys(map(ord, _KEPT))


def _stand_in(character: str) -> str:
    """What is as long, in UTF-8 and in UTF-16, and says nothing."""
    code = ord(character)
    if character in _KEPT or 0xDC80 <= code <= 0xDCFF:  # the latter are bytes that are no UTF-8
        return character
    if code < 0x80:
        return "/" if character in '"\\' or code < 0x20 or code == 0x7F else "-"
    if code < 0x800:
        return "·"
    if code > 0xFFFF:
        return "🔒"
    return "\ud83d" if 0xD800 <= code < 0xDC00 else "\udd12" if 0xDC00 <= code < 0xE000 else "…"


def _mask(character: str) -> str:
    return _stand_in(character).replace("-", "~")


_MASKS: Final = "".join(_mask(chr(code)) for code in range(0x80))


def _spread(frame: str, word: str) -> str:
    """Write a word over the free places of a frame that has no room for it in one piece."""
    free = frame.count("-")
    if free < len(word):
        word = (word[0] + word[1 - free :] if free > 1 else word[0]) if free else ""
    letters = iter(word.ljust(free, "~"))
    return "".join(next(letters) if character == "-" else character for character in frame)


def _short(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
