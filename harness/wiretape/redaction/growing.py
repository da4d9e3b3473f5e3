"""Texts that grow by deltas: which pieces of a stream belong together, so that a split secret shows.

Two sorts of delta are read: those of delta encoding v1 (``p``, ``o``, ``v``, ``c``), and notifications of an
app-server whose ``params`` hold a ``delta``. Paths are taken as written: nobody inserts into a list while a
text in it grows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from wiretape import strictjson
from wiretape.redaction.pieces import NO_PART, Edit, Piece, distributed, piece_of, pieces_of_row
from wiretape.strictjson import StrictJSONError

_APPEND: Final = re.compile(
    r'\{(?:"p": ?"([^"\\\x00-\x1f]*)", ?"o": ?"append", ?)?'
    r'"v": ?"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"\} *$'
)
"""The usual event: it says where a text goes on, or that it goes on where it did before."""
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_OPEN_MEMBER: Final = re.compile(r'"([\w.-]{1,64})"\s*:\s*"(?:[^"\\]|\\.)*$')
_CONTEXT: Final = 160
_PATIENCE: Final = 8
"""How many deltas may come between two pieces of a word."""

Path: TypeAlias = tuple[str, ...]


class Growing:
    """One text that grows: what is kept of it, and the pieces that are not written yet."""

    __slots__ = ("context", "end", "inside", "name", "open_from", "pieces", "seen")

    def __init__(self, name: str = "", context: str = "") -> None:
        self.name = name
        """The member that it is, when that is a secret's."""
        self.context = context
        """The end of what is written."""
        self.end = context
        """The end of all that was said."""
        self.inside = False
        """Whether it is JSON that ends, so far, inside the value of a secret member."""
        self.pieces: list[Piece] = []
        self.open_from: int | None = None
        """Where the piece stands with which a word began that is not finished yet."""
        self.seen = 0

    def add(self, piece: Piece, is_secret_name: Callable[[str], bool]) -> None:
        said = piece.said
        self.pieces.append(piece)
        if not said:
            return
        self.end = (self.end + said)[-_CONTEXT:]
        if '"' in said:
            member = _OPEN_MEMBER.search(self.end)
            self.inside = member is not None and is_secret_name(member[1])
        whole = self.inside or self.name
        if self.open_from is None or (NO_PART.match(said) and not whole):
            self.open_from = piece.start
        if NO_PART.match(said, len(said) - 1) and not whole:
            self.open_from = None

    def said(self) -> str:
        """What it says, as far as it is kept."""
        return self.context + "".join(piece.said for piece in self.pieces)

    def written(self, stop: int) -> list[Piece]:
        """Let go of the pieces before a place."""
        gone = [piece for piece in self.pieces if piece.start < stop]
        del self.pieces[: len(gone)]
        if self.open_from is not None and self.open_from < stop:
            self.open_from = self.pieces[0].start if self.pieces else None
        return gone

    def remember(self, said: str) -> None:
        """Keep the end of what is written, from a word's begin on: what it was may say what comes."""
        end = said[-_CONTEXT:]
        self.context = end if len(said) <= _CONTEXT else end.partition(" ")[2]


