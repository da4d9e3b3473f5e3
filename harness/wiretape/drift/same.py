"""Whether two wire values say the same in two sessions, and where they do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from wiretape import strictjson
from wiretape.difference import member_path, members
from wiretape.drift.parts import UUID, Kind
from wiretape.redaction.pseudonyms import is_pseudonym
from wiretape.strictjson import ABSENT

_ID: Final = re.compile(
    rf"{UUID.pattern}|eyJ[\w-]+(?:\.[\w-]*)+|\b(?:call|fc|item|msg|resp|req|thread|turn)_\w+"
    r"|\b(?=[0-9a-f]*[0-9])[0-9a-f]{16,}\b|-*hidden-[0-9]+-*|~[0-9a-z]+~*"
)
"""What stands for something that is another one in each session, wherever it stands."""
_ID_NAME: Final = re.compile(
    r"(?:^|[_-])ids?$|[a-z]Ids?$|token|challenge|(?:^|[_-])(?:ray|cursor|revision|nonce|etag)$", re.IGNORECASE
)
_OPAQUE: Final = re.compile(r"(?=.*[0-9])[!-~]{5,}|[!-~]{20,}")
"""What a member with such a name holds when it is an id: not a word."""
_PLACEHOLDER: Final = re.compile(r"<[^<>]+>(?:\.<[^<>]+>)*")
"""Stands for an id in a file that was made by hand, and for any of them."""
_TIME_NAME: Final = re.compile(
    r"(?:^|_)(?:time|timestamp|ts)$|_(?:time|at|ms|sec|secs|seconds)$|[a-z](?:Time|At|Ms|Secs?|Seconds)$"
    r"|duration|elapsed|latency",
)
_EPOCHS: Final = ((1e9, 1e10), (1e12, 1e13))
"""Seconds and milliseconds of these decades."""
_CLOCK: Final = r"[0-9]{2}[:-][0-9]{2}[:-][0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_DATE: Final = re.compile(rf"[0-9]{{4}}[-/][0-9]{{2}}[-/][0-9]{{2}}(?:[T ]{_CLOCK})?")


class Difference(NamedTuple):
    """A member that is new, gone or changed."""

    kind: Kind
    path: str
    was: Any = ABSENT
    now: Any = ABSENT


class Names:
    """Which id of the old session stands for which of the new one: always the same, and for no other."""

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._old: dict[str, str] = {}

    def same(self, old: str, new: str) -> bool:
        """Whether two ids can stand for one thing; from then on they do."""
        return self._new.setdefault(old, new) == new and self._old.setdefault(new, old) == old


class Differences:
    """Compares the values of two sessions, with one set of names."""

    def __init__(self, *, shape: bool) -> None:
        self._shape = shape
        self._names = Names()

    def between(self, old: Any, new: Any, path: str = "", name: str = "") -> Iterator[Difference]:
        """Every place where two values differ. ``name``: the member that holds them."""
        if isinstance(old, dict) and isinstance(new, dict):
            yield from self._members(old, new, path)
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._members(members(old), members(new), path)
        elif isinstance(old, str) and isinstance(new, str):
            yield from self._texts(old, new, path, name)
        elif not self._same_scalars(old, new, name):
            yield Difference("changed", path, old, new)

    def _members(self, old: Mapping[Any, Any], new: Mapping[Any, Any], path: str) -> Iterator[Difference]:
        for key, value in old.items():
            at = member_path(path, key)
            if key in new:
                yield from self.between(value, new[key], at, key if isinstance(key, str) else "")
            else:
                yield Difference("gone", at, was=value)
        for key, value in new.items():
            if key not in old:
                yield Difference("new", member_path(path, key), now=value)

    def _texts(self, old: str, new: str, path: str, name: str) -> Iterator[Difference]:
        inner_old, inner_new = _object(old), _object(new)
        if inner_old is not None and inner_new is not None:
            yield from self._members(inner_old, inner_new, path)
        elif not self.same_texts(old, new, name):
            yield Difference("changed", path, old, new)

    def same_texts(self, old: str, new: str, name: str) -> bool:
        """Whether two texts are the same but for ids and dates in them."""
        if _is_opaque(old, name) and _is_opaque(new, name):
            stands_for_any = _PLACEHOLDER.fullmatch(old) or _PLACEHOLDER.fullmatch(new)
            return stands_for_any is not None or self._names.same(old, new)
        if _without_names(old) != _without_names(new):
            return self._shape
        pairs = zip(_ID.findall(old), _ID.findall(new), strict=True)
        return all(self._names.same(*pair) for pair in pairs)

    def _same_scalars(self, old: Any, new: Any, name: str) -> bool:
        if not (_is_number(old) and _is_number(new)):
            both = isinstance(old, bool) and isinstance(new, bool)
            return strictjson.equal(old, new) or (self._shape and both)
        if self._shape or _ID_NAME.search(name) or strictjson.equal(old, new):
            return True
        return ("timeout" not in name.lower() and _TIME_NAME.search(name) is not None) or any(
            low <= old < high and low <= new < high for low, high in _EPOCHS
        )


def _without_names(text: str) -> list[str]:
    """What stands between the ids, with all dates alike."""
    return [_DATE.sub("…", piece) for piece in _ID.split(text)]


def _object(text: str) -> dict[str, Any] | None:
    """The object that a text holds as JSON; None where it holds none."""
    if not text.lstrip().startswith("{"):
        return None
    value = strictjson.loads_or(text, None)
    return value if isinstance(value, dict) else None


def _is_opaque(text: str, name: str) -> bool:
    if UUID.fullmatch(text):
        return True
    looks = _OPAQUE.fullmatch(text) or _PLACEHOLDER.fullmatch(text) or is_pseudonym(text)
    return bool(looks) and _ID_NAME.search(name) is not None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
