"""Streams that were interrupted and resumed while they were recorded: what they were as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

from wiretape.cassette.model import Chunks, Interaction, RecordedResponse
from wiretape.delta import DeltaError
from wiretape.flow_a.facts import read_stream
from wiretape.flow_a.json_body import read_json
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import EventStreamDecoder, event_ends

_ENDPOINT: Final = re.compile(r"/backend-(?:api|anon)/f/conversation(/resume)?(?:\?.*)?")


def whole_streams(interactions: Sequence[Interaction]) -> tuple[Interaction, ...]:
    """The interactions, where a stream that was resumed goes on as if nothing had happened."""
    endpoints = [_ENDPOINT.fullmatch(each.request.path) for each in interactions]
    if not any(each and each[1] for each in endpoints):
        return tuple(interactions)
    whole = list(interactions)
    latest: dict[Any, int] = {}
    for index, (interaction, endpoint) in enumerate(zip(interactions, endpoints, strict=True)):
        request = read_json(interaction.request.body, "").value
        if endpoint is not None and endpoint[1] is None:
            answered_as = read_stream(interaction.response.body).conversation_id
            latest[answered_as or request.get("conversation_id")] = index
        elif endpoint is not None and interaction.response.status == 200:
            begun = latest.get(request.get("conversation_id"))
            if begun is not None:
                response = _continued(whole[begun].response, interaction.response, request.get("offset"))
                whole[begun] = replace(whole[begun], response=response)
    return tuple(whole)


def counted_event_ends(template: bytes) -> Iterator[int]:
    """Where each event ends that counts: not ping, not one without data, not [DONE]."""
    events, stream, start = EventStreamDecoder(), StreamDecoder(), 0
    for end in event_ends(template):
        before = stream.delivered
        for event in events.feed(template[start:end]):
            with suppress(DeltaError):
                stream.feed(event)
        if stream.delivered > before:
            yield end
        start = end


def _continued(begun: RecordedResponse, rest: RecordedResponse, offset: object) -> RecordedResponse:
    """An answer up to its event ``offset``, and what a resume from there gave."""
    ends = [0, *counted_event_ends(begun.body)]
    if not isinstance(offset, int) or not 0 <= offset < len(ends):
        return begun
    kept, added = _cuts(begun, ends[offset]), _cuts(rest, len(rest.body))
    return replace(
        begun,
        body=begun.body[: ends[offset]] + rest.body,
        chunks=Chunks(delays=(*kept.delays, *added.delays), lengths=(*kept.lengths, *added.lengths)),
        end=rest.end,
    )


def _cuts(response: RecordedResponse, upto: int) -> Chunks:
    """The cuts of a body's first ``upto`` bytes."""
    chunks = response.chunks or _by_event(response.body)
    stops = [stop for stop in accumulate(chunks.lengths) if stop < upto]
    stops += [upto] if upto else []
    lengths = [stop - start for start, stop in zip([0, *stops], stops, strict=False)]
    return Chunks(delays=chunks.delays[: len(stops)], lengths=tuple(lengths))


def _by_event(body: bytes) -> Chunks:
    ends = event_ends(body)
    ends += [len(body)] if body and (not ends or ends[-1] < len(body)) else []
    lengths = tuple(stop - start for start, stop in zip([0, *ends], ends, strict=False))
    return Chunks(delays=(0.0,) * len(lengths), lengths=lengths)
