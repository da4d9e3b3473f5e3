"""Every delta vector, step by step, through the decoder and through its own stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wiretape.delta import ABSENT, DeltaDecoder, DeltaError
from wiretape.flow_a.stream import Announcement, Delta, StreamDecoder
from wiretape.sse import ServerSentEvent
from wiretape.strictjson import dumps, equal

VECTORS = Path(__file__).parents[1] / "vectors" / "flow_a"
ALL: list[dict[str, Any]] = json.loads((VECTORS / "delta.json").read_text(encoding="utf-8"))["vectors"]
BY_DELTAS = [vector for vector in ALL if "deltas" in vector]
BY_FRAMES = [vector for vector in ALL if "frames" in vector]
UNDEFINED = {"$undefined": True}


def without_holes(value: Any) -> Any:
    """A vector's value as a decoder shows it: a hole is null."""
    if value == UNDEFINED:
        return None
    if isinstance(value, dict):
        return {key: without_holes(member) for key, member in value.items()}
    return [without_holes(item) for item in value] if isinstance(value, list) else value


def same(got: Any, want: Any) -> bool:
    return got is ABSENT if want == UNDEFINED else equal(got, without_holes(want))


def by_channel(values: dict[Any, Any]) -> dict[str, Any]:
    return {str(channel): value for channel, value in values.items()}


def test_no_vector_is_left_out() -> None:
    assert len(BY_DELTAS) + len(BY_FRAMES) == len(ALL) == 42


@pytest.mark.parametrize("vector", BY_DELTAS, ids=lambda vector: vector["name"])
def test_a_vector_of_deltas_decodes(vector: dict[str, Any]) -> None:
    decoder = DeltaDecoder()
    for number, (delta, step) in enumerate(zip(vector["deltas"], vector["steps"], strict=True)):
        if step.get("error"):
            with pytest.raises(DeltaError) as caught:
                decoder.apply(delta)
            assert caught.value.kind == step["kind"], f"step {number}"
        else:
            assert same(decoder.apply(delta), step["value"]), f"step {number}"
    assert equal(by_channel(decoder.values), without_holes(vector["final"]))


@pytest.mark.parametrize("vector", BY_FRAMES, ids=lambda vector: vector["name"])
def test_a_vector_of_frames_decodes(vector: dict[str, Any]) -> None:
    decoder = StreamDecoder()
    for number, (frame, step) in enumerate(zip(vector["frames"], vector["steps"], strict=True)):
        result = decoder.feed(ServerSentEvent(frame["event"], frame["data"]))
        if step.get("ignored"):
            assert isinstance(result, Announcement), f"frame {number}"
        else:
            assert isinstance(result, Delta), f"frame {number}"
            assert same(decoder.peek(result.channel, ""), step["value"]), f"frame {number}"
    assert equal(by_channel(decoder.values), without_holes(vector["final"]))


@pytest.mark.parametrize("vector", BY_DELTAS, ids=lambda vector: vector["name"])
def test_a_stream_of_the_same_deltas_ends_the_same(vector: dict[str, Any]) -> None:
    decoder = StreamDecoder()
    decoder.feed(ServerSentEvent("delta_encoding", '"v1"'))
    failed = []
    for number, delta in enumerate(vector["deltas"]):
        try:
            decoder.feed(ServerSentEvent("delta", dumps(delta)))
        except DeltaError:
            failed.append(number)
    assert failed == [number for number, step in enumerate(vector["steps"]) if step.get("error")]
    assert [error.event_number for error in decoder.errors] == [number + 2 for number in failed]
    assert equal(by_channel(decoder.values), without_holes(vector["final"]))
