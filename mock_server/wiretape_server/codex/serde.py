"""How the app-server, a Rust program, words what it can't read in a JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

ANYTHING: Final = ""
STRING: Final = "a string"
BOOLEAN: Final = "a boolean"
COUNT: Final = "u32"
SEQUENCE: Final = "a sequence"
ITEMS_CURSOR: Final = "untagged enum ThreadItemsListCursor"
OR_NULL: Final = " or null"

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    STRING: str,
    BOOLEAN: bool,
    COUNT: int,
    SEQUENCE: list,
    ITEMS_CURSOR: (str, dict),
}


class UnreadableError(Exception):
    """A value is not what the server reads at that place; the text is the complaint."""


def missing_field(name: str) -> str:
    return f"missing field `{name}`"


def invalid_type(value: object, expected: str, *, bare: bool = False) -> str:
    return f"invalid type: {described(value, bare=bare)}, expected {expected}"


def unknown_variant(name: str, known: Iterable[str]) -> str:
    ticked = [f"`{each}`" for each in known]
    listed = " or ".join(ticked) if len(ticked) == 2 else ", ".join(ticked)
    return f"unknown variant `{name}`, expected {'one of ' if len(ticked) > 2 else ''}{listed}"


def described(value: object, *, bare: bool = False) -> str:
    """Name a JSON value as a complaint does: ``string "x"``, ``integer `5```, ``null``, ``map``.

    ``bare`` calls every number just ``number``, as where the server reads a value that it has parsed before.
    """
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, str):
        return f"string {json.dumps(value, ensure_ascii=False)}"
    if isinstance(value, (int, float)):
        kind = "integer" if isinstance(value, int) else "floating point"
        return "number" if bare else f"{kind} `{value}`"
    return "map" if isinstance(value, dict) else "sequence" if isinstance(value, list) else "null"


def check_type(value: object, expected: str, *, bare: bool = False) -> None:
    """Raises UnreadableError unless the value is of the type that these words name."""
    if not isinstance(value, _TYPES[expected]) or (isinstance(value, bool) and expected != BOOLEAN):
        if expected == ITEMS_CURSOR:
            raise UnreadableError(f"data did not match any variant of {expected}")
        raise UnreadableError(invalid_type(value, expected, bare=bare))
    if expected == COUNT and isinstance(value, int) and value < 0:
        raise UnreadableError(f"invalid value: {described(value)}, expected {expected}")


Types: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""Members and the words for their types; in a tuple the variants that a string may be, or null."""


def check_members(
    value: object, types: Types, required: Iterable[str], struct: str, *, bare: bool = False
) -> None:
    """Read an object as the server reads a struct: its known members in their order, then what is missing.

    A member may be null where its words end in `` or null``; one that ``types`` does not name is ignored.
    """
    if isinstance(value, list) and not value and required:
        raise UnreadableError(f"invalid length 0, expected {struct} with {len(types)} elements")
    if not isinstance(value, dict):
        raise UnreadableError(invalid_type(value, struct, bare=bare))
    for name, member in value.items():
        _check_member(member, types.get(name, ANYTHING), bare=bare)
    for name in required:
        if name not in value:
            raise UnreadableError(missing_field(name))


def _check_member(member: object, known: str | tuple[str, ...], *, bare: bool) -> None:
    if isinstance(known, tuple):
        _check_variant(member, known)
        return
    words = known.removesuffix(OR_NULL)
    if words and not (member is None and words != known):
        check_type(member, words, bare=bare)


def _check_variant(member: object, known: tuple[str, ...]) -> None:
    if isinstance(member, str):
        if member not in known:
            raise UnreadableError(unknown_variant(member, known))
    elif member is not None:
        raise UnreadableError(invalid_type(member, "string or map"))
