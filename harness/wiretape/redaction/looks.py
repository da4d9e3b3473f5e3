"""Quick looks at a text: what can't be in it. Most texts hold no secret, and to see that must cost little."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from wiretape.redaction.pieces import NO_PART

WRAPPED: Final = re.compile(r"[A-Za-z0-9+/_-]{20,}+={0,2}")
"""What may be base64 of a text."""
_LONG_WORD: Final = b"a" * 20
_WORDS: Final = bytes(ord("a" if WRAPPED.match(chr(byte) * 20) else " ") for byte in range(256))
"""Makes one letter of all that base64 is written with, and a blank of all else."""
_SIGN: Final = 1
_DIGIT: Final = re.compile("[0-9]")
_FEW: Final = 4
"""Secrets that are looked for one by one sooner than a text is looked through for a digit."""
_MANY: Final = 160
"""Secrets from which on it is sooner done to look up all ends of six characters that a text has."""
_END: Final = 6
_RARE_FIRST: Final = '@"=\\%<>{}/_-~JQZXzqxjKVYUGFBWHPDNMORLCESTAI0123456789'
"""Characters, those first that few texts have. What is not in it stands in nearly every text."""
_STANDARD: Final = str.maketrans("-_", "+/")


class Marks:
    """Strings one of which stands in every text that is to be looked at more closely."""

    def __init__(self, marks: Iterable[str]) -> None:
        marks = list(marks)
        rarest = {mark: min(mark, key=_rank, default="") for mark in marks}
        self._always = not all(mark.isascii() and mark for mark in marks)
        self._marks = tuple(marks)
        self._frequent = tuple(mark for mark, sign in rarest.items() if sign not in _RARE_FIRST)
        """Those of which no character is rare."""
        self._signs = "".join({sign for sign in rarest.values() if sign in _RARE_FIRST}).encode(
            "ascii", "ignore"
        )
        """Rare characters one of which stands in each of the others."""
        self._kinds = bytes(_SIGN if byte in self._signs else _WORDS[byte] for byte in range(256))

    def absent_at_a_glance(self, text: str) -> bool:
        """Whether a text shows at once that none of them is in it, and no word as long as base64."""
        kinds = ascii_of(text).translate(self._kinds)
        if _SIGN in kinds or _LONG_WORD in kinds:
            return False
        for mark in self._frequent:
            if mark in text:
                return False
        return not self._always

    def are_in(self, text: str, raw: bytes) -> bool:
        """Whether one of them is in a text, of which ``raw`` is the ASCII."""
        is_rare = len(raw.translate(None, self._signs)) < len(raw)
        for mark in self._marks if is_rare else self._frequent:
            if mark in text:
                return True
        return self._always


class Secrets:
    """Values that are secrets wherever they stand, in the order in which they were seen."""

    def __init__(self) -> None:
        self._all: dict[str, int] = {}
        """Each with its place in the order."""
        self._without_digit: dict[str, None] = {}
        self._by_end: dict[str, list[str]] = {}
        self._short: list[str] = []
        """Those too short to be found by their end."""
        self._of_words: dict[str, str] = {}
        """Those with blanks, each with its first word."""
        self._shortest = sys.maxsize

    def add(self, value: str) -> None:
        if value in self._all:
            return
        self._all[value] = len(self._all)
        if len(value) < _END:
            self._short.append(value)
        else:
            self._by_end.setdefault(value[-_END:], []).append(value)
        self._shortest = min(self._shortest, len(value))
        if not _DIGIT.search(value):
            self._without_digit[value] = None
        first = NO_PART.search(value)
        if first is not None:
            self._of_words[value] = value[: first.end()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def found_in(self, text: str) -> list[str]:
        """Those that stand in a text."""
        if not self._all:
            return []
        if len(self._all) > _MANY:
            return sorted(self._found_by_end(text), key=self._all.__getitem__)
        few = len(self._all) <= _FEW
        candidates = self._all if few or _DIGIT.search(text) else self._without_digit
        return [value for value in candidates if value in text]

    def _found_by_end(self, text: str) -> list[str]:
        ends = {text[at : at + _END] for at in range(len(text) - _END + 1)}
        candidates = [value for end in ends & self._by_end.keys() for value in self._by_end[end]]
        return [value for value in candidates + self._short if value in text]

    def show_in(self, text: str, word: int) -> bool:
        """Whether one of them stands in a text or begins there; before its last word is none without blanks.

        ``word``: characters of that.
        """
        if word >= self._shortest and self.found_in(text[-word:]):
            return True
        return bool(self._of_words) and (any(each in text for each in self._of_words) or self.begin_in(text))

    def begin_in(self, text: str) -> bool:
        """Whether a text may end in the first words of one of them."""
        if not self._of_words:
            return False
        return any(first in text[-len(value) :] for value, first in self._of_words.items())


def ascii_of(text: str) -> bytes:
    """A text with a question mark for all that is no ASCII: bytes are looked through sooner."""
    return text.encode("ascii", "replace")


def holds_wrapped(text: str, raw: bytes) -> bool:
    """Whether a text, of which ``raw`` is the ASCII, may have another one in it in base64."""
    words = raw.translate(_WORDS)
    begin = words.find(_LONG_WORD)
    while begin >= 0:
        end = words.find(b" ", begin)
        if unwrapped(text[begin : end if end >= 0 else None]) is not None:
            return True
        begin = words.find(_LONG_WORD, end) if end >= 0 else -1
    return False


def unwrapped(token: str) -> str | None:
    """The text that a token is the base64 of; None when it is that of no text."""
    return _short_unwrapped(token) if len(token) <= _REMEMBERED else _unwrapped(token)


_REMEMBERED: Final = 64
"""Characters: ids and long words come again and again."""


def _unwrapped(token: str) -> str | None:
    body = token.rstrip("=").translate(_STANDARD)
    body = body[:-1] if len(body) % 4 == 1 else body
    try:
        inner = base64.b64decode(body + "=" * (-len(body) % 4)).decode()
    except UnicodeDecodeError:
        return None
    return inner if inner.isprintable() or "\n" in inner else None


_short_unwrapped = lru_cache(maxsize=1024)(_unwrapped)


def _rank(character: str) -> int:
    at = _RARE_FIRST.find(character)
    return at if at >= 0 else len(_RARE_FIRST)
