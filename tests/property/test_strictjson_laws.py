"""Laws of strict JSON and of paths."""

from __future__ import annotations

import copy
import json
from math import isinf
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from tests.property.strategies import CHARACTERS, JSON_VALUES, changed
from wiretape.pointer import parse, write
from wiretape.strictjson import StrictJSONError, depth, dumps, equal, identical, loads

JSON_LIKE = st.lists(
    st.sampled_from(
        [*'{}[],: "', '"a"', '"b"', "1", "-0", "1.5", "1e400", "null", "true", "NaN", "-Infinity"]
    )
    | st.sampled_from([*" \t\n\r\x0b\ufeff", r'"\ud83d"', r'"\ud83d\ude00"', '"a":1', "0x1", "é"]),
    max_size=12,
).map("".join)
PAIRS = JSON_VALUES.flatmap(lambda value: st.tuples(st.just(value), JSON_VALUES | changed(value)))


@given(JSON_VALUES, st.booleans(), st.sampled_from(["", " ", "\r\n\t "]))
def test_what_is_written_is_read_back(value: Any, spaced: bool, blanks: str) -> None:
    text = dumps(value, spaced=spaced)
    assert text.isascii()
    assert identical(loads(text), value)
    assert identical(loads((blanks + text + blanks).encode()), value)


def read(text: str | bytes) -> Any:
    try:
        return loads(text)
    except StrictJSONError as error:
        return error


@given(JSON_LIKE | st.text(max_size=10))
def test_a_text_is_refused_or_means_what_the_standard_library_says(text: str) -> None:
    result = read(text)
    if isinstance(result, StrictJSONError):
        event(result.kind)
        assert result.kind in ("invalid_json", "duplicate_key", "not_finite")
    else:
        assert repr(result) == repr(json.loads(text))


@given(JSON_LIKE)
def test_a_text_without_the_known_faults_is_not_refused(text: str) -> None:
    try:
        json.loads(text, parse_constant=refuse, parse_float=finite, object_pairs_hook=no_key_twice)
    except ValueError:
        return
    loads(text)


def refuse(name: str) -> None:
    raise ValueError(name)


def finite(digits: str) -> float:
    if isinf(float(digits)):
        raise ValueError(digits)
    return float(digits)


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


@given(st.binary(max_size=12))
def test_bytes_are_refused_or_are_utf8_that_reads_the_same_as_text(data: bytes) -> None:
    result = read(data)
    if not isinstance(result, StrictJSONError):
        assert identical(loads(data.decode()), result)


@given(JSON_VALUES)
def test_a_value_equals_a_copy_of_itself_with_its_keys_in_another_order(value: Any) -> None:
    turned = reordered(copy.deepcopy(value))
    assert identical(value, turned)
    assert equal(turned, value)


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


def tagged(value: Any) -> Any:
    """A value whose Python equality is JSON equality: each scalar stands beside its JSON type."""
    if isinstance(value, dict):
        return {key: tagged(member) for key, member in value.items()}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return (type(value).__name__, value)
    return ("number", float(value))


@given(PAIRS)
def test_equality_is_that_of_json_types_and_doubles(pair: tuple[Any, Any]) -> None:
    left, right = pair
    assert equal(left, right) is equal(right, left) is (tagged(left) == tagged(right))
    assert identical(left, right) is identical(right, left)
    if identical(left, right):
        assert equal(left, right)


@given(JSON_VALUES)
def test_depth_is_that_of_a_recursive_count(value: Any) -> None:
    assert depth(value) == counted(value)


def counted(value: Any) -> int:
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(counted, value.values() if isinstance(value, dict) else value), default=0)


@given(st.lists(st.text(CHARACTERS, max_size=4) | st.sampled_from(["", "0", "01", "~", "/", "~1", "~01"])))
def test_a_written_path_is_read_back(keys: list[str]) -> None:
    assert [segment.key for segment in parse(write(keys))] == keys
