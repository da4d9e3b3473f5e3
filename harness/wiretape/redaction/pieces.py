"""The pieces in which a text comes: where each stands in a stream, and how it is written anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from wiretape.redaction.notation import JSON

NO_PART: Final = re.compile("[^!-~\u00a1-\u024f]")
"""A character that no secret has: a blank, a Chinese one."""
_TO_THE_LAST_BLANK: Final = re.compile(f"(?s:.*){NO_PART.pattern}")
HEAD: Final = r'\{(?:"p": ?"/message/content/parts/\d", ?"o": ?"append", ?)?"v": ?"'
"""The usual event's data, up to its text."""
_JOINT: Final = r'"\} *\n\n(?:event: delta\n)?data: '
"""What stands between two usual events' texts, up to the second one's data."""
_PLAIN: Final = r'[^"\\\x00-\x1f]*+'
ROW: Final = (
    rf"(?P<head>{HEAD})(?P<row>{_PLAIN}(?:{_JOINT}(?P=head){_PLAIN})+)"
    r'(?="\} *[\r\n])'
)
"""The data of usual events that follow each other, alike but for their texts, which have no escapes."""
_BETWEEN: Final = re.compile(f"({_JOINT}{HEAD})")


class Piece(NamedTuple):
    """A string in a stream, between its quotes: where it stands, as written, and what it says.

    The strings of a row of events are one piece, with what stands between them in ``raw``.
    """

    start: int
    raw: str
    said: str

    def saying(self, said: str) -> str:
        """How it is written when it says something else, as long."""
        if said == self.said:
            return self.raw
        written, taken = _BETWEEN.split(self.raw), 0
        for index in range(0, len(written), 2):
            begin, taken = taken, taken + len(JSON.plain(written[index]))
            written[index] = JSON.respelled(written[index], said[begin:taken])
        return "".join(written)


class Edit(NamedTuple):
    """What stands at a place of a stream from now on; as long as what was there."""

    start: int
    new: str


def piece_of(match: re.Match[str], start: int, group: int = 1) -> Piece:
    """The piece that a group of a match is; what was matched begins at ``start``."""
    return Piece(start + match.start(group), match[group], JSON.plain(match[group]))


def pieces_of_row(row: str, start: int, *, joined: bool) -> Iterator[tuple[int, Piece]]:
    """Give the texts of a row of events as pieces, each with the number of its events.

    The first event and those of the word that is not finished yet are pieces of their own, the others one
    piece when they may be ``joined``.
    """
    texts, joints = _parts(row)
    finished = 1 + _finished(texts[1:]) if joined else 1
    at = 0
    for begin, end in pairwise(sorted({0, 1, *range(finished, len(texts) + 1)})):
        said = "".join(texts[begin:end])
        stop = at + len(said) + sum(map(len, joints[begin : end - 1]))
        yield end - begin, Piece(start + at, row[at:stop], said)
        at = stop + sum(map(len, joints[end - 1 : end]))


def _parts(row: str) -> tuple[list[str], list[str]]:
    """The texts of a row, and what stands between them."""
    joint = _BETWEEN.search(row)
    assert joint is not None
    texts = row.split(joint[0])  # most rows have one sort of joint
    if '"' in "".join(texts):
        parts = _BETWEEN.split(row)
        return parts[::2], parts[1::2]
    return texts, [joint[0]] * (len(texts) - 1)


def _finished(texts: list[str]) -> int:
    """How many of the texts come before the word that is not finished yet."""
    count = len(texts)
    while count and not NO_PART.match(texts[count - 1][-1:]):
        count -= 1
        if NO_PART.match(texts[count]):
            break
    return count


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
