"""Strict JSON: what is refused, what is kept, what is equal."""

from __future__ import annotations

import copy
import pickle
import sys

import pytest

from wiretape.strictjson import (
    ABSENT,
    MAX_DEPTH,
    StrictJSONError,
    depth,
    dumps,
    equal,
    identical,
    loads,
    loads_or,
)

LONE_HALF = "\ud83d"
NAMES_THE_COMMA = sys.version_info >= (3, 13)
"""Of a comma that nothing follows, Python 3.13 gives the place, and 3.12 that of what stands behind it."""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}),
        (b'"cora\xc3\xa7\xc3\xa3o"', "coração"),
        (' \t\r\n"padded"   ', "padded"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d"', LONE_HALF),
        ("-0", 0),
        ("1" + "0" * 307, 10**307),
        ("-1E-2", -0.01),
        ('{"": {"": 1}}', {"": {"": 1}}),
    ],
)
def test_json_texts_are_read(text: str | bytes, value: object) -> None:
    assert identical(loads(text), value)


@pytest.mark.parametrize(
    ("text", "kind", "position"),
    [
        ("", "invalid_json", 0),
        ("   ", "invalid_json", 3),
        ("{", "invalid_json", 1),
        ("  [1,]", "invalid_json", 4 if NAMES_THE_COMMA else 5),
        ("  [1,x]", "invalid_json", 5),
        ("{'a': 1}", "invalid_json", 1),
        ("01", "invalid_json", 1),
        ("[1] x", "invalid_json", 3),
        ("\ufeff1", "invalid_json", 0),
        ('"a\nb"', "invalid_json", 2),
        ("\x0b1", "invalid_json", 0),
        ("[DONE]", "invalid_json", 1),
        ('{"a": 1, "b": 2, "a": 3}', "duplicate_key", None),
        ('[{"x": {"a": 1, "a": 1}}]', "duplicate_key", None),
        ("NaN", "not_finite", None),
        ("[-Infinity]", "not_finite", None),
        ("1e400", "not_finite", None),
        ("9" * 309, "not_finite", None),
        ("9" * 5000, "not_finite", None),
        (b'"\xff"', "invalid_utf8", 1),
        (b"\xef\xbb\xbf1", "invalid_json", 0),
        ("[" * 100_000, "limit", None),
        ("[" * 400 + "]" * 400, "limit", None),
        ('{"a":' * 301 + "1" + "}" * 301, "limit", None),
    ],
)
def test_everything_else_is_refused_with_its_kind_and_place(
    text: str | bytes, kind: str, position: int | None
) -> None:
    with pytest.raises(StrictJSONError) as caught:
        loads(text)
    assert (caught.value.kind, caught.value.position) == (kind, position)


def test_of_a_repeated_key_the_last_counts_for_who_asks_so_and_all_else_stays_strict() -> None:
    assert loads('{"x": {"a": 1, "a": 2}, "x": 3}', last_wins=True) == {"x": 3}
    for text in ('{"x": {"a": 1, "a": 2}, bad', '{"a": 1, "a": NaN}', '{"a": 1, "a": ' + "[" * 100_000):
        with pytest.raises(StrictJSONError, match=r"Expecting|NaN|nested deeper"):
            loads(text, last_wins=True)


def test_something_else_can_be_had_in_place_of_a_refusal() -> None:
    assert loads_or(b'{"a": 1}', None) == {"a": 1}
    assert loads_or('{"a": 1, "a": 1}', ABSENT) is ABSENT


def test_a_refusal_says_what_came_and_where() -> None:
    with pytest.raises(StrictJSONError, match=r"Expected a JSON value: 'x\]' at position 3"):
        loads("[1,x]")
    with pytest.raises(StrictJSONError, match="the end of the text at position 1"):
        loads("[")
    with pytest.raises(StrictJSONError, match="has the key 'a' twice"):
        loads('{"a": 1, "b": 2, "a": 3}')


def test_nesting_up_to_the_limit_is_read() -> None:
    assert depth(loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)) == MAX_DEPTH


def test_many_brackets_side_by_side_are_no_nesting() -> None:
    assert loads("[" + ",".join(["[]"] * 2 * MAX_DEPTH) + "]") == [[]] * 2 * MAX_DEPTH


def test_depth_counts_lists_and_objects_inside_one_another() -> None:
    assert [depth(value) for value in (1, [], {}, [1, {"a": []}])] == [0, 1, 1, 3]


def test_json_is_written_in_ascii_compact_or_spaced() -> None:
    value = {"a": [1, "é😀"], "b": None}
    assert dumps(value) == r'{"a":[1,"\u00e9\ud83d\ude00"],"b":null}'
    assert dumps(value, spaced=True) == r'{"a": [1, "\u00e9\ud83d\ude00"], "b": null}'


def test_a_lone_half_of_a_surrogate_pair_is_written_as_an_escape() -> None:
    assert dumps(LONE_HALF) == r'"\ud83d"'
    assert loads(dumps(LONE_HALF)) == LONE_HALF


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_has_no_word_for_is_not_written(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        ([1, {"a": 2.0}], [1.0, {"a": 2}]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (2**53, 2**53 + 1),
        (0.0, -0.0),
        (None, None),
        (ABSENT, ABSENT),
        (10**400, 10**400),
    ],
)
def test_equal_as_json(left: object, right: object) -> None:
    assert equal(left, right)
    assert equal(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, True),
        (0, False),
        (0.0, False),
        (1, "1"),
        (None, ABSENT),
        (None, False),
        ([1], [True]),
        ([1], [1, 2]),
        ([], {}),
        ({}, []),
        ({"a": None}, {}),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, "a"),
        ([1], 1),
        (10**400, -(10**400)),
    ],
)
def test_different_as_json(left: object, right: object) -> None:
    assert not equal(left, right)
    assert not equal(right, left)


def test_identical_also_tells_whole_numbers_from_fractions() -> None:
    assert not identical(1, 1.0)
    assert not identical({"id": [1]}, {"id": [1.0]})
    assert not identical(1, True)
    assert identical({"id": [1, 1.5, "a", None]}, {"id": [1, 1.5, "a", None]})


def test_deep_values_are_compared_without_recursion() -> None:
    deep: list[object] = []
    for _ in range(50_000):
        deep = [deep]
    assert equal(deep, deep)
    assert identical(deep, deep)


def test_absent_is_one_falsy_thing_that_survives_copying() -> None:
    assert not ABSENT
    assert repr(ABSENT) == str(ABSENT) == "ABSENT"
    assert copy.deepcopy([ABSENT])[0] is ABSENT
    assert pickle.loads(pickle.dumps(ABSENT)) is ABSENT
