"""A raw event stream, as ``curl -N`` saves it: one answer, and no word of the request."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Cassette, Interaction, Provenance, RecordedRequest, RecordedResponse
from wiretape.delta import DeltaError
from wiretape.endpoints import CONVERSATION
from wiretape.flow_a.expectation import expectation
from wiretape.flow_a.messages import member
from wiretape.flow_a.stream import StreamDecoder
from wiretape.imports.exchange import SourceError
from wiretape.sse import EventStreamDecoder

_HEADS: Final = re.compile(rb"(?:HTTP/[0-9.]+ [0-9]{3}[^\n]*\n(?:[^\r\n]+\r?\n)*\r?\n)+")
_JSON: Final = {"content-type": "application/json"}
_NO_CUTS: Final = "The file holds no chunk cuts and no times: each event is its own chunk, without delay."
_MADE_UP: Final = (
    "The request is made up: its message is the one that the stream repeats, or an invented one; nothing "
    "else of it was captured."
)


def read_event_stream(data: bytes, *, name: str, tool: str, request: bytes | None = None) -> Cassette:
    """Make a cassette of one answer's bytes. ``request``: the body of the request, where it is known.

    Raises SourceError when there is no event in them.
    """
    body = _without_head(data)
    frames, decoder = EventStreamDecoder(), StreamDecoder()
    for event in frames.feed(body):
        try:
            decoder.feed(event)
        except DeltaError:
            continue  # the cassette holds what came; lint says what is wrong with it
    if decoder.delivered == 0:
        raise SourceError(
            f"{name}: expected an event stream (lines of event: and data:, a blank line behind each event), "
            f"got {body[:60]!r}. Save the answer's body itself, for example with: curl -sN … > answer.sse"
        )
    interaction = _interaction(body, decoder, request)
    return Cassette(
        protocol="flow_a",
        title=f"Imported: {name}",
        provenance=Provenance(
            kind="recorded",
            tool=tool,
            basis=(f"the event stream {name}, byte for byte",),
            gaps=tuple(_gaps(decoder, frames, cut_off=body is not data, made_up=request is None)),
        ),
        expect=expectation([interaction]),
        interactions=(interaction,),
    )


def _interaction(body: bytes, decoder: StreamDecoder, request: bytes | None) -> Interaction:
    return Interaction(
        request=RecordedRequest(
            method="POST",
            path=CONVERSATION,
            headers=_JSON,
            body=_made_up(decoder) if request is None else request,
        ),
        response=RecordedResponse(
            headers={"content-type": "text/event-stream; charset=utf-8"},
            body=body,
            end="complete" if decoder.done else "reset",
        ),
    )


def _without_head(data: bytes) -> bytes:
    """The body, where ``curl -i`` put the answer's head before it, behind those of a proxy and of 1xx."""
    heads = _HEADS.match(data)
    return data[heads.end() :] if heads else data


def _gaps(
    decoder: StreamDecoder, frames: EventStreamDecoder, *, cut_off: bool, made_up: bool
) -> Iterable[str]:
    if made_up:
        yield _MADE_UP
    if cut_off:
        yield "The answer's status and headers, which stood before the stream, are not kept."
    else:
        yield "The answer's status and headers were not captured."
    yield _NO_CUTS
    yield "When it was captured is not known."
    if not decoder.done:
        how = "inside an event" if frames.unterminated_tail else "without [DONE]"
        yield f"The stream ends {how}; whether more came is not known. It is played as one that breaks off."


def _made_up(decoder: StreamDecoder) -> bytes:
    """A request that the stream could be the answer to."""
    sent = (member(payload, "input_message") for payload in decoder.events)
    message = next((each for each in sent if isinstance(each, dict)), None)
    body = {
        "action": "next",
        "messages": [_INVENTED if message is None else message],
        "model": _model(decoder),
        "thinking_effort": "standard",
        "supported_encodings": ["v1"],
        "timezone": "Etc/UTC",
        "timezone_offset_min": 0,
        "client_prepare_state": "failure",
        "app_attest_challenge": "<not captured>",
    }
    return strictjson.dumps(body).encode("utf-8", "surrogatepass")


def _model(decoder: StreamDecoder) -> str:
    slugs = (member(each, "metadata", "model_slug") for each in [*decoder.events, *decoder.messages])
    return next((each for each in slugs if isinstance(each, str)), "auto")


_INVENTED: Final[dict[str, Any]] = {
    "author": {"metadata": {}, "name": None, "role": "user"},
    "channel": None,
    "content": {"content_type": "text", "parts": ["(The user's message was not captured.)"]},
    "create_time": 1700000000.0,
    "end_turn": None,
    "id": "00000000-0000-4000-8000-000000000001",
    "metadata": {},
    "recipient": "all",
    "status": "finished_successfully",
    "update_time": None,
    "weight": 1,
}
