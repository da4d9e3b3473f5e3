"""The usual case of a stream in few steps: a row of events that let one text go on, and hold no secret."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, takewhile
from typing import Final, TypeAlias

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


_Event: TypeAlias = tuple[str, int, int]
"""An event that waits, and where its text begins and ends in it."""


class Row:
    """Takes the events with which one text goes on; what waits of them is the word that is not finished."""

    __slots__ = ("_calm", "_count", "_held", "_offset", "_open", "_path", "_recent", "_text", "_texts")

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
        self._open = _events(waiting)
        """The events that wait."""
        self._held = sum(stop - start for _, start, stop in self._open)
        """Characters of their texts."""
        self._offset = 0
        """How many of these come, in the first one, before the word that is not finished."""

    @property
    def waiting(self) -> str:
        """The events that wait."""
        return "".join([raw for raw, _, _ in self._open])

    def for_now(self) -> str:
        """What may stand in a file for these: all but the word that is not finished."""
        shown, offset = "", self._offset
        for raw, start, stop in self._open:
            start += offset
            shown += raw[:start] + masked(raw[start:stop]) + raw[stop:]
            offset = 0
        return shown

    def take(self, data: str) -> tuple[str, str] | None:
        """Take the events with which ``data`` begins; give those that may be written by now, and the rest.

        None when it begins with no usual event, or when these may hold a secret.
        """
        said, end = _said(data, self._path)
        new = "".join(said)
        recent = self._recent + new
        if not said or self._held > _LONG_WORD or not self._is_harmless(recent, len(new)):
            return None
        self._count += len(said)
        done = self._go_on(said, new, data[:end])
        self._recent = recent if len(recent) < _MOST_REMEMBERED else recent[-CONTEXT - self._held :]
        return done, data[end:]

    def leave(self, begin: int) -> int:
        """Give back the text, for other steps to go on with it; the events that wait begin at ``begin``.

        How many events were taken.
        """
        text, recent = self._text, self._recent
        text.remember(recent[: len(recent) - self._held])
        text.end = recent[-CONTEXT:]
        text.pieces = []
        for raw, start, stop in self._open:
            said = raw[start:stop]
            text.pieces.append(Piece(begin + start, said, said))
            begin += len(raw)
        text.open_from = text.pieces[0].start if text.pieces else None
        return self._count

    def _go_on(self, said: list[str], new: str, row: str) -> str:
        """Let the text go on by those of a row, which are ``new`` together; what may be written by now."""
        word = open_word(new)
        if not word:
            self._open += _last_events(row, said)
            self._held += len(new)
            return ""
        index, offset = _place(said, len(new) - word)
        opened = _last_events(row, said[index:])
        done = self.waiting + row[: len(row) - sum([len(raw) for raw, _, _ in opened])]
        self._open, self._held, self._offset = opened, len(new) - word + offset, offset
        return done

    def _is_harmless(self, recent: str, new: int) -> bool:
        """Whether there is no secret in the last so many characters, nor in what was not looked at."""
        unseen = recent[-new - _LOOK_BACK :] if self._calm else recent
        secrets = self._texts.secrets
        if not self._texts.shows_nothing_new(unseen) or secrets.found_in(recent) or secrets.begin_in(recent):
            return False
        self._calm = True
        return True


def _events(row: str) -> list[_Event]:
    """The usual events in a row."""
    found = [(each, each.start()) for each in _EVENT.finditer(row)]
    return [(each[0], each.start("text") - begin, each.end("text") - begin) for each, begin in found]


def _last_events(row: str, said: list[str]) -> list[_Event]:
    """The last events of a row, which say this."""
    events, end = [], len(row)
    for text in reversed(said):
        begin = row.rfind("\n\n", 0, end - 2) + 2
        raw = row[begin:end] if begin > 1 else row[:end]
        stop = raw.rindex('"')
        events.append((raw, stop - len(text), stop))
        end = begin
    return events[::-1]


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
    while count > 0:
        index -= 1
        count -= len(said[index])
    return index, -count
