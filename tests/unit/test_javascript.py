"""JavaScript's text of a value, and strings in UTF-16 units."""

from __future__ import annotations

import pytest

from wiretape.javascript import first_units, joined, number_text, text, unit_count
from wiretape.strictjson import ABSENT

HIGH, LOW = "\ud83d", "\ude00"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("as it is", "as it is"),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (ABSENT, "undefined"),
        ({}, "[object Object]"),
        ({"a": 1}, "[object Object]"),
        ([], ""),
        ([None], ""),
        ([[], []], ","),
        ([1, [2, None, [True, {}]], "x"], "1,2,,true,[object Object],x"),
    ],
)
def test_values_become_text_as_in_javascript(value: object, expected: str) -> None:
    assert text(value) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (100, "100"),
        (0.1, "0.1"),
        (123456.75, "123456.75"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-1.25e25, "-1.25e+25"),
        (12345678901234567890, "12345678901234567000"),
        (1e-6, "0.000001"),
        (1.234e-6, "0.000001234"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
)
def test_numbers_are_written_as_in_javascript(number: float, expected: str) -> None:
    assert number_text(number) == expected


def test_lists_inside_lists_are_converted_without_recursion() -> None:
    deep: list[object] = ["core"]
    for _ in range(50_000):
        deep = [deep]
    assert text(deep) == "core"


def test_halves_of_a_pair_that_meet_become_one_character() -> None:
    assert joined([HIGH, LOW]) == "😀"
    assert joined(["a" + HIGH, LOW + "b"]) == "a😀b"
    assert joined([HIGH, "", LOW, LOW]) == "😀" + LOW
    assert joined([LOW, HIGH]) == LOW + HIGH


@pytest.mark.parametrize(
    ("count", "kept"),
    [(0, ""), (1, "a"), (2, "a" + HIGH), (3, "a😀"), (4, "a😀b"), (99, "a😀b"), (10**30, "a😀b")],
)
def test_strings_are_cut_in_utf16_units(count: int, kept: str) -> None:
    assert first_units("a😀b", count) == kept


def test_ascii_is_cut_like_anything_else() -> None:
    assert first_units("abc", 2) == "ab"


def test_a_character_beyond_the_first_plane_counts_twice() -> None:
    assert [unit_count(each) for each in ("", "é", "😀", HIGH)] == [0, 1, 2, 1]
