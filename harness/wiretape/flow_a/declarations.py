"""What the declaration of a tool looks like: a table for each of its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from wiretape.strictjson import ABSENT

Misfit: TypeAlias = tuple[str, str, object]
"""Where below the value, what was wanted, what came."""
_Members: TypeAlias = tuple[tuple[str, str, Callable[[object], bool]], ...]


def signature_misfit(value: object) -> Misfit | None:
    """The first member of a signature that is wrong. Its parameters are looked at one by one."""
    return _first_wrong(value, _SIGNATURE, "a signature", "")


def param_misfit(value: object) -> Misfit | None:
    """The first member of a parameter that is wrong; of its type only that there is one."""
    return _first_wrong(value, _PARAM, "a parameter", "")


def type_misfit(value: object) -> Misfit | None:
    """The first member of a parameter's type that is wrong."""
    return _first_wrong(value, _PARAM_TYPE, "a type", ".type")


def _first_wrong(value: object, members: _Members, what: str, at: str) -> Misfit | None:
    if not isinstance(value, dict):
        return at, what, value
    for key, want, holds in members:
        got = value.get(key, ABSENT)
        if not holds(got):
            return f"{at}.{key}", want, got
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


_SIGNATURE: Final[_Members] = (
    ("name", "the tool's name", _is_name),
    ("description", "a string", _is_text),
    ("params", "a list", lambda value: isinstance(value, list)),
    ("type", "kwargs", lambda value: value == "kwargs"),
)
_PARAM: Final[_Members] = (
    ("name", "the parameter's name", _is_name),
    ("required", "true or false", lambda value: isinstance(value, bool)),
    ("type", "an object", lambda value: isinstance(value, dict)),
)
_PARAM_TYPE: Final[_Members] = (
    ("description", "a string", _is_text),
    ("type", "string", lambda value: value == "string"),
)
