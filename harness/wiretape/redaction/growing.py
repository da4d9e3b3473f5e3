"""Texts that grow by deltas: which pieces of a stream belong together, so that a split secret shows.

Two sorts of delta are read: those of delta encoding v1 (``p``, ``o``, ``v``, ``c``), and notifications of an
app-server whose ``params`` hold a ``delta``. Paths are taken as written: nobody inserts into a list while a
text in it grows.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from wiretape import pointer, strictjson
from wiretape.redaction.growing_text import CONTEXT, Growing, for_now
from wiretape.redaction.pieces import Edit, Piece, distributed, open_word, piece_of
from wiretape.redaction.pseudonyms import masked
from wiretape.redaction.strings import Path, Strings, string_at
from wiretape.redaction.texts import TextRedactor
from wiretape.strictjson import StrictJSONError

_APPEND: Final = re.compile(
    r'\{(?:"p": ?"([^"\\\x00-\x1f]*)", ?"o": ?"append", ?)?'
    r'"v": ?"([^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*)"\} *$'
)
"""The usual event: it says where a text goes on, or that it goes on where it did before."""
_SIGNS: Final = ('"v"', '"delta"', '"v1"', "\\")
"""One of these stands in all that lets a text grow."""
_PATIENCE: Final = 8
"""How many deltas may come between two pieces of a word."""
_AN_ID: Final = re.compile(r"[a-z_]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""A string that is set once and for all: a status, a role, a message's id."""
_MOST_VALUES: Final = 64
"""Values that were set are remembered, that many, for the texts in them to go on."""


class Value(NamedTuple):
    """What was set at a path: a string, a list, an object. Its texts are made when one of them goes on."""

    strings: Strings
    at: Path
    """Where it stands in the event's data."""
    said: Any
    seen: int


