"""Redacts a body as it comes: what is safe goes on at once, what may be a part of a secret waits."""

from __future__ import annotations

import re
from typing import Final

from wiretape.redaction.growing import GrowingTexts
from wiretape.redaction.pieces import HEAD, ROW, Edit
from wiretape.redaction.row import Row, row_of
from wiretape.redaction.texts import TextRedactor

_SOME_STREAM: Final = re.compile(rb"\xef?\xbb?\xbf?\s*(?:event|data|id|retry)?:")
_ENOUGH_TO_TELL: Final = 16
_EVENTS_END: Final = re.compile(rb".*(?:\n\n|\r\n\r\n|\r\r|\n\r\n)", re.DOTALL)
_DATA: Final = re.compile(rf"(?<![^\r\n])(?:data: ?(?:{ROW}|(?P<data>[^\r\n]*))|(?P<line>\{{[^\r\n]*))")
_NOTHING_LEFT: Final = re.compile(rf'(?:(?:event: delta\n)?(?:data: {HEAD}…"\}} *\n\n)?)*+')
"""The usual events, without their texts."""
_MOST_EVENTS: Final = 64 * 1024
"""Characters of an event stream that wait at most."""
_MOST_TEXT: Final = 4 * 1024 * 1024
"""Bytes of another body that wait at most: it can only be judged whole."""

_LONG_WORD: Final = 4096
"""Characters of waiting events, from which on a word is no usual one."""
_EVENTS_AT_ONCE: Final = 12
"""Those at the begin of a stream go through all steps; what follows may be a row."""
_MASK: Final = bytes(byte if byte in b"\r\n" else ord("~") for byte in range(256))


class BodyRedactor:
    """Redacts one body. All that ``feed`` and ``close`` give is, in order, as long as all that was fed.

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
        self._row_for_now = ""
        """What ``held`` has to give when all that waits is a row that was taken in few steps."""

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes, give those that are safe by now."""
        given = b""
        while data:
            row = self._row(data)
            if row is not None:
                given += _encoded(row.done)
                data = _encoded(row.rest) if row.rest else b""
            if data:
                part, data = _first_events(data)
                given += self._thoroughly(part)
        return given

    def _row(self, data: bytes) -> Row | None:
        """Take the row of usual events with which the data begins, in few steps."""
        text = self._growing.alone()
        if text is None or self._pieces or len(self._waiting) > _LONG_WORD:
            return None
        events = self._waiting + data.decode("utf-8", "surrogateescape")
        row = row_of(events, text, self._growing.path, self._texts, self._written, len(self._waiting))
        if row is None:
            return None
        self._written += len(row.done)
        self._waiting, self._row_for_now = row.waiting, row.for_now
        self._growing.gone_on(text, row.events, self._written)
        return row

    def _thoroughly(self, data: bytes) -> bytes:
        self._row_for_now = ""
        self._pieces.append(data)
        self._unshown.append(data)
        self._size += len(data)
        if self._is_events is None:
            if self._size < _ENOUGH_TO_TELL:
                return b""
            self._tell()
        if not self._is_events:
            return self._flush() if self._size > _MOST_TEXT else b""
        if b"\n" not in data and b"\r" not in data:
            return b""
        self._look()
        hold = self._growing.hold()
        end = self._written + len(self._waiting)
        start = end if hold is None or end - hold > _MOST_EVENTS else self._start_of_line(hold)
        return self._write(start)

    def held(self) -> bytes:
        """What may stand in a file, for now, for the end of all that was fed: as if it ended here.

        It covers at least what came since it was asked for last and waits. What may be the beginning of a
        secret is masked at the same length, and so is what can't be judged yet: an event that is not whole, a
        body of another sort. In the end there stands for it what ``feed`` and ``close`` give later.
        """
        shown = self._row_for_now
        end = self._written + len(self._waiting)
        if not shown and not self._unshown and (not self._waiting or self._shown >= end):
            return b""
        if max(self._written, self._shown) < end and not shown:
            begin = max(self._written, self._shown_well)
            text = self._waiting[begin - self._written :]
            shown = self._with_edits(text, sorted(self._growing.edits_for_now(begin)), begin)
            opened = self._growing.open_from()
            is_word = opened is not None and end - opened < _LONG_WORD
            self._shown_well = self._start_of_line(opened) if opened is not None and is_word else end
        masks = b"".join(self._unshown).translate(_MASK)
        self._shown, self._row_for_now = end, ""
        self._unshown.clear()
        return _encoded(shown) + masks

    def whole(self, data: bytes) -> bytes:
        """Take a whole body."""
        self._pieces = [data]
        return self.close()

    def close(self) -> bytes:
        """The body has ended: give the rest."""
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
        text = data[:end].decode("utf-8", "surrogateescape")
        begin = self._written + len(self._waiting)
        for match in _DATA.finditer(text):
            if match["row"] is not None:
                self._growing.take_row(match["head"], match["row"], begin + match.start("row"))
            else:
                group = match.lastgroup or "data"
                self._growing.take(match[group], begin + match.start(group))
        self._waiting += text

    def _start_of_line(self, position: int) -> int:
        """Where the line begins in which a position is."""
        stop = position - self._written
        begin = self._waiting.rfind("\n", 0, stop) + 1
        return self._written + max(begin, self._waiting.rfind("\r", begin, stop) + 1)

    def _flush(self) -> bytes:
        self._look(whole=True)
        return self._write(self._written + len(self._waiting))

    def _write(self, stop: int) -> bytes:
        """Redact what stands before a place."""
        size = stop - self._written
        if not size:
            return b""
        text, self._waiting = self._waiting[:size], self._waiting[size:]
        edits = sorted(self._growing.edits(stop, self._texts.grown))
        done = self._with_edits(text, edits, self._written)
        self._written = stop
        return _encoded(done)

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


def _first_events(data: bytes) -> tuple[bytes, bytes]:
    """Some events and the rest."""
    end = 0
    for _ in range(_EVENTS_AT_ONCE):
        end = data.find(b"\n\n", end) + 2
        if end == 1:
            return data, b""
    return data[:end], data[end:]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
