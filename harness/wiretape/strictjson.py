"""JSON as it was sent: nothing repaired, nothing lost, nothing taken for equal that is not.

``json.loads`` takes ``NaN``, keeps the last of two equal keys, and gives values that Python's ``==`` muddles
(``1 == True``). This module refuses the first two and compares the third as JSON does.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from math import inf, isinf
from typing import Any, Final

MAX_DEPTH: Final = 300
"""How many lists and objects may stand inside one another. Everything that walks a value relies on it."""

_BLANKS: Final = " \t\n\r"
_SURELY_FLAT: Final = 2 * MAX_DEPTH
"""A text of this length has no room for more brackets than that, opened and closed."""


class Absent(enum.Enum):
    """The type of ABSENT: not there at all, what JavaScript calls ``undefined``. It is not JSON ``null``."""

    ABSENT = "absent"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "ABSENT"

    __str__ = __repr__


ABSENT: Final = Absent.ABSENT


class StrictJSONError(ValueError):
    """A text is not strict JSON.

    ``kind`` is one of ``invalid_json``, ``duplicate_key``, ``not_finite`` (NaN, Infinity, a number that
    overflows a double), ``invalid_utf8`` and ``limit`` (nested deeper than MAX_DEPTH). ``position`` counts
    characters (bytes for ``invalid_utf8``) from 0; it is None where it is not known.
    """

    def __init__(self, kind: str, message: str, position: int | None = None) -> None:
        super().__init__(message if position is None else f"{message} at position {position}")
        self.kind = kind
        self.position = position


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()
    repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    raise StrictJSONError("duplicate_key", f"an object has the key {repeated!r} twice")


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise StrictJSONError("not_finite", f"the number {digits[:40]} does not fit a double")
    return number


def _whole(digits: str) -> int:
    if len(digits) > 308:  # the largest double has 309 digits
        _finite(digits)
    return int(digits)


def _no_constant(name: str) -> float:
    raise StrictJSONError("not_finite", f"{name} is not JSON")


# The C scanner itself: ``JSONDecoder.decode`` and ``json.loads`` spend most of their time around it. A text
# with fewer than two colons has no two keys; then the scanner need not ask about every object.
_scan: Final[Callable[[str, int], tuple[Any, int]]] = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_int=_whole, parse_constant=_no_constant
).scan_once  # type: ignore[attr-defined]
_scan_last_wins: Final[Callable[[str, int], tuple[Any, int]]] = json.JSONDecoder(
    parse_float=_finite, parse_int=_whole, parse_constant=_no_constant
).scan_once  # type: ignore[attr-defined]


def loads(text: str | bytes, *, last_wins: bool = False) -> Any:
    """Parse one JSON text, blanks around it allowed; bytes must be UTF-8.

    Lone surrogate escapes are kept as they are. Raises StrictJSONError for everything that is not JSON, and
    for duplicate keys, NaN and Infinity, numbers beyond a double, a byte order mark, and nesting beyond
    MAX_DEPTH. With ``last_wins`` duplicate keys are read as most readers do: the last one counts.
    """
    source = text if isinstance(text, str) else _decoded(text)
    body = source.strip(_BLANKS)
    try:
        value, end = (_scan_last_wins if last_wins or body.count(":") < 2 else _scan)(body, 0)
    except StopIteration as stop:
        raise _invalid("Expected a JSON value", source, stop.value) from None
    except json.JSONDecodeError as error:
        raise _invalid(error.msg, source, error.pos) from None
    except RecursionError:
        raise _too_deep() from None
    length = len(body)
    if end != length:
        raise _invalid("Expected the end of the JSON text", source, end)
    if length > _SURELY_FLAT and _nests_too_deep(body, value):
        raise _too_deep()
    return value


def loads_or(text: str | bytes, otherwise: Any) -> Any:
    """Parse like ``loads``; give ``otherwise`` for what is not strict JSON."""
    try:
        return loads(text)
    except StrictJSONError:
        return otherwise


def _nests_too_deep(body: str, value: Any) -> bool:
    """Measure the few values whose text has enough brackets to nest that deep."""
    return body.count("[") + body.count("{") > MAX_DEPTH and depth(value) > MAX_DEPTH


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise StrictJSONError("invalid_utf8", "expected UTF-8 text", error.start) from None


def _invalid(message: str, source: str, position: int) -> StrictJSONError:
    position += len(source) - len(source.lstrip(_BLANKS))
    got = repr(source[position : position + 20]) if position < len(source) else "the end of the text"
    return StrictJSONError("invalid_json", f"{message.removesuffix(' at')}: {got}", position)


def _too_deep() -> StrictJSONError:
    return StrictJSONError("limit", f"nested deeper than {MAX_DEPTH} levels")


def depth(value: Any) -> int:
    """Count how many lists and objects stand inside one another: 0 for a scalar, 1 for ``[]``."""
    levels = 0
    layer = [value]
    while containers := [item for item in layer if isinstance(item, (dict, list))]:
        levels += 1
        layer = [member for box in containers for member in (box.values() if isinstance(box, dict) else box)]
    return levels


def is_unicode(value: Any) -> bool:
    """Whether every text in a value can be written as UTF-8: none holds half of a surrogate pair."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


_compact: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_spaced: Final = json.JSONEncoder(separators=(", ", ": "), allow_nan=False).encode


def dumps(value: Any, *, spaced: bool = False) -> str:
    """Write a value as ASCII JSON, as the backend does: all else becomes ``\\uXXXX``.

    ``spaced`` puts a blank behind each comma and colon. Raises ValueError for NaN and Infinity.
    """
    return (_spaced if spaced else _compact)(value)


def equal(left: Any, right: Any) -> bool:
    """Compare as JSON does: ``1`` is ``1.0`` but not ``true``, absent is not null, order of keys is free."""
    return _same(left, right, _equal_scalars)


def identical(left: Any, right: Any) -> bool:
    """Compare like ``equal``, but tell ``1`` from ``1.0``: for JSON-RPC ids and round trips."""
    return _same(left, right, _identical_scalars)


def _same(left: Any, right: Any, same_scalars: Callable[[Any, Any], bool]) -> bool:
    pairs = [(left, right)]
    while pairs:  # a loop: values may nest deeper than Python likes to recurse
        a, b = pairs.pop()
        if isinstance(a, dict):
            if not isinstance(b, dict) or a.keys() != b.keys():
                return False
            pairs += [(a[key], b[key]) for key in a]
        elif isinstance(a, list):
            if not isinstance(b, list) or len(a) != len(b):
                return False
            pairs += zip(a, b, strict=True)
        elif not same_scalars(a, b):
            return False
    return True


def _equal_scalars(a: Any, b: Any) -> bool:
    if isinstance(a, str):
        return bool(a == b)
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or _double(a) == _double(b)
    return bool(a == b)


def _double(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # no JSON text that was read here holds such a number
        return inf if number > 0 else -inf


def _identical_scalars(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)
