"""A Flow A session in the parts that are compared: requests, answers, their events, the messages they make.

What deltas say is compared in the messages that they make, since the same text may come in any pieces. Of the
deltas themselves it is compared what they do, and where; the pieces of a growing text are one part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wiretape import strictjson
from wiretape.delta import Delta, DeltaError
from wiretape.drift.parts import UUID, Exchange, Part
from wiretape.flow_a.messages import member, sent_messages
from wiretape.flow_a.stream import Announcement, Done, Ignored, StreamDecoder, StreamEvent, TypedEvent
from wiretape.sse import EventStreamDecoder, ServerSentEvent
from wiretape.strictjson import ABSENT, StrictJSONError
from wiretape.transcript import End, Request, Response, Transcript, is_event_stream


def exchanges(transcript: Transcript) -> list[Exchange]:
    """Every request with its answer, in the order of the requests."""
    requests = {e.number: e for e in transcript.entries if isinstance(e, Request)}
    responses = {e.number: e for e in transcript.entries if isinstance(e, Response)}
    ends = {e.number: e for e in transcript.entries if isinstance(e, End)}
    bodies = transcript.bodies()
    return [
        _exchange(request, responses.get(number), ends.get(number), bodies.get(number, b""))
        for number, request in requests.items()
    ]


def _exchange(request: Request, response: Response | None, end: End | None, body: bytes) -> Exchange:
    value, at = _json(request.body), f"request {request.number}"
    label = _label(request, value)
    parts = [Part(label=label, at=at, value=value, headers=request.headers)]
    if response is not None:
        parts += _answer(response, end, body, label)
    return Exchange(label=label, at=at, parts=tuple(parts))


def _label(request: Request, body: Any) -> str:
    """The method, the path without ids, and who speaks in it."""
    roles = [member(each, "author", "role") for each in sent_messages(body)]
    speaking = f" ({', '.join(map(str, roles))})" if roles else ""
    return f"{request.method} {UUID.sub('{id}', request.path)}{speaking}"


def _answer(response: Response, end: End | None, body: bytes, label: str) -> Iterator[Part]:
    streamed = is_event_stream(response.headers)
    value = {"status": response.status, "end": end.how if end else "open"}
    if not streamed:
        value["body"] = _json(body)
    at = f"answer {response.number}"
    yield Part(label=f"answer to {label}", at=at, value=value, headers=response.headers)
    if streamed:
        yield from _Events(at=at).parts(body)


def _json(body: bytes) -> Any:
    try:
        return strictjson.loads(body) if body else ABSENT
    except StrictJSONError:
        return body.decode("utf-8", "backslashreplace")


@dataclass(slots=True, kw_only=True)
class _Events:
    """The events of one answer as parts."""

    at: str
    decoder: StreamDecoder = field(default_factory=StreamDecoder)
    growing: set[tuple[object, str]] = field(default_factory=set)
    """The texts that grow: only the first piece of each is a part."""

    def parts(self, body: bytes) -> Iterator[Part]:
        for number, event in enumerate(EventStreamDecoder().feed(body), 1):
            part = self._part(event, f"{self.at}, event {number}")
            if part is not None:
                yield part
        for message in self.decoder.messages:
            sender, recipient = member(message, "author", "role"), message.get("recipient", "all")
            label = f"message of {sender} to {recipient}"
            yield Part(label=label, at=f"{self.at}, {label}", value={"message": message})

    def _part(self, event: ServerSentEvent, at: str) -> Part | None:
        meaning: StreamEvent
        try:
            meaning = self.decoder.feed(event)
        except DeltaError as error:
            return Part(label=f"error: {error.kind}", at=at)
        if isinstance(meaning, Delta):
            return self._delta(meaning, at)
        if isinstance(meaning, Ignored):  # pings come by the clock
            return None if event.event == "ping" else Part(label=event.event, at=at, value=event.data)
        return _other(meaning, at)

    def _delta(self, delta: Delta, at: str) -> Part | None:
        key = delta.channel, delta.path
        if delta.op == "append" and isinstance(delta.value, str):
            if key in self.growing:
                return None
            self.growing.add(key)
        else:
            self.growing = {each for each in self.growing if each[0] != delta.channel}
        status = ABSENT if delta.path else member(delta.value, "message", "status")
        begun = "" if status is ABSENT else f"({status})"
        return Part(label=" ".join(filter(None, ("delta", delta.op, delta.path, begun))), at=at)


def _other(meaning: Announcement | TypedEvent | Done, at: str) -> Part:
    if isinstance(meaning, Announcement):
        return Part(label="delta_encoding", at=at, value=meaning.encoding)
    if isinstance(meaning, Done):
        return Part(label="[DONE]", at=at)
    if not meaning.type:  # a classic envelope, whose message is compared in its last state
        rest = {key: value for key, value in meaning.payload.items() if key != "message"}
        return Part(label="message envelope", at=at, value=rest)
    return Part(label=meaning.type, at=at, value=meaning.payload)