class GrowingTexts:
    """The growing texts of one stream. Positions count its characters from the begin.

    ``is_secret_name`` says of a member whether its whole value is a secret.
    """

    def __init__(self, is_secret_name: Callable[[str], bool]) -> None:
        self._is_secret_name = is_secret_name
        self._texts: dict[object, Growing] = {}
        self._waiting: dict[Growing, None] = {}
        """Those with pieces that are not written yet."""
        self._inherited: tuple[Any, str, str] = (0, "", "add")
        self._bare: Growing | None = None
        """Where a bare string goes."""
        self._count = 0

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
        channel, path = self._inherited[0], _split(at)
        self._inherited = (channel, at, "append")
        self._bare = self._append((channel, path), _last(path), piece)

    def _read(self, data: str, start: int) -> None:
        try:
            value = strictjson.loads(data)
        except StrictJSONError:
            return
        if value == "v1":
            self._texts, self._bare, self._inherited = {}, None, (0, "", "add")
        elif isinstance(value, dict):
            leaves = _leaves(value, _STRING.finditer(data), ())
            self._message(value, [(at, piece_of(found, start)) for at, found in leaves])

    def take_row(self, head: str, row: str, start: int) -> None:
        """Note a row of events; ``head`` is what each one's data begins with, ``row`` begins at ``start``."""
        joined = self._bare is not None or '"p"' in head
        for count, piece in pieces_of_row(row, start, joined=joined):
            if count > 1 and self._bare is not None:
                self._count += count
                self._add(self._bare, piece)
            else:
                self.take(f'{head}{piece.raw}"}}', piece.start - len(head))

    def hold(self) -> int | None:
        """Where the earliest piece stands that may be a part of a secret that is not whole yet."""
        recent = (text for text in self._waiting if self._count - text.seen < _PATIENCE)
        return min((text.open_from for text in recent if text.open_from is not None), default=None)

    def edits(self, stop: int, change: Callable[[str, str], str]) -> Iterator[Edit]:
        """What to write for the pieces before ``stop``; ``change`` gets a text and its secret name."""
        for text in [*self._waiting]:
            pieces = text.written(stop)
            if not text.pieces:
                del self._waiting[text]
            said = text.context + "".join(piece.said for piece in pieces)
            if len(pieces) > 1 or (pieces and (text.context or text.name)):
                yield from distributed(pieces, change(said, text.name)[len(text.context) :])
            text.remember(said)

    def _message(self, value: dict[str, Any], leaves: list[tuple[Path, Piece]]) -> None:
        params = value.get("params")
        if "method" in value and isinstance(params, dict):
            self._notification(value["method"], params, leaves)
            return
        channel, path, op = self._inherited
        path, op, channel = value.get("p", path), value.get("o", op), value.get("c", channel)
        if not isinstance(path, str) or "v" not in value:
            return
        self._inherited, self._bare = (channel, path, op), None
        own = [(at[1:], piece) for at, piece in leaves if at[0] == "v"]
        self._operate(channel, _split(path), op, value["v"], own)

    def _notification(self, method: object, params: dict[str, Any], leaves: list[tuple[Path, Piece]]) -> None:
        for at, piece in leaves:
            if at == ("params", "delta"):
                others = sorted(f"{key}={each!r}" for key, each in params.items() if key != "delta")
                self._append((method, *others), "", piece)

    def _operate(
        self, channel: object, path: Path, op: object, value: Any, leaves: list[tuple[Path, Piece]]
    ) -> None:
        if op == "patch" and isinstance(value, list):
            self._patch(channel, path, value, leaves)
        elif op == "truncate" and isinstance(value, int):
            self._truncate((channel, path), value)
        elif op == "append" and isinstance(value, str):
            self._bare = self._append((channel, path), _last(path), leaves[0][1])
        else:
            for at, piece in leaves:
                self._texts.pop((channel, path + at), None)
                self._append((channel, path + at), _last(path + at), piece)

    def _patch(
        self, channel: object, path: Path, entries: list[Any], leaves: list[tuple[Path, Piece]]
    ) -> None:
        for number, entry in enumerate(entries):
            if isinstance(entry, dict) and isinstance(entry.get("p"), str):
                own = [(at[2:], piece) for at, piece in leaves if at[:2] == (str(number), "v")]
                self._operate(channel, path + _split(entry["p"]), entry.get("o"), entry.get("v"), own)
        self._bare = None

    def _truncate(self, key: object, length: int) -> None:
        old = self._texts.get(key)
        if old is not None:
            self._texts[key] = Growing(old.name, old.said()[:length][-_CONTEXT:])

    def _append(self, key: object, name: str, piece: Piece) -> Growing:
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = Growing(name if self._is_secret_name(name) else "")
        self._add(text, piece)
        return text

    def _add(self, text: Growing, piece: Piece) -> None:
        text.add(piece, self._is_secret_name)
        text.seen = self._count
        self._waiting[text] = None


def _leaves(value: Any, strings: Iterator[re.Match[str]], path: Path) -> Iterator[tuple[Path, re.Match[str]]]:
    """Every string value with its path: strings stand in a text in the order in which one walks the value."""
    if isinstance(value, str):
        yield path, next(strings)
    elif isinstance(value, dict):
        for key, member in value.items():
            next(strings)
            yield from _leaves(member, strings, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _leaves(member, strings, (*path, str(index)))


def _split(path: str) -> Path:
    return tuple(path.removeprefix("/").split("/")) if path else ()


def _last(path: Path) -> str:
    return path[-1] if path else ""