class GrowingTexts:
    """The growing texts of one stream. Positions count its characters from the begin."""

    def __init__(self, texts: TextRedactor) -> None:
        self._redactor = texts
        self._texts: dict[object, Growing] = {}
        self._values: dict[tuple[object, Path], Value] = {}
        self._waiting: dict[Growing, None] = {}
        """Those with pieces that are not written yet."""
        self._waiting_values: deque[Value] = deque()
        self._inherited: tuple[Any, str, str] = (0, "", "add")
        self._bare: Growing | None = None
        """Where a bare string goes."""
        self._count = 0
        self._written = 0

    def take(self, data: str, start: int) -> None:
        """Note the strings of one event's data, or of one message; ``data`` begins at ``start``."""
        self._count += 1
        append = _APPEND.match(data)
        if append and append[1] is not None:
            self._go_on(append[1], piece_of(append, start, 2))
        elif append and self._bare is not None:
            self._add(self._bare, piece_of(append, start, 2))
        else:
            self._read(data, start)

    def _go_on(self, at: str, piece: Piece) -> None:
        channel = self._inherited[0]
        self._inherited = (channel, at, "append")
        self._bare = self._append(channel, _split(at), piece)

    def _read(self, data: str, start: int) -> None:
        if not any(sign in data for sign in _SIGNS):
            return
        try:
            value = strictjson.loads(data)
        except StrictJSONError:
            return
        if value == "v1":
            self._texts, self._values, self._bare, self._inherited = {}, {}, None, (0, "", "add")
        elif isinstance(value, dict):
            self._message(value, Strings(data, value, start))

    @property
    def path(self) -> str:
        """Where the text is that goes on."""
        return self._inherited[1]

    def alone(self) -> Growing | None:
        """The text that a bare string goes to, if no other waits and not all of it is a secret."""
        text = self._bare
        if text is None or text.name or text.inside or self._waiting_values:
            return None
        return text if not self._waiting or (text in self._waiting and len(self._waiting) == 1) else None

    def gone_on(self, count: int, written: int) -> None:
        """Note that the text which is ``alone`` went on by so many events; all before ``written`` is."""
        text = self._bare
        assert text is not None
        self._written = written
        self._count += count
        text.seen = self._count
        if text.pieces:
            self._waiting[text] = None
        else:
            self._waiting.pop(text, None)

    def hold(self) -> int | None:
        """Where the earliest piece stands that may be a part of a secret that is not whole yet."""
        values = self._waiting_values
        while values and self._count - values[0].seen > _PATIENCE:
            values.popleft()
        opened = self.open_from()
        if not values:
            return opened
        start = values[0].strings.start
        return start if opened is None else min(opened, start)

    def open_from(self) -> int | None:
        """Where the earliest word begins that may go on."""
        recent = (text for text in self._waiting if self._count - text.seen <= _PATIENCE)
        return min((text.open_from for text in recent if text.open_from is not None), default=None)

    def uncut(self, stop: int, start_of_line: Callable[[int], int]) -> int:
        """Where to stop at or before a begin of a line, at one too, so that no secret is cut in two.

        Where one text's word begins, another one's may go on.
        """
        texts = [text for text in self._waiting if text.name or not self._redactor.is_plain(text.said())]
        while (earlier := min((text.uncut(stop) for text in texts), default=stop)) < stop:
            stop = start_of_line(earlier)
        return stop

    def edits(self, stop: int, change: Callable[[str, str], str]) -> Iterator[Edit]:
        """What to write for the pieces before ``stop``; ``change`` gets a text and its secret name."""
        self._written = stop
        while self._waiting_values and self._waiting_values[0].strings.start < stop:
            self._waiting_values.popleft()
        for text in [*self._waiting]:
            pieces = text.written(stop)
            if not text.pieces:
                del self._waiting[text]
            said = text.context + "".join(piece.said for piece in pieces)
            if len(pieces) > 1 or (pieces and (text.context or text.name)):
                yield from distributed(pieces, change(said, text.name)[len(text.context) :])
            text.remember(said)

    def edits_for_now(self, start: int) -> Iterator[Edit]:
        """What to write, if all ended here, for the pieces from ``start`` on."""
        for text in self._waiting:
            pieces = [piece for piece in text.pieces if piece.start >= start]
            length = sum(len(piece.said) for piece in pieces)
            if length:
                yield from distributed(pieces, text.said_for_now(self._redactor)[-length:])
        texts = {piece.start for text in self._waiting for piece in text.pieces}
        for value in self._waiting_values:
            if value.strings.start >= start:
                yield from self._set_for_now(value, texts)

    def _set_for_now(self, value: Value, texts: set[int]) -> Iterator[Edit]:
        """The strings in a value that was set may go on; ``texts``: where those stand that did."""
        for path, piece in value.strings.pieces(value.at):
            if piece.start in texts or _AN_ID.fullmatch(piece.said):
                continue
            is_secret = any(map(self._redactor.is_secret_name, path))
            said = masked(piece.said) if is_secret else for_now(piece.said, self._redactor)
            yield Edit(piece.start, piece.saying(said))

    def _message(self, value: dict[str, Any], strings: Strings) -> None:
        params = value.get("params")
        if "method" in value and isinstance(params, dict):
            self._notification(value["method"], params, strings)
            return
        channel, path, op = self._inherited
        path, op = value.get("p", path), value.get("o", op)
        if not isinstance(path, str) or "v" not in value:
            return
        if "c" in value:
            channel = value["c"] if isinstance(value["c"], int) else repr(value["c"])
        self._inherited, self._bare = (channel, path, op), None
        self._operate(channel, _split(path), op, value["v"], strings, ("v",))

    def _notification(self, method: object, params: dict[str, Any], strings: Strings) -> None:
        said = params.get("delta")
        if isinstance(said, str):
            others = sorted(f"{key}={each!r}" for key, each in params.items() if key != "delta")
            self._append((repr(method), *others), (), strings.delta(said))

    def _operate(
        self, channel: object, path: Path, op: object, value: Any, strings: Strings, at: Path
    ) -> None:
        if op == "patch" and isinstance(value, list):
            self._patch(channel, path, value, strings, at)
        elif op == "truncate" and isinstance(value, int):
            self._truncate(channel, path, value)
        elif op == "append" and isinstance(value, str):
            self._bare = self._append(channel, path, strings.piece(at))
        elif isinstance(value, (str, dict, list)):
            self._set(channel, path, Value(strings, at, value, self._count))

    def _patch(self, channel: object, path: Path, entries: list[Any], strings: Strings, at: Path) -> None:
        for number, entry in enumerate(entries):
            if isinstance(entry, dict) and isinstance(entry.get("p"), str):
                own = (*at, str(number), "v")
                self._operate(
                    channel, path + _split(entry["p"]), entry.get("o"), entry.get("v"), strings, own
                )
        self._bare = None

    def _set(self, channel: object, path: Path, value: Value) -> None:
        """Note what is at a path now: what was there is no more."""
        for text in [key for key in self._texts if _is_below(key, channel, path)]:
            del self._texts[text]
        for older in [key for key in self._values if _is_below(key, channel, path)]:
            del self._values[older]
        if isinstance(value.said, str) and self._named(path).name:
            self._texts[channel, path] = text = self._named(path)
            self._add(text, value.strings.piece(value.at))
            return
        self._values[channel, path] = value
        if len(self._values) > _MOST_VALUES:
            del self._values[next(iter(self._values))]
        if not isinstance(value.said, str) or open_word(value.said) < len(value.said):
            self._waiting_values.append(value)

    def _truncate(self, channel: object, path: Path, length: int) -> None:
        old = self._text(channel, path)
        self._texts[channel, path] = Growing(old.name, old.said()[:length][-CONTEXT:])

    def _append(self, channel: object, path: Path, piece: Piece) -> Growing:
        text = self._text(channel, path)
        self._texts[channel, path] = text
        self._add(text, piece)
        return text

    def _text(self, channel: object, path: Path) -> Growing:
        """The text at a path, which may stand in a value that was set."""
        text = self._texts.get((channel, path))
        if text is not None:
            return text
        text = self._named(path)
        for key in reversed(self._values):
            if key[0] == channel and path[: len(key[1])] == key[1]:
                self._go_on_in(text, self._values[key], path[len(key[1]) :])
                break
        return text

    def _go_on_in(self, text: Growing, value: Value, path: Path) -> None:
        """Let a text begin with what a value says at a path."""
        said = string_at(value.said, path)
        if said and value.strings.start >= self._written:
            self._add(text, value.strings.piece(value.at + path))
        elif said:
            text.context = text.end = said[-CONTEXT:]

    def _named(self, path: Path) -> Growing:
        name = path[-1] if path else ""
        return Growing(name if self._redactor.is_secret_name(name) else "")

    def _add(self, text: Growing, piece: Piece) -> None:
        text.add(piece, self._redactor)
        text.seen = self._count
        self._waiting[text] = None


def _split(path: str) -> Path:
    return tuple(segment.key for segment in pointer.parse(path))


def _is_below(key: object, channel: object, path: Path) -> bool:
    assert isinstance(key, tuple)
    return bool(key[0] == channel and key[1][: len(path)] == path)
