"""What a refused delta says, and how deep a value may be built."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deltas import HIGH, holding, kind_of, op
from wiretape.delta import DeltaDecoder, DeltaError
from wiretape.document import MAX_GAP
from wiretape.strictjson import MAX_DEPTH


def test_an_error_says_what_was_expected_what_came_and_where() -> None:
    decoder = holding({"a": "text"})
    with pytest.raises(DeltaError) as caught:
        decoder.push(op("patch", "", [op("add", "/a/b", 1)]))
    assert str(caught.value) == "expected an object or a list at 'a', got 'text' (path '/a/b')"
    assert (caught.value.kind, caught.value.path) == ("container", "/a/b")
    with pytest.raises(DeltaError, match=r"expected a delta to be an object, got 5$"):
        decoder.push(5)
    with pytest.raises(DeltaError, match=r"expected o to be one of add, append, .* got 'move' \(path '/a'\)"):
        decoder.push(op("move", "/a"))


def test_an_error_about_a_lone_half_can_be_printed() -> None:
    decoder = holding({"a": HIGH})
    with pytest.raises(DeltaError) as caught:
        decoder.push(op("add", f"/a/{HIGH}", 1))
    assert str(caught.value).encode()


def nested(levels: int) -> Any:
    value: Any = "core"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("delta", "fits"),
    [
        (op("add", "", nested(MAX_DEPTH)), True),
        (op("add", "", nested(MAX_DEPTH + 1)), False),
        (op("add", "/a", nested(MAX_DEPTH - 1)), True),
        (op("add", "/a", nested(MAX_DEPTH)), False),
        (op("append", "/list", nested(MAX_DEPTH - 1)), True),
        (op("append", "/list", nested(MAX_DEPTH)), False),
        (op("append", "/object", {"x": nested(MAX_DEPTH - 2)}), True),
        (op("append", "/object", {"x": nested(MAX_DEPTH - 1)}), False),
        (op("patch", "/a", [op("add", "/b", nested(MAX_DEPTH - 2))]), True),
        (op("patch", "/a", [op("add", "/b", nested(MAX_DEPTH - 1))]), False),
        (op("add", "/a" * MAX_DEPTH, 1), True),
        (op("add", "", nested(100_000)), False),
        (op("add", "/a" * 100_000, 1), False),
    ],
)
def test_no_delta_builds_a_value_deeper_than_the_limit(delta: dict[str, Any], fits: bool) -> None:
    decoder = holding({"list": [], "object": {}})
    if fits:
        decoder.apply(delta)
    else:
        assert kind_of(decoder, delta) == "limit"
        assert decoder.values == {0: {"list": [], "object": {}}}


def test_holes_up_to_the_limit_are_left() -> None:
    assert holding([1]).apply(op("replace", f"/{MAX_GAP + 1}", 2)) == [1, *[None] * MAX_GAP, 2]
    assert kind_of(holding([1]), op("replace", f"/{MAX_GAP + 2}", 2)) == "limit"


def test_patches_inside_patches_have_a_limit() -> None:
    delta = op("add", "/a", 1)
    for _ in range(MAX_DEPTH // 2):
        delta = op("patch", "", [delta])
    assert holding({}).apply(delta) == {"a": 1}
    assert kind_of(holding({}), op("patch", "", [delta])) == "limit"


def test_deep_garbage_is_an_ordinary_error() -> None:
    decoder = DeltaDecoder()
    assert kind_of(decoder, nested(100_000)) == "payload"
    assert kind_of(decoder, op("patch", "", {"x": nested(100_000)})) == "patch_value"
    assert kind_of(decoder, op(nested(100_000), "", 1)) == "op"
