"""The pieces in which a text comes: where each stands in a stream, and how it is written anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from wiretape.redaction.notation import JSON

NO_PART: Final = re.compile("[^!-~\u00a1-\u024f]")
"""A character that no secret has: a blank, a Chinese one."""
_TO_THE_LAST_BLANK: Final = re.compile(f"(?s:.*){NO_PART.pattern}")


class Piece(NamedTuple):
    """A string in a stream, between its quotes: where it stands, as written, and what it says."""

    start: int
    raw: str
    said: str

    def saying(self, said: str) -> str:
        """How it is written when it says something else, as long."""
        if said == self.said:
            return self.raw
        return JSON.respelled(self.raw, said)


class Edit(NamedTuple):
    """What stands at a place of a stream from now on; as long as what was there."""

    start: int
    new: str


def piece_of(match: re.Match[str], start: int, group: int = 1) -> Piece:
    """The piece that a group of a match is; what was matched begins at ``start``."""
    return Piece(start + match.start(group), match[group], JSON.plain(match[group]))


def open_word(said: str) -> int:
    """Where the word begins in which a text ends."""
    if said.endswith(" "):
        return len(said)
    blank = _TO_THE_LAST_BLANK.match(said)
    return blank.end() if blank else 0


def distributed(pieces: list[Piece], new: str) -> Iterator[Edit]:
    """Each piece as it is written when together they say something new."""
    taken = 0
    for piece in pieces:
        begin, taken = taken, taken + len(piece.said)
        yield Edit(piece.start, piece.saying(new[begin:taken]))
