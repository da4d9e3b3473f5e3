"""Values that JSON and UTF-8 can carry: no NaN, no half of a surrogate pair. All are small."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_CHARACTERS = st.characters(exclude_categories=["Cs"])
_TEXTS = st.text(_CHARACTERS, max_size=6) | st.sampled_from(
    ["", "a", "0", "é", "😀", "a😀b", "\u2028", '"\\\n']
)
_KEYS = st.sampled_from(["a", "b", "0", "1", "", "a/b", "~1", "id", "message"]) | st.text(
    _CHARACTERS, max_size=3
)
_NUMBERS = (
    st.integers(-3, 3)
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 1e21, 1.5e-7, 1e20])
)
_SCALARS = st.none() | st.booleans() | _NUMBERS | _TEXTS


def _containers(members: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.lists(members, max_size=3) | st.dictionaries(_KEYS, members, max_size=3)


_JSON_VALUES: SearchStrategy[Any] = st.recursive(_SCALARS, _containers, max_leaves=8)


def characters() -> SearchStrategy[str]:
    """Single characters of every plane, no halves of surrogate pairs."""
    return _CHARACTERS


def texts() -> SearchStrategy[str]:
    """Short texts; astral characters, line separators, quotes and backslashes are frequent."""
    return _TEXTS


def keys() -> SearchStrategy[str]:
    """Keys of objects, those among them that a path must escape or that look like an index."""
    return _KEYS


def numbers() -> SearchStrategy[int | float]:
    """Numbers that a double holds, whole or not, those where number formats differ among them."""
    return _NUMBERS


def scalars() -> SearchStrategy[Any]:
    """null, true, false, numbers, texts."""
    return _SCALARS


def json_values() -> SearchStrategy[Any]:
    """JSON values with up to 8 leaves that survive a JSON text and UTF-8 unchanged."""
    return _JSON_VALUES


def json_objects() -> SearchStrategy[dict[str, Any]]:
    """Objects of up to three such values."""
    return st.dictionaries(_KEYS, _JSON_VALUES, max_size=3)


def ids() -> SearchStrategy[str]:
    """Ids as they stand on the wire: UUIDs of version 4, in small letters."""
    return st.uuids(version=4).map(str)
