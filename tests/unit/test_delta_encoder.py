"""The delta encoder: which change becomes which operation, short and long forms, the event's text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deltas import HIGH, T, message
from wiretape.delta import ABSENT, DeltaDecoder, DeltaError
from wiretape.delta_encoder import ANNOUNCEMENT, DeltaEncoder, delta_event
from wiretape.sse import ServerSentEvent, encode
from wiretape.strictjson import MAX_DEPTH, dumps, identical, loads


def change(old: Any, new: Any) -> dict[str, Any] | None:
    """The delta between two values of channel 0, in its long form."""
    encoder = DeltaEncoder(short=False)
    encoder.encode(0, old)
    return encoder.encode(0, new)


@pytest.mark.parametrize(
    ("old", "new", "operation"),
    [
        ({"a": "x"}, {"a": "xy"}, {"p": "/a", "o": "append", "v": "y"}),
        ({"a": "x😀y"}, {"a": "x😀"}, {"p": "/a", "o": "truncate", "v": 3}),
        ({"a": "x"}, {"a": "z"}, {"p": "/a", "o": "replace", "v": "z"}),
        ({"a": HIGH}, {"a": "😀"}, {"p": "/a", "o": "replace", "v": "😀"}),
        ({"a": 1}, {"a": 1.0}, {"p": "/a", "o": "replace", "v": 1.0}),
        ({"a": 1}, {"a": True}, {"p": "/a", "o": "replace", "v": True}),
        ({"a": {}}, {"a": []}, {"p": "/a", "o": "replace", "v": []}),
        ({"a": 1, "b": 2}, {"b": 2}, {"p": "/a", "o": "remove"}),
        ({"m": {}}, {"m": {"a": 1, "b": 2}}, {"p": "/m", "o": "append", "v": {"a": 1, "b": 2}}),
        ({"l": [1]}, {"l": [1, 2, 3]}, {"p": "/l", "o": "append", "v": [2, 3]}),
        ({"l": [1, 2, 3]}, {"l": [1]}, {"p": "/l", "o": "truncate", "v": 1}),
        ({"l": [1, 2]}, {"l": [1, 3]}, {"p": "/l/1", "o": "replace", "v": 3}),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, {"p": "/a~1b/~0", "o": "replace", "v": 2}),
        ("x", "xy", {"p": "", "o": "append", "v": "y"}),
        ("x", 1, {"p": "", "o": "add", "v": 1}),
        (ABSENT, None, {"p": "", "o": "add", "v": None}),
        (1, ABSENT, {"p": "", "o": "remove"}),
    ],
)
def test_one_change_is_one_operation(old: Any, new: Any, operation: dict[str, Any]) -> None:
    assert identical(change(old, new), operation | {"c": 0})


def test_several_changes_are_a_patch_at_the_root() -> None:
    assert change({"a": "x", "s": 1}, {"a": "xy", "s": 2}) == {
        "p": "",
        "o": "patch",
        "v": [{"p": "/a", "o": "append", "v": "y"}, {"p": "/s", "o": "replace", "v": 2}],
        "c": 0,
    }


@pytest.mark.parametrize("value", [ABSENT, None, {}, message()])
def test_no_change_is_no_delta(value: Any) -> None:
    assert change(value, value) is None


def texts_of(*pieces: str, short: bool = True) -> list[dict[str, Any] | None]:
    encoder, text = DeltaEncoder(short=short), ""
    deltas = [encoder.encode(0, message())]
    for piece in pieces:
        text += piece
        deltas.append(encoder.encode(0, message(text=text)))
    return deltas


def test_short_deltas_leave_out_what_is_inherited() -> None:
    assert texts_of("he", "llo", "!") == [
        {"v": message()},
        {"p": T, "o": "append", "v": "he"},
        {"v": "llo"},
        {"v": "!"},
    ]


def test_long_deltas_name_everything() -> None:
    assert texts_of("he", short=False) == [
        {"p": "", "o": "add", "v": message(), "c": 0},
        {"p": T, "o": "append", "v": "he", "c": 0},
    ]


def test_inheritance_crosses_channels_like_the_decoder() -> None:
    encoder = DeltaEncoder()
    deltas = [encoder.encode(channel, {"t": "x" * n}) for n in range(1, 4) for channel in (0, 1)]
    assert deltas == [
        {"v": {"t": "x"}},
        {"v": {"t": "x"}, "c": 1},
        {"p": "/t", "o": "append", "v": "x", "c": 0},
        {"v": "x", "c": 1},
        {"v": "x", "c": 0},
        {"v": "x", "c": 1},
    ]


def test_a_stream_of_snapshots_decodes_back() -> None:
    finished = message(text="hello")
    finished["message"] |= {
        "status": "finished_successfully",
        "end_turn": True,
        "metadata": {"is_complete": True},
    }
    encoder, decoder = DeltaEncoder(), DeltaDecoder()
    for snapshot in (message(), message(text="hel"), message(text="hello"), finished):
        delta = encoder.encode(3, snapshot)
        assert identical(decoder.apply(delta), snapshot)


def test_neither_a_delta_nor_the_encoder_shares_anything_with_a_value_that_goes_on_changing() -> None:
    value: dict[str, Any] = {"a": ["x"]}
    encoder = DeltaEncoder()
    delta = encoder.encode(0, value)
    value["a"].append("y")
    assert delta == {"v": {"a": ["x"]}}
    delta["v"]["a"].append("z")
    assert encoder.encode(0, value) == {"p": "/a", "o": "append", "v": ["y"]}


def test_a_value_that_could_not_be_read_back_is_refused() -> None:
    deep: Any = 1
    for _ in range(MAX_DEPTH - 3):
        deep = [deep]
    encoder = DeltaEncoder(short=False)
    encoder.encode(0, [0, 0, [0]])
    delta = encoder.encode(0, deep)
    assert DeltaDecoder().apply(loads(dumps(delta))) is not ABSENT
    with pytest.raises(DeltaError) as caught:
        encoder.encode(0, [deep])
    assert caught.value.kind == "limit"


def test_a_delta_event_is_padded_to_eight_bytes_and_comes_spaced_or_compact() -> None:
    delta = {"v": "é", "c": 1}
    assert delta_event(delta) == ServerSentEvent("delta", r'{"v":"\u00e9","c":1}' + " " * 4)
    assert delta_event(delta, padded=False) == ServerSentEvent("delta", r'{"v":"\u00e9","c":1}')
    assert delta_event(delta, spaced=True, padded=False).data == r'{"v": "\u00e9", "c": 1}'
    assert delta_event({"v": "12345678"}) == ServerSentEvent("delta", '{"v":"12345678"}')
    assert [len(encode(delta_event({"v": "x" * n}))) % 8 for n in range(9)] == [21 % 8] * 9


def test_the_announcement_is_v1_in_quotes() -> None:
    assert encode(ANNOUNCEMENT) == b'event: delta_encoding\ndata: "v1"\n\n'
