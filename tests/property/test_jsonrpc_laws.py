"""Laws of the JSON-RPC reader: any bytes, cut anywhere."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wiretape.jsonrpc import Answer, Call, Failure, LineDecoder, Notice, read


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_cuts_never_change_the_lines(data: bytes, cuts: list[int]) -> None:
    decoder, places = LineDecoder(), [0, *sorted(cuts), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(places)]
    lines = [line for piece in pieces for line in decoder.feed(piece)]
    *whole, rest = data.split(b"\n")
    assert lines == whole
    assert decoder.close() == ([rest] if rest else [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(["id", "method", "params", "result", "error"])


@given(st.dictionaries(MEMBERS, JSON | st.just({"code": 1, "message": "m"}), max_size=5))
def test_every_object_is_read_as_exactly_one_thing(value: dict[str, Any]) -> None:
    message = read(json.dumps(value).encode())
    assert message.value == value
    if isinstance(message, (Call, Notice)):
        assert isinstance(value["method"], str)
    elif isinstance(message, Answer):
        assert "result" in value
    elif isinstance(message, Failure):
        assert "result" not in value


@given(st.binary(max_size=60))
def test_reading_never_raises(data: bytes) -> None:
    read(data)
