"""Redacts a body as it comes: what is safe goes on at once, what may be a part of a secret waits."""

from __future__ import annotations

import re
from typing import Final

from wiretape.redaction.growing import GrowingTexts
from wiretape.redaction.pieces import Edit
from wiretape.redaction.row import Row, row_of
from wiretape.redaction.texts import TextRedactor

_SOME_STREAM: Final = re.compile(rb"\xef?\xbb?\xbf?\s*(?:event|data|id|retry)?:")
_ENOUGH_TO_TELL: Final = 16
_EVENTS_END: Final = re.compile(rb".*(?:\n\n|\r\n\r\n|\r\r|\n\r\n)", re.DOTALL)
_DATA: Final = re.compile(r"(?<![^\r\n])(?:data: ?([^\r\n]*)|(\{[^\r\n]*))")
_HEAD: Final = r'\{(?:"p": ?"/message/content/parts/\d", ?"o": ?"append", ?)?"v": ?"'
_NOTHING_LEFT: Final = re.compile(rf'(?:(?:event: delta\n)?(?:data: {_HEAD}…"\}} *\n\n)?)*+')
"""The usual events, without their texts."""
_MOST_EVENTS: Final = 64 * 1024
"""Characters of an event stream that wait at most."""
_MOST_TEXT: Final = 4 * 1024 * 1024
"""Bytes of another body that wait at most: it can only be judged whole."""

_LONG_WORD: Final = 4096
"""Characters of waiting events, from which on a word is no usual one."""
_EVENTS_AT_ONCE: Final = 12
"""Those at the begin of a stream go through all steps; what follows may be a row."""
_AT_ONCE: Final = 32 * 1024
"""Bytes of a whole event stream: the rest of a long one can't be looked at again behind each row."""
_MASK: Final = bytes(byte if byte in b"\r\n" else ord("~") for byte in range(256))


