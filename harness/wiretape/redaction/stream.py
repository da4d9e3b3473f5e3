"""Redacts a body as it comes: what is safe goes on at once, what may be a part of a secret waits."""

from __future__ import annotations

import re
from typing import Final

from wiretape.redaction.growing import GrowingTexts
from wiretape.redaction.pieces import HEAD, ROW, Edit
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
        self._size = 0
        self._is_events: bool | None = None
        self._growing = GrowingTexts(texts.is_secret_name)
        self._waiting = ""
        """Whole events that were looked at, and wait."""
        self._written = 0

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes, give those that are safe by now."""
        self._pieces.append(data)
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
        done = self._with_edits(text, edits)
        self._written = stop
        return done.encode("utf-8", "surrogateescape")

    def _with_edits(self, text: str, edits: list[Edit]) -> str:
        """Redact a text but for the pieces that were edited already: half a secret is none."""
        gaps, at = [], 0
        for start, piece in edits:
            gaps.append(text[at : start - self._written])
            at = start - self._written + len(piece)
        left = "…".join([*gaps, text[at:]])
        if not _NOTHING_LEFT.fullmatch(left):
            left = self._texts.redact(left, also=self._also)
        at, parts = 0, []
        for gap, (_, piece) in zip(gaps, edits, strict=True):
            parts += [left[at : at + len(gap)], piece]
            at += len(gap) + 1
        return "".join([*parts, left[at:]])
