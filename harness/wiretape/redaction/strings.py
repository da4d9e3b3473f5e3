"""The strings of one JSON text, each with the place where it stands; looked for when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from wiretape.redaction.notation import JSON
from wiretape.redaction.pieces import Piece, piece_of

_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_DELTA: Final = re.compile(r'"delta" ?: ?"((?:[^"\\]|\\.)*+)"')
_INDEX: Final = re.compile("0|[1-9][0-9]{0,8}")

Path: TypeAlias = tuple[str, ...]


class Strings:
    """The strings of ``data``, which says ``value`` and begins at ``start`` of a stream."""

    __slots__ = ("_data", "_pieces", "start", "value")

    def __init__(self, data: str, value: Any, start: int) -> None:
        self._data = data
        self.value = value
        self.start = start
        self._pieces: dict[Path, Piece] | None = None

    def piece(self, path: Path) -> Piece:
        """The string at a path."""
        return self._all()[path]

    def pieces(self, below: Path) -> list[tuple[Path, Piece]]:
        """The strings at a path and below it, each with its path."""
        return [(at, piece) for at, piece in self._all().items() if at[: len(below)] == below]

    def _all(self) -> dict[Path, Piece]:
        if self._pieces is None:
            leaves = _leaves(self.value, _STRING.finditer(self._data), ())
            self._pieces = {at: piece_of(found, self.start) for at, found in leaves}
        return self._pieces

    def delta(self, said: str) -> Piece:
        """The string ``params.delta``, which says this."""
        found = _DELTA.findall(self._data)
        match = _DELTA.search(self._data)
        if len(found) == 1 and match and JSON.plain(match[1]) == said:
            return piece_of(match, self.start)
        return self.piece(("params", "delta"))


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


def string_at(value: Any, path: Path) -> str:
    """The string that stands at a path of a value; empty when there is none."""
    for word in path:
        if isinstance(value, dict):
            value = value.get(word)
        elif isinstance(value, list) and _INDEX.fullmatch(word) and int(word) < len(value):
            value = value[int(word)]
        else:
            return ""
    return value if isinstance(value, str) else ""
