"""Events of an answer in few words, for the stream decoder's tests."""

from __future__ import annotations

import pytest

from wiretape.delta import DeltaError
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import ServerSentEvent
from wiretape.strictjson import dumps

ANNOUNCED = ServerSentEvent("delta_encoding", '"v1"')
DONE = ServerSentEvent(data="[DONE]")
COMPLETE = ServerSentEvent(data='{"type": "message_stream_complete", "conversation_id": "c"}')


def delta(wire_delta: object) -> ServerSentEvent:
    return ServerSentEvent("delta", dumps(wire_delta))


def unnamed(payload: object) -> ServerSentEvent:
    return ServerSentEvent(data=dumps(payload))


def fed(*events: ServerSentEvent) -> StreamDecoder:
    decoder = StreamDecoder()
    for event in events:
        decoder.feed(event)
    return decoder


def refusal(decoder: StreamDecoder, event: ServerSentEvent) -> DeltaError:
    with pytest.raises(DeltaError) as caught:
        decoder.feed(event)
    return caught.value
