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
    """Takes the events with which one text goes on; what waits begins at the word that is not finished."""

    __slots__ = ("_count", "_open", "_path", "_recent", "_text", "_texts", "_word", "waiting")

    def __init__(self, text: Growing, path: str, texts: TextRedactor, waiting: str) -> None:
        """``text`` is at ``path``; if something waits it is usual events of this text alone: ``waiting``."""
        self._text = text
        self._path = path
        self._texts = texts
        self._count = 0
        """Events that were taken."""
        self._recent = text.said()
        """The end of all that was said: it holds no secret."""
        self._word = len(self._recent) - open_word(self._recent)
        """Characters of the word that is not finished."""
        self.waiting = waiting
        """What may not be written yet: once events were taken, that word and what stands behind it."""
        self._open, _ = _last_word(waiting, [each["text"] for each in _EVENT.finditer(waiting)], self._word)
        """The pieces of that word, each with what stands behind it."""

    def for_now(self) -> str:
        """What may stand in a file for what waits, once events were taken: the word is masked."""
        shown = ""
        for text, behind in self._open:
            shown += masked(text) + behind
        return shown

    def take(self, data: str) -> tuple[str, str] | None:
        """Take the events with which ``data`` begins; give what may be written by now, and what is left.

        None when it begins with no usual event, or when these may hold a secret.
        """
        event = _EVENT.match(data)
        if event is None or event["path"] not in (None, self._path) or self._word > _LONG_WORD:
            return None
        is_one = event.end() == len(data)
        said, end = ([event["text"]], len(data)) if is_one else _said(data, event)
        new = "".join(said)
        if not said or not self._is_harmless(new):
            return None
        self._count += len(said)
        word = new.rfind(" ") + 1 if new.isascii() else open_word(new)
        done = self._begin_word(event, word) if is_one and word else self._go_on(said, word, data[:end])
        return done, data[end:]

    def leave(self, begin: int) -> int:
        """Give back the text, for other steps to go on with it; what waits begins at ``begin``.

        How many events were taken, one at least.
        """
        text, recent = self._text, self._recent
        text.pieces = []
        for said, behind in self._open:
            text.pieces.append(Piece(begin, said, said))
            begin += len(said) + len(behind)
        text.open_from = text.pieces[0].start if text.pieces else None
        text.begins = [text.pieces[0].start] if text.pieces else []
        held = sum(len(said) for said, _ in self._open)
        text.remember(recent[: len(recent) - held])
        text.end = recent[-CONTEXT:]
        return self._count

    def _is_harmless(self, new: str) -> bool:
        """Whether there is no secret when the text goes on so; then it has."""
        recent, word = self._recent + new, self._word + len(new)
        if not self._texts.shows_nothing_new(recent[-len(new) - _LOOK_BACK :]):
            return False
        if self._texts.secrets.show_in(recent, word):
            return False
        self._recent = recent if len(recent) < _MOST_REMEMBERED else recent[-CONTEXT - word :]
        return True

    def _begin_word(self, event: re.Match[str], at: int) -> str:
        """Go on by one event, as most come, in whose text a word begins; give what may be written by now."""
        text, data, stop = event["text"], event.string, event.end("text")
        self._word = len(text) - at
        cut = stop - self._word if self._word else len(data)
        done, self.waiting = self.waiting + data[:cut], data[cut:]
        self._open = [(text[at:], data[stop:])] if self._word else []
        return done

    def _go_on(self, said: list[str], at: int, row: str) -> str:
        """Go on by the events of a row, in whose texts the last word begins; give what may be written."""
        row, size = self.waiting + row, sum(map(len, said))
        if at:
            self._word = size - at
        else:
            self._word += size
            said = [text for text, _ in self._open] + said
        self._open, cut = _last_word(row, said, self._word)
        self.waiting = row[cut:]
        return row[:cut]


def row_of(text: Growing, path: str, texts: TextRedactor, waiting: str) -> Row | None:
    """Let a text go on by usual events, if only such ones wait, and it holds no secret so far."""
    usual = "".join([each[0] for each in _EVENT.finditer(waiting)])
    if usual != waiting or not texts.is_plain(text.said()) or texts.secrets.begin_in(text.said()):
        return None
    return Row(text, path, texts, waiting)


def _said(data: str, first: re.Match[str]) -> tuple[list[str], int]:
    """The texts of the events with which data begins, alike but for them, and where they end."""
    joint = _joint(first["head"])
    said = joint.split(data[first.end("head") :])
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


def _last_word(row: str, said: list[str], word: int) -> tuple[list[tuple[str, str]], int]:
    """The last so many characters of the texts of a row's events, and where they begin in the row.

    They come in pieces, each with what stands behind it, up to the next one.
    """
    pieces, begin = [], len(row)
    for text in reversed(said):
        if word <= 0:
            break
        stop = row.rindex('"', 0, row.rindex("\n\n", 0, begin))
        text = text[-word:]
        pieces.append((text, row[stop:begin]))
        begin = stop - len(text)
        word -= len(text)
    return pieces[::-1], begin
