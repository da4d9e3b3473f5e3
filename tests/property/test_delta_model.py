"""The delta decoder against a second, naive one; encoded values against decoded ones."""

from __future__ import annotations

from typing import Any

from hypothesis import event, example, given
from hypothesis import strategies as st

from tests.property.naive_delta import NaiveDecoder, RefusedError
from tests.property.strategies import RUNS, SAFE_TEXT, histories
from wiretape.delta import DeltaDecoder, DeltaError
from wiretape.delta_encoder import ANNOUNCEMENT, DeltaEncoder, delta_event
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import EventStreamDecoder, encode
from wiretape.strictjson import dumps, identical, loads


def naive_outcome(decoder: NaiveDecoder, delta: Any) -> str | None:
    try:
        decoder.push(delta)
    except RefusedError as refused:
        return refused.kind
    return None


def outcome(decoder: DeltaDecoder, delta: Any) -> str | None:
    try:
        decoder.push(delta)
    except DeltaError as error:
        return error.kind
    return None


WHEN_APPLIED = ("index", "container")
"""Kinds that come after validation, so that there is only one fault that can be named."""


@given(RUNS)
@example(
    [{"v": ["x"]}, {"o": "patch", "v": [{"p": "/0", "o": "append", "v": "y"}, {"p": "/a", "o": "add"}]}, {}]
)
@example([{"v": ""}, {"o": "append", "v": "\ud83d"}, {"v": "\ude00"}, {"o": "truncate", "v": 1}])
def test_the_decoder_does_what_the_naive_one_does(deltas: list[Any]) -> None:
    naive, decoder = NaiveDecoder(), DeltaDecoder()
    for number, delta in enumerate(deltas):
        expected = naive_outcome(naive, delta)
        got = outcome(decoder, delta)
        event(f"outcome {expected}")
        assert (got is None) == (expected is None), f"delta {number}: {got} instead of {expected}"
        if expected in WHEN_APPLIED or got in WHEN_APPLIED:
            assert got == expected
        assert identical(
            {float(channel): value for channel, value in decoder.values.items()}, naive.values()
        ), f"after delta {number}"


@given(RUNS)
def test_reading_between_deltas_changes_nothing(deltas: list[Any]) -> None:
    read, unread = DeltaDecoder(), DeltaDecoder()
    for delta in deltas:
        assert outcome(read, delta) == outcome(unread, delta)
        assert read.values == read.values
    assert identical(read.values, unread.values)


@given(RUNS)
def test_no_delta_is_changed_by_pushing_it_or_any_later_one(deltas: list[Any]) -> None:
    before = dumps(deltas)
    decoder = DeltaDecoder()
    for delta in deltas:
        outcome(decoder, delta)
    assert dumps(deltas) == before


@given(history=histories(), short=st.booleans(), spaced=st.booleans(), padded=st.booleans())
def test_what_was_encoded_is_decoded(
    history: list[tuple[int, Any]], short: bool, spaced: bool, padded: bool
) -> None:
    encoder, decoder, frames = DeltaEncoder(short=short), StreamDecoder(), EventStreamDecoder()
    for announced in frames.feed(encode(ANNOUNCEMENT)):
        decoder.feed(announced)
    for channel, value in history:
        wire_delta = encoder.encode(channel, value)
        if wire_delta is not None:
            for each in frames.feed(encode(delta_event(wire_delta, spaced=spaced, padded=padded))):
                decoder.feed(each)
        assert identical(decoder.peek(channel, ""), value)
    assert decoder.errors == []


@given(history=histories(), texts=st.lists(SAFE_TEXT, min_size=1, max_size=4))
def test_short_deltas_say_no_more_than_long_ones(history: list[tuple[int, Any]], texts: list[str]) -> None:
    short, long = DeltaEncoder(), DeltaEncoder(short=False)
    short_decoder, long_decoder = DeltaDecoder(), DeltaDecoder()
    for channel, value in [*history, *((0, text) for text in texts)]:
        brief, full = short.encode(channel, value), long.encode(channel, value)
        assert (brief is None) == (full is None)
        if brief is not None and full is not None:
            assert brief.items() <= full.items() or brief == {k: full[k] for k in brief}
            assert identical(short_decoder.apply(loads(dumps(brief))), long_decoder.apply(loads(dumps(full))))
