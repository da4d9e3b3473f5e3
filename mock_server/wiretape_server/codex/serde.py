"""How the app-server, a Rust program, words what it can't read in a JSON value or text.

Measured are the words for a missing field, for a string, a number, null, a map and a list of the wrong type,
for unknown variants, and the two syntax errors in the tests; the others follow the same library and are
inferred.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

STRING: Final = "a string"
BOOLEAN: Final = "a boolean"
INTEGER: Final = "an integer"
SEQUENCE: Final = "a sequence"
MAP: Final = "a map"
OR_NULL: Final = " or null"

_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    STRING: str,
    BOOLEAN: bool,
    INTEGER: int,
    SEQUENCE: list,
    MAP: dict,
}


class UnreadableError(Exception):
    """A value is not what the server reads at that place; the text is the complaint."""


def missing_field(name: str) -> str:
    return f"missing field `{name}`"


def invalid_type(value: object, expected: str) -> str:
    return f"invalid type: {described(value)}, expected {expected}"


def unknown_variant(name: str, known: Iterable[str]) -> str:
    ticked = [f"`{each}`" for each in known]
    listed = " or ".join(ticked) if len(ticked) == 2 else ", ".join(ticked)
    return f"unknown variant `{name}`, expected {'one of ' if len(ticked) > 2 else ''}{listed}"


def described(value: object) -> str:
    """Name a JSON value as a complaint does: ``string "x"``, ``integer `5```, ``null``, ``map``."""
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, str):
        return f"string {json.dumps(value, ensure_ascii=False)}"
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{value}`"
    return "map" if isinstance(value, dict) else "sequence" if isinstance(value, list) else "null"


def is_a(value: object, expected: str) -> bool:
    """Whether a JSON value is of the type that these words name; a boolean is no integer."""
    return isinstance(value, _TYPES[expected]) and (expected == BOOLEAN or not isinstance(value, bool))


def check_type(value: object, expected: str) -> None:
    if not is_a(value, expected):
        raise UnreadableError(invalid_type(value, expected))


Types: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""Members and the words for their types; in a tuple the variants that a string may be, or null."""


def check_members(value: object, types: Types, required: Iterable[str], struct: str) -> None:
    """Read an object as the server reads a struct: its known members in their order, then what is missing.

    A member may be null where its words end in `` or null``; one that ``types`` does not name is ignored.
    """
    if not isinstance(value, dict):
        raise UnreadableError(invalid_type(value, struct))
    for name, member in value.items():
        _check_member(member, types.get(name, ""))
    for name in required:
        if name not in value:
            raise UnreadableError(missing_field(name))


def _check_member(member: object, known: str | tuple[str, ...]) -> None:
    if isinstance(known, tuple):
        if isinstance(member, str) and member not in known:
            raise UnreadableError(unknown_variant(member, known))
        return
    words = known.removesuffix(OR_NULL)
    if words and not (member is None and words != known):
        check_type(member, words)


_SYNTAX: Final = (
    ("Expecting property name", "key must be a string", "EOF while parsing an object"),
    ("Expecting value", "expected value", "EOF while parsing a value"),
    ("Expecting ':'", "expected `:`", "EOF while parsing an object"),
    ("Expecting ','", "expected `,` or `}`", "EOF while parsing an object"),
    ("Unterminated string", "EOF while parsing a string", "EOF while parsing a string"),
    ("Extra data", "trailing characters", "trailing characters"),
)
"""What Python's parser says, what the server says in the middle of a text, and at its end."""


def parse_arguments(text: str) -> Any:
    """Parse the arguments that a model wrote. Raises UnreadableError with the server's words."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UnreadableError(_syntax_complaint(text, error)) from None
    except RecursionError:
        raise UnreadableError("recursion limit exceeded at line 1 column 128") from None


def _no_constant(name: str) -> float:
    raise UnreadableError(f"expected value, found {name}")


def _syntax_complaint(text: str, error: json.JSONDecodeError) -> str:
    at_end = not text[error.pos :].strip() or error.msg.startswith("Unterminated")
    words = next((row for row in _SYNTAX if error.msg.startswith(row[0])), ("", "invalid escape", ""))
    line, column = error.lineno, error.colno
    if at_end:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n") - 1
    return f"{words[2 if at_end else 1]} at line {line} column {column}"
