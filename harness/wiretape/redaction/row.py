"""The usual case of a stream in few steps: a row of events that let one text go on, and hold no secret."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, takewhile
from typing import Final, NamedTuple

from wiretape.redaction.growing_text import CONTEXT, Growing
from wiretape.redaction.pieces import Piece, open_word
from wiretape.redaction.pseudonyms import masked
from wiretape.redaction.texts import TextRedactor

_END_OF_EVENT: Final = r'"\} *\n\n'
_EVENT: Final = re.compile(
    r"(?:event: delta\n)?(?P<head>data: \{"
    r'(?:"p": ?"(?P<path>[^"\\\x00-\x1f]*+)", ?"o": ?"append", ?)?"v": ?")'
    r'(?P<text>[^"\\\x00-\x1f]*+)' + _END_OF_EVENT
)
_LOOK_BACK: Final = 40
"""Characters before new ones: a mark or a run of base64 that ends in the new ones shows there."""
_END: Final = re.compile(_END_OF_EVENT + r"\Z")
_NO_PLAIN: Final = re.compile(r'["\\\x00-\x1f]')


class Row(NamedTuple):
    """What becomes of a row, and of what waited before it."""

    events: int
    done: str
    waiting: str
    for_now: str
    """What may stand for ``waiting`` in a file: without the word that is not finished."""
    rest: str
    """What comes behind the row."""


def row_of(data: str, text: Growing, path: str, texts: TextRedactor, begin: int, waiting: int) -> Row | None:
    """Let a text go on by the events with which ``data`` begins.

    The text is at ``path``, and no other waits; ``data`` begins at ``begin`` with the events that wait, of
    that length. None when not all these and more are usual events, or when they may hold a secret.
    """
    said, end = _texts(data, path)
    new = "".join(said)
    whole = text.context + new
    unseen = whole[-len(new) - _LOOK_BACK :] if text.calm else whole
    if end <= waiting or not texts.shows_nothing_new(unseen):
        return None
    if texts.secrets.found_in(whole) or texts.secrets.begin_in(whole):
        return None
    text.calm = True
    row, rest = data[:end], data[end:]
    first, offset = _open_word(said)
    cut = _start(row, len(said) - first)
    text.remember(text.context + "".join(said[:first]))
    text.end = whole[-CONTEXT:]
    text.pieces, text.open_from = [], None
    if cut == end:
        return Row(len(said), row, "", "", rest)
    text.pieces = [
        Piece(begin + each.start("text"), each["text"], each["text"]) for each in _EVENT.finditer(row, cut)
    ]
    text.open_from = text.pieces[0].start
    return Row(len(said), row[:cut], row[cut:], _masked(row, cut, text.pieces, begin, offset), rest)


def _texts(data: str, path: str) -> tuple[list[str], int]:
    """The texts of the first events, alike but for them and of no other ``path``, and where they end."""
    event = _EVENT.match(data)
    if event is None or event["path"] not in (None, path):
        return [], 0
    if event.end() == len(data):
        return [event["text"]], len(data)
    head = event["head"]
    joint = _joint(head)
    said = joint.split(data[event.end("head") :])
    last = _END.search(said[-1])
    if last is not None:
        said[-1] = said[-1][: last.start()]
        if not _NO_PLAIN.search("".join(said)):
            return said, len(data)
    said = list(takewhile(_is_plain, said[:-1]))
    ends = [each.start() for each in islice(joint.finditer(data), len(said))]
    return said, data.index("\n\n", ends[-1]) + 2 if ends else 0


@lru_cache(maxsize=64)
def _joint(head: str) -> re.Pattern[str]:
    """What stands between the texts of two events that begin so."""
    return re.compile(rf"{_END_OF_EVENT}(?:event: delta\n)?{re.escape(head)}")


def _is_plain(text: str) -> bool:
    return _NO_PLAIN.search(text) is None


def _open_word(said: list[str]) -> tuple[int, int]:
    """In which text the word begins in which the last one ends, and where in it."""
    for index in range(len(said) - 1, -1, -1):
        offset = open_word(said[index])
        if offset:
            return (index, offset) if offset < len(said[index]) else (index + 1, 0)
    return 0, 0


def _start(row: str, count: int) -> int:
    """Where the last so many events begin."""
    cut = len(row)
    for _ in range(count):
        cut = row.rfind("\n\n", 0, cut - 2) + 2
    return cut if cut > 1 else 0


def _masked(row: str, cut: int, pieces: list[Piece], begin: int, offset: int) -> str:
    """The row from ``cut`` on; of the texts in it, what stands before ``offset`` of the first one stays."""
    parts, at = [], cut
    for piece in pieces:
        start = piece.start - begin + offset
        end = piece.start - begin + len(piece.raw)
        parts += [row[at:start], masked(row[start:end])]
        at, offset = end, 0
    return "".join([*parts, row[at:]])
