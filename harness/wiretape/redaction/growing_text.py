"""One text that grows: what is kept of it, and where a word began in it that is not finished yet."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import islice
from typing import Final

from wiretape.redaction.pieces import NO_PART, Piece, open_word
from wiretape.redaction.pseudonyms import masked
from wiretape.redaction.texts import TextRedactor

_OPEN_MEMBER: Final = re.compile(r'"([\w.-]{1,64})"\s*:\s*"(?:[^"\\]|\\.)*$')
_CLOSED: Final = re.compile(r'(?<!\\)(?:\\\\)*"')
_ESCAPES: Final = 8
"""Characters before a piece in which a backslash may stand that belongs to a quote in it."""
_KEY_BEGINS: Final = "PRIVATE KEY-----"
_KEY_ENDS: Final = "-----END"
CONTEXT: Final = 160
"""Characters that are remembered of what is written: they say what comes."""


class Growing:
    """A text, and the pieces of it that are not written yet."""

    __slots__ = (
        "_in_key",
        "_in_member",
        "begins",
        "context",
        "end",
        "inside",
        "name",
        "open_from",
        "pieces",
        "seen",
    )

    def __init__(self, name: str = "", context: str = "") -> None:
        self.name = name
        """The member that it is, when that is a secret's."""
        self.context = context
        """The end of what is written."""
        self.end = context
        """The end of all that was said."""
        self.inside = False
        """Whether it ends, so far, in what is a secret beyond the next blank: in a secret member's value."""
        self.pieces: list[Piece] = []
        self.open_from: int | None = None
        """Where the piece stands with which a word began that is not finished yet."""
        self.begins: list[int] = []
        """Where those pieces stand, of the ones that are not written yet, with which a word began."""
        self.seen = 0
        self._in_key = False
        self._in_member = False

    def add(self, piece: Piece, texts: TextRedactor) -> None:
        """Take the next piece, which waits."""
        said = piece.said
        self.pieces.append(piece)
        if not said:
            return
        self.end = (self.end + said)[-CONTEXT:]
        self.inside = self._is_inside(said, texts)
        whole = self.inside or self.name
        if self.open_from is None or (NO_PART.match(said) and not whole):
            self.open_from = piece.start
            self.begins.append(piece.start)
        if NO_PART.match(said, len(said) - 1) and not whole:
            self.open_from = None

    def said(self) -> str:
        """What it says, as far as it is kept."""
        return self.context + "".join(piece.said for piece in self.pieces)

    def said_for_now(self, texts: TextRedactor) -> str:
        """What it says without secrets, at the same length; what may yet become one is masked."""
        said = self.said()
        return masked(said) if self.inside or self.name else for_now(said, texts)

    def written(self, stop: int) -> list[Piece]:
        """Let go of the pieces before a place."""
        gone = [piece for piece in self.pieces if piece.start < stop]
        del self.pieces[: len(gone)]
        if self.open_from is not None and self.open_from < stop:
            self.open_from = self.pieces[0].start if self.pieces else None
        self.begins = [begin for begin in self.begins if begin >= stop]
        return gone

    def uncut(self, stop: int) -> int:
        """Where to stop before a place so that no word is cut there: where the one begins that would be."""
        behind = bisect_left(self.pieces, stop, key=_start)
        after = next((piece.start for piece in islice(self.pieces, behind, None) if piece.said), None)
        if after is None:
            return stop
        word = bisect_right(self.begins, after)
        return min(stop, self.begins[word - 1]) if word else stop

    def remember(self, said: str) -> None:
        """Keep the end of what is written, from a word's begin on: what it was may say what comes."""
        end = said[-CONTEXT:]
        self.context = end if len(said) <= CONTEXT else end.partition(" ")[2]

    def _is_inside(self, said: str, texts: TextRedactor) -> bool:
        end = self.end
        key = end.rfind(_KEY_BEGINS)
        self._in_key = (self._in_key or key >= 0) and _KEY_ENDS not in end[max(key, 0) :]
        if '"' in said and not (self._in_member and not _CLOSED.search(end[-len(said) - _ESCAPES :])):
            self._in_member = _ends_in_member(end, texts)
        return self._in_key or self._in_member or texts.secrets.begin_in(end)


def _start(piece: Piece) -> int:
    return piece.start


def for_now(said: str, texts: TextRedactor) -> str:
    """A text that may go on, without secrets, at the same length: its last word is masked.

    All of it is, when that word ends a secret of several.
    """
    begin = open_word(said)
    before = said[:begin]
    key = before.rfind(_KEY_BEGINS)
    in_key = key >= 0 and _KEY_ENDS not in before[key:]
    if in_key or _ends_in_member(before, texts) or texts.secrets.begin_in(before):
        return masked(said)
    return texts.redact(before) + masked(said[begin:])


def _ends_in_member(text: str, texts: TextRedactor) -> bool:
    """Whether a text, which holds JSON, ends in the value of a secret member."""
    member = _OPEN_MEMBER.search(text) if '"' in text else None
    return member is not None and texts.is_secret_name(member[1])
