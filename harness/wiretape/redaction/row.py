"""The usual case of a stream in few steps: a row of events that let one text go on, and hold no secret."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, takewhile
from typing import Final

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
_MOST_REMEMBERED: Final = 4 * CONTEXT
"""Characters, more than are needed, so that they need not be cut each time."""
_LONG_WORD: Final = 1024
"""Characters from which on a word that waits is no usual one."""
_END: Final = re.compile(_END_OF_EVENT + r"\Z")
_NO_PLAIN: Final = re.compile(r'["\\\x00-\x1f]')


class Row:
    """Takes the events with which one text goes on; what waits of them is the word that is not finished."""

    __slots__ = (
        "_calm",
        "_count",
        "_offset",
        "_path",
        "_recent",
        "_said",
        "_text",
        "_texts",
        "_word",
        "waiting",
    )

    def __init__(self, text: Growing, path: str, texts: TextRedactor, waiting: str) -> None:
        """``text`` is at ``path``; if something waits it is of this text alone, and in ``waiting``."""
        self._text = text
        self._path = path
        self._texts = texts
        self._count = 0
        """Events that were taken."""
        self._recent = text.said()
        """The end of all that was said."""
        self._calm = False
        """Whether that was looked at, and nothing in it could begin a secret."""
        self._word = len(self._recent) - open_word(self._recent)
        """Characters of the word that is not finished."""
        self.waiting = waiting
        """The events that wait."""
        self._said = [each["text"] for each in _EVENT.finditer(waiting)]
        """Their texts."""
        _, self._offset = _place(self._said, self._word)
        """Where in the first of them that word begins."""

    def for_now(self) -> str:
        """What may stand in a file for the events that wait: all but the word that is not finished."""
        shown, begin = "", len(self.waiting)
        for text in reversed(self._said):
            stop = self.waiting.rindex('"', 0, self.waiting.rindex("\n\n", 0, begin))
            shown = masked(text) + self.waiting[stop:begin] + shown
            begin = stop - len(text)
        return self.waiting[: begin + self._offset] + shown[self._offset :]

    def take(self, data: str) -> tuple[str, str] | None:
        """Take the events with which ``data`` begins; give those that may be written by now, and the rest.

        None when it begins with no usual event, or when these may hold a secret.
        """
        said, end = _said(data, self._path)
        new = "".join(said)
        recent = self._recent + new
        if not said or self._word > _LONG_WORD or not self._is_harmless(recent, len(new)):
            return None
        self._count += len(said)
        row, said = self.waiting + data[:end], self._said + said
        word = new.rfind(" ") + 1 if new.isascii() else open_word(new)
        self._word = len(new) - word if word else self._word + len(new)
        index, self._offset = _place(said, self._word)
        cut = _start(row, len(said) - index)
        self._said, self.waiting = said[index:], row[cut:]
        self._recent = recent if len(recent) < _MOST_REMEMBERED else recent[-CONTEXT - self._held() :]
        return row[:cut], data[end:]

    def leave(self, begin: int) -> int:
        """Give back the text, for other steps to go on with it; the events that wait begin at ``begin``.

        How many events were taken.
        """
        text, recent = self._text, self._recent
        text.remember(recent[: len(recent) - self._held()])
        text.end = recent[-CONTEXT:]
        waits = [(begin + each.start("text"), each["text"]) for each in _EVENT.finditer(self.waiting)]
        text.pieces = [Piece(start, said, said) for start, said in waits]
        text.open_from = text.pieces[0].start if text.pieces else None
        return self._count

    def _held(self) -> int:
        """Characters in the texts of the events that wait."""
        return sum(map(len, self._said))

    def _is_harmless(self, recent: str, new: int) -> bool:
        """Whether there is no secret in the last so many characters, nor in what was not looked at."""
        size = new + _LOOK_BACK if self._calm else len(recent)
        word = new + self._word if self._calm else len(recent)
        if not self._texts.shows_nothing_new(recent[-size:]) or self._texts.secrets.show_in(recent, word):
            return False
        self._calm = True
        return True


def row_of(text: Growing, path: str, texts: TextRedactor, waiting: str) -> Row | None:
    """Let a text go on by usual events, if only such ones wait."""
    usual = "".join([each[0] for each in _EVENT.finditer(waiting)])
    return Row(text, path, texts, waiting) if usual == waiting else None


def _said(data: str, path: str) -> tuple[list[str], int]:
    """The texts of the first events, alike but for them and of no other ``path``, and where they end."""
    event = _EVENT.match(data)
    if event is None or event["path"] not in (None, path):
        return [], 0
    if event.end() == len(data):
        return [event["text"]], len(data)
    joint = _joint(event["head"])
    said = joint.split(data[event.end("head") :])
    last = _END.search(said[-1])
    if last is not None and _is_plain(said[-1][: last.start()]):
        said[-1] = said[-1][: last.start()]
        end = len(data)
    else:
        end = data.rfind("\n\n", 0, len(data) - len(said.pop())) + 2
    if _is_plain("".join(said)):
        return said, end
    said = list(takewhile(_is_plain, said))
    ends = [each.start() for each in islice(joint.finditer(data), len(said))]
    return said, data.index("\n\n", ends[-1]) + 2 if ends else 0


@lru_cache(maxsize=64)
def _joint(head: str) -> re.Pattern[str]:
    """What stands between the texts of two events that begin so."""
    return re.compile(rf"{_END_OF_EVENT}(?:event: delta\n)?{re.escape(head)}")


def _is_plain(text: str) -> bool:
    return _NO_PLAIN.search(text) is None


def _place(said: list[str], count: int) -> tuple[int, int]:
    """In which text the last so many characters begin, and where in it."""
    index = len(said)
    while count > 0 and index:
        index -= 1
        count -= len(said[index])
    return index, max(0, -count)


def _start(row: str, count: int) -> int:
    """Where the last so many events begin."""
    cut = len(row)
    for _ in range(count):
        cut = row.rfind("\n\n", 0, cut - 2) + 2
    return cut if cut > 1 else 0
