"""Paths: segments, indexes, escapes."""

from __future__ import annotations

import pytest

from wiretape.pointer import FAR, parse, write


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("", []),
        ("/", [""]),
        ("a", ["a"]),
        ("/a", ["a"]),
        ("//a", ["", "a"]),
        ("/a/", ["a", ""]),
        ("/message/content/parts/0", ["message", "content", "parts", "0"]),
        ("/a~1b/c~0d/~01/~/~2", ["a/b", "c~d", "~1", "~", "~2"]),
    ],
)
def test_a_path_is_split_at_its_slashes_and_unescaped(path: str, keys: list[str]) -> None:
    assert [segment.key for segment in parse(path)] == keys


@pytest.mark.parametrize(
    ("text", "position"),
    [("0", 0), ("7", 7), ("10", 10), ("999999999", 999_999_999), ("1000000000", FAR), ("9" * 5000, FAR)],
)
def test_ascii_digits_without_leading_zeros_are_an_index(text: str, position: int) -> None:
    (segment,) = parse(f"/{text}")
    assert segment == (text, position)


@pytest.mark.parametrize(
    "text", ["00", "01", "-", "-1", "+1", "1.0", " 1", "1 ", "1\n", "１", "٣", "~01", ""]
)
def test_everything_else_is_a_key(text: str) -> None:
    (segment,) = parse(f"/{text}")
    assert segment.position is None


@pytest.mark.parametrize("keys", [[], ["a"], [""], ["", ""], ["a/b", "~1", "~", "0"]])
def test_a_written_path_is_read_back(keys: list[str]) -> None:
    assert [segment.key for segment in parse(write(keys))] == keys


def test_indexes_are_written_as_digits() -> None:
    assert write(["parts", 0]) == "/parts/0"
