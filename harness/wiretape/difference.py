"""Two wire values side by side, member by member: what is the same, what differs, what only one has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final, Literal, TypeAlias

from wiretape import strictjson
from wiretape.strictjson import ABSENT

Mark: TypeAlias = Literal["same", "differs", "missing", "extra"]
"""``missing``: only the wanted value has it; ``extra``: only the one that came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of each value, at the same height: a member, or a bracket. None: this side has none here."""

    depth: int
    path: str
    """Of the value, as findings write it: ``messages[0].content.text``. Empty for the whole."""
    want: str | None
    got: str | None
    mark: Mark


def lines(want: object, got: object) -> list[Line]:
    """Write two wire values as JSON, one member a line, so that what belongs together stands side by side.

    Members stand in the order of ``want``, those that only ``got`` has behind them. Values that
    ``strictjson.equal`` takes for the same are the same. ABSENT has no lines. Letters stand for themselves,
    and some of them move a cursor: whoever shows the lines escapes those.
    """
    return list(_walk(want, got, path="", label="", depth=0))


def _walk(want: Any, got: Any, *, path: str, label: str, depth: int) -> Iterator[Line]:
    for kind, brackets in _BRACKETS.items():
        if isinstance(want, kind) and isinstance(got, kind) and (want or got):
            yield Line(depth=depth, path=path, want=label + brackets[0], got=label + brackets[0], mark="same")
            yield from _members(members(want), members(got), path, depth + 1)
            yield Line(depth=depth, path=path, want=brackets[1], got=brackets[1], mark="same")
            return
    mark = _mark(want, got)
    for (wanted_depth, wanted), (got_depth, came) in zip_longest(
        _written(want, label, depth), _written(got, label, depth), fillvalue=(0, None)
    ):
        yield Line(depth=max(wanted_depth, got_depth), path=path, want=wanted, got=came, mark=mark)


def _members(want: Mapping[Any, Any], got: Mapping[Any, Any], path: str, depth: int) -> Iterator[Line]:
    for key in [*want, *(each for each in got if each not in want)]:
        sides = want.get(key, ABSENT), got.get(key, ABSENT)
        yield from _walk(*sides, path=member_path(path, key), label=_label(key), depth=depth)


def _mark(want: object, got: object) -> Mark:
    if want is ABSENT:
        return "extra"
    if got is ABSENT:
        return "missing"
    return "same" if strictjson.equal(want, got) else "differs"


def _written(value: Any, label: str, depth: int) -> Iterator[tuple[int, str]]:
    """The lines of one value by itself, each with its depth."""
    if value is ABSENT:
        return
    for kind, (opening, closing) in _BRACKETS.items():
        if isinstance(value, kind) and value:
            yield depth, label + opening
            for key, each in members(value).items():
                yield from _written(each, _label(key), depth + 1)
            yield depth, closing
            return
    yield depth, label + _text(value)


def members(value: Any) -> Mapping[Any, Any]:
    """The members of an object by their keys, the elements of a list by their indexes."""
    return dict(enumerate(value)) if isinstance(value, list) else value


def member_path(path: str, key: str | int) -> str:
    """The path of a member of what stands at ``path``, as findings write it."""
    return f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}".removeprefix(".")


def _label(key: object) -> str:
    return "" if isinstance(key, int) else f"{_text(key)}: "


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_BRACKETS: Final[Mapping[type, tuple[str, str]]] = {dict: ("{", "}"), list: ("[", "]")}
