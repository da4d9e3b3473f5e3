"""The ways in which an operation changes a value: a table of what fits where, each valid where it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from hypothesis import strategies as st

from wiretape import pointer
from wiretape.delta import DeltaDecoder
from wiretape.javascript import unit_count
from wiretape.strictjson import ABSENT
from wiretape.testing.values import json_objects, json_values, keys, scalars, texts

Draw: TypeAlias = st.DrawFn
Keys: TypeAlias = tuple[str | int, ...]
Operation: TypeAlias = dict[str, Any]
"""``{"p", "o", "v"}``, as the entry of a patch; no ``v`` where it is left out."""

_FOLLOWING: Final[st.SearchStrategy[str | int]] = st.sampled_from([0, 2, "k"])
_SCALAR: Final = (type(None), bool, int, float)


class Place(NamedTuple):
    """A value inside a value, and the way to it."""

    keys: Keys
    value: Any


class Change(NamedTuple):
    """What an operation can do to a value of these types. ``make`` draws the operation for one place."""

    fits: tuple[type, ...]
    make: Callable[[Draw, Place], Operation]


def places(value: Any, keys: Keys = ()) -> Iterator[Place]:
    """Walk a value: itself, then all that stands in it."""
    yield Place(keys, value)
    if isinstance(value, dict):
        for key, member in value.items():
            yield from places(member, (*keys, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from places(member, (*keys, index))


def operation(op: str, keys: Keys, value: Any = ABSENT) -> Operation:
    """Write an operation with its path escaped."""
    written = {"p": pointer.write(keys), "o": op}
    return written if value is ABSENT else written | {"v": value}


def _member(op: str) -> Callable[[Draw, Place], Operation]:
    """Set a member of an object, new or there already."""

    def make(draw: Draw, place: Place) -> Operation:
        key: str = draw(keys() | st.sampled_from(list(place.value) or ["a"]))
        return operation(op, (*place.keys, key), draw(json_values()))

    return make


def _removed(draw: Draw, place: Place) -> Operation:
    key: str = draw(st.sampled_from([*place.value, "not there"]))
    return operation("remove", (*place.keys, key))


def _created(draw: Draw, place: Place) -> Operation:
    """Set a member of what does not exist yet: the way to it is made."""
    longest = max(map(len, place.value), default=0)
    key = draw(keys()).ljust(longest + 1, "_")  # so it is a new one
    following: str | int = draw(_FOLLOWING)
    return operation("add", (*place.keys, key, following), draw(json_values()))


def _vanished(draw: Draw, place: Place) -> Operation:
    """An operation without a value: the member is gone."""
    key: str = draw(st.sampled_from([*place.value, "not there"]))
    return operation(draw(st.sampled_from(["replace", "add"])), (*place.keys, key))


def _element(op: str) -> Callable[[Draw, Place], Operation]:
    """Insert or set an element of a list, also beyond its end."""

    def make(draw: Draw, place: Place) -> Operation:
        index = draw(st.integers(0, len(place.value) + 2))
        return operation(op, (*place.keys, index), draw(json_values()))

    return make


def _taken_out(draw: Draw, place: Place) -> Operation:
    return operation("remove", (*place.keys, draw(st.integers(0, len(place.value)))))


def _appended(values: st.SearchStrategy[Any]) -> Callable[[Draw, Place], Operation]:
    return lambda draw, place: operation("append", place.keys, draw(values))


def _replaced(draw: Draw, place: Place) -> Operation:
    return operation("replace", place.keys, draw(json_values()))


def _cut_list(draw: Draw, place: Place) -> Operation:
    count = draw(st.integers(-2, len(place.value) + 1) | st.sampled_from([1.5, -1e300]))
    return operation("truncate", place.keys, count)


def _cut_text(draw: Draw, place: Place) -> Operation:
    return operation("truncate", place.keys, draw(st.integers(-1, unit_count(place.value) + 1)))


def _patched(draw: Draw, place: Place) -> Operation:
    """Up to three operations, their paths relative to the patch's own."""
    scratch = DeltaDecoder()
    value = scratch.apply({"c": 0, "p": "", "o": "add", "v": place.value})
    entries = []
    for _ in range(draw(st.integers(1, 3))):
        entry = draw(operations(value, ENTRIES))
        entries.append(entry)
        value = scratch.apply({"c": 0} | entry)
    return operation("patch", place.keys, entries)


CHANGES: Final[dict[str, Change]] = {
    "say": Change((str,), _appended(texts())),
    "write": Change((str,), _appended(json_values())),
    "cut-text": Change((str,), _cut_text),
    "add-member": Change((dict,), _member("add")),
    "replace-member": Change((dict,), _member("replace")),
    "remove-member": Change((dict,), _removed),
    "merge": Change((dict,), _appended(json_objects())),
    "create": Change((dict,), _created),
    "vanish": Change((dict,), _vanished),
    "insert": Change((list,), _element("add")),
    "set": Change((list,), _element("replace")),
    "take-out": Change((list,), _taken_out),
    "extend": Change((list,), _appended(st.lists(json_values(), max_size=2))),
    "push": Change((list,), _appended(scalars() | json_objects())),
    "cut-list": Change((list,), _cut_list),
    "append-over": Change(_SCALAR, _appended(json_values())),
    "replace": Change((*_SCALAR, str, list, dict), _replaced),
    "patch": Change((dict, list), _patched),
}
"""Name to change. An object appended to anything but an object, a list or a text replaces it, and so on:
what comes out is for the decoder to say (PROTOCOL of Flow A, 2.5)."""

ENTRIES: Final = tuple(name for name in CHANGES if name not in ("patch", "replace"))
"""What stands in a drawn patch; no patch in a patch, and its root keeps its type."""


@st.composite
def operations(
    draw: Draw, value: Any, changes: Sequence[str] = tuple(CHANGES), within: Sequence[Keys] = ((),)
) -> Operation:
    """An operation that can be applied to ``value``, at or below one of the places ``within``.

    ``changes`` names those of CHANGES to draw from. Raises ValueError when none of them fits anywhere.
    """
    near = [place for place in places(value) if any(place.keys[: len(keys)] == keys for keys in within)]
    fitting = [
        (name, found)
        for name in changes
        if (found := [place for place in near if isinstance(place.value, CHANGES[name].fits)])
    ]
    if not fitting:
        raise ValueError(f"expected a value that one of {', '.join(changes)} fits, got {value!r}")
    name, found = draw(st.sampled_from(fitting))
    return CHANGES[name].make(draw, draw(st.sampled_from(found)))