class BodyRedactor:
    """Redacts one body. All that ``feed`` and ``close`` give is, in order, as long as all that was fed.

    They give text: bytes that are no UTF-8 are lone surrogates in it, as Python's ``surrogateescape`` has it.
    An event stream waits for the end of an event, and for the end of a word of a growing text. Another body
    waits for its end.
    """

    def __init__(self, texts: TextRedactor, *, also: frozenset[str] = frozenset()) -> None:
        self._texts = texts
        self._also = also
        self._pieces: list[bytes] = []
        """What has not been looked at."""
        self._unshown: list[bytes] = []
        """What of it ``held`` has not given yet."""
        self._size = 0
        self._is_events: bool | None = None
        self._growing = GrowingTexts(texts)
        self._waiting = ""
        """Whole events that were looked at, and wait."""
        self._written = 0
        self._shown = 0
        """Up to where ``held`` has given whole events."""
        self._shown_well = 0
        """Up to where it need not give them anew: from there on a word was not finished."""
        self._row: Row | None = None
        """Takes the usual events in few steps, and knows what of them waits."""

    def feed(self, data: bytes) -> str:
        """Take the next bytes, give those that are safe by now."""
        given, count = "", _EVENTS_AT_ONCE
        while data:
            row = self._row or self._begun_row()
            taken = row.take(_decoded(data)) if row else None
            if taken is not None:
                done, rest = taken
                self._row = row
                self._written += len(done)
                given += done
                if not rest:
                    break
                data, count = _encoded(rest), _EVENTS_AT_ONCE
            self._leave_row()
            part, data = _first_events(data, count)
            given += self._thoroughly(part)
            count *= 2  # where there is no row, there may be none for long
        return given

    def _begun_row(self) -> Row | None:
        """What takes usual events in few steps, if a text goes on by itself."""
        text = self._growing.alone()
        if text is None or self._pieces:
            return None
        return row_of(text, self._growing.path, self._texts, self._waiting)

    def _leave_row(self) -> None:
        row, self._row = self._row, None
        if row is not None:
            self._waiting = row.waiting
            self._growing.gone_on(row.leave(self._written), self._written)

    def _thoroughly(self, data: bytes) -> str:
        self._pieces.append(data)
        self._unshown.append(data)
        self._size += len(data)
        if self._is_events is None:
            if self._size < _ENOUGH_TO_TELL:
                return ""
            self._tell()
        if not self._is_events:
            return self._flush() if self._size > _MOST_TEXT else ""
        if b"\n" not in data and b"\r" not in data:
            return ""
        self._look()
        hold = self._growing.hold()
        end = self._written + len(self._waiting)
        return self._write(end if hold is None else self._stop_before(hold, end))

    def held(self) -> str:
        """What may stand in a file, for now, for the end of all that was fed: as if it ended here.

        It covers at least what came since it was asked for last and waits. What may be the beginning of a
        secret is masked at the same length, and so is what can't be judged yet: an event that is not whole, a
        body of another sort. In the end there stands for it what ``feed`` and ``close`` give later.
        """
        if self._row is not None:
            shown = self._row.for_now()
            self._shown = self._written + len(shown)
            return shown
        end = self._written + len(self._waiting)
        if not self._unshown and (not self._waiting or self._shown >= end):
            return ""
        shown = ""
        if max(self._written, self._shown) < end:
            begin = max(self._written, self._shown_well)
            text = self._waiting[begin - self._written :]
            shown = self._with_edits(text, sorted(self._growing.edits_for_now(begin)), begin)
            opened = self._growing.open_from()
            is_word = opened is not None and end - opened < _LONG_WORD
            self._shown_well = self._start_of_line(opened) if opened is not None and is_word else end
        masks = b"".join(self._unshown).translate(_MASK).decode("ascii")
        self._shown = end
        self._unshown.clear()
        return shown + masks

    def whole(self, data: bytes) -> bytes:
        """Take a whole body."""
        if not _SOME_STREAM.match(data):
            self._pieces = [data]
            return _encoded(self.close())
        parts = (data[at : at + _AT_ONCE] for at in range(0, len(data), _AT_ONCE))
        return _encoded("".join([*map(self.feed, parts), self.close()]))

    def close(self) -> str:
        """The body has ended: give the rest."""
        self._leave_row()
        if self._is_events is None:
            self._tell()
        return self._flush()

    def _tell(self) -> None:
        self._pieces = [b"".join(self._pieces)]
        self._is_events = _SOME_STREAM.match(self._pieces[0]) is not None

    def _look(self, *, whole: bool = False) -> None:
        """Look at what is whole: blocks that a blank line ends."""
        data = b"".join(self._pieces)
        ended = _EVENTS_END.match(data)
        end = len(data) if whole else ended.end() if ended else 0
        self._pieces = [data[end:]] if end < len(data) else []
        if end:
            self._unshown = [data[end:]]
        text = _decoded(data[:end])
        begin = self._written + len(self._waiting)
        for match in _DATA.finditer(text):
            group = match.lastindex or 1
            self._growing.take(match[group], begin + match.start(group))
        self._waiting += text

    def _stop_before(self, position: int, end: int) -> int:
        """Where to stop so that all from a position on waits, and nothing is cut in two.

        If too much would wait, something is cut, or nothing waits.
        """
        stop = self._start_of_line(position)
        if end - stop > _MOST_EVENTS:
            return end
        uncut = self._growing.uncut(stop, self._start_of_line)
        return stop if end - uncut > _MOST_EVENTS else uncut

    def _start_of_line(self, position: int) -> int:
        """Where the line begins in which a position is."""
        stop = position - self._written
        begin = self._waiting.rfind("\n", 0, stop) + 1
        return self._written + max(begin, self._waiting.rfind("\r", begin, stop) + 1)

    def _flush(self) -> str:
        self._look(whole=True)
        return self._write(self._written + len(self._waiting))

    def _write(self, stop: int) -> str:
        """Redact what stands before a place."""
        size = stop - self._written
        if not size:
            return ""
        text, self._waiting = self._waiting[:size], self._waiting[size:]
        edits = sorted(self._growing.edits(stop, self._texts.grown))
        begin, self._written = self._written, stop
        return self._with_edits(text, edits, begin)

    def _with_edits(self, text: str, edits: list[Edit], begin: int) -> str:
        """Redact a text that begins at ``begin``, but for what was edited already: half a secret is none."""
        gaps, at = [], 0
        for start, piece in edits:
            gaps.append(text[at : start - begin])
            at = start - begin + len(piece)
        left = "…".join([*gaps, text[at:]])
        if not _NOTHING_LEFT.fullmatch(left):
            left = self._texts.redact(left, also=self._also)
        at, parts = 0, []
        for gap, (_, piece) in zip(gaps, edits, strict=True):
            parts += [left[at : at + len(gap)], piece]
            at += len(gap) + 1
        return "".join([*parts, left[at:]])


def _first_events(data: bytes, count: int) -> tuple[bytes, bytes]:
    """So many events and the rest."""
    end = 0
    for _ in range(count):
        end = data.find(b"\n\n", end) + 2
        if end == 1:
            return data, b""
    return data[:end], data[end:]


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
