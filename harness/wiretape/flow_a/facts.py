"""What one recorded answer says and when: calls, messages, completion, by byte offset.

Offsets lie behind the event that made a thing true, so that "was it written yet" is a comparison of numbers.
Streams are read once per content: replays share the recorded bytes and only rename the ids in the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from wiretape.delta import Delta, DeltaError
from wiretape.flow_a.messages import IN_PROGRESS, called_tool, is_server_tool, member
from wiretape.flow_a.stream import Done, StreamDecoder, TypedEvent
from wiretape.sse import EventStreamDecoder, ServerSentEvent, event_ends
from wiretape.strictjson import ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCall:
    """A model message that is addressed to a tool."""

    id: str
    tool: str
    """The bare name of a client's tool; the whole recipient of a server's tool."""
    recipient: str
    text: str
    """The arguments as they stand at the end, JSON text."""
    opened: int
    closed: int | None = None
    """None: the stream never said that the message was finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFacts:
    """What an answer says. ``calls`` are the client's to answer, ``server_calls`` are not."""

    conversation_id: str | None = None
    calls: tuple[SeenCall, ...] = ()
    server_calls: tuple[SeenCall, ...] = ()
    message_ids: tuple[str, ...] = ()
    complete_at: int | None = None
    done_at: int | None = None
    answered: bool = False
    """Whether a message closed the turn (``end_turn: true``)."""
    failed_at: int | None = None
    """Behind the first event that brought an error."""
    errors: tuple[str, ...] = ()
    """What does not decode, one line each."""

    def renamed(self, values: Mapping[bytes, bytes]) -> StreamFacts:
        """The same facts after replay put ``values`` in the place of recorded ids."""
        if not values:
            return self

        def rename(name: str) -> str:
            new = values.get(name.encode("utf-8", "surrogatepass"))
            return name if new is None else new.decode()

        def rename_in(call: SeenCall) -> SeenCall:
            text = call.text
            for old, new in values.items():
                text = text.replace(old.decode(), new.decode())
            return replace(call, id=rename(call.id), text=text)

        return replace(
            self,
            conversation_id=rename(self.conversation_id) if self.conversation_id else None,
            calls=tuple(map(rename_in, self.calls)),
            server_calls=tuple(map(rename_in, self.server_calls)),
            message_ids=tuple(map(rename, self.message_ids)),
        )


@lru_cache(maxsize=256)
def read_stream(template: bytes) -> StreamFacts:
    """Read an answer's bytes. Never raises: what does not decode is listed in ``errors``."""
    reading = _Reading()
    for offset, event in _events(template):
        reading.take(offset, event)
    return reading.facts()


def delivered(data: bytes) -> int:
    """How many events that count for a resume's offset these bytes bring whole."""
    decoder = StreamDecoder()
    for event in EventStreamDecoder().feed(data):
        with suppress(DeltaError):
            decoder.feed(event)
    return decoder.delivered


def _events(data: bytes) -> Iterator[tuple[int, ServerSentEvent]]:
    """Pair each event with the offset behind it."""
    ends = event_ends(data)
    events = EventStreamDecoder().feed(data)
    if len(events) == len(ends):
        yield from zip(ends, events, strict=True)
        return
    # Comments and blocks without data end in a blank line too, but dispatch nothing: go block by block.
    decoder, start = EventStreamDecoder(), 0
    for end in ends:
        for event in decoder.feed(data[start:end]):
            yield end, event
        start = end


class _Reading:
    def __init__(self) -> None:
        self.decoder = StreamDecoder()
        self.conversation_id: str | None = None
        self.opened: dict[str, int] = {}
        self.closed: dict[str, int] = {}
        self.complete_at: int | None = None
        self.done_at: int | None = None
        self.failed_at: int | None = None
        self.answered = False

    def take(self, offset: int, event: ServerSentEvent) -> None:
        try:
            result = self.decoder.feed(event)
        except DeltaError:
            return  # listed in decoder.errors
        if isinstance(result, Delta):
            self.after_delta(offset, result)
        elif isinstance(result, TypedEvent):
            self.seen(offset, result.payload)  # a classic envelope, or nothing but a conversation id
            if result.type == "message_stream_complete":
                self.complete_at = offset
        elif isinstance(result, Done):
            self.done_at = offset

    def after_delta(self, offset: int, delta: Delta) -> None:
        if delta.op == "append" and delta.path.startswith("/message/content"):
            return  # growing text opens and closes nothing
        peek, channel = self.decoder.peek, delta.channel
        message = {key: peek(channel, f"/message/{key}") for key in ("id", "status", "end_turn")}
        envelope = {key: peek(channel, f"/{key}") for key in ("conversation_id", "error")}
        self.seen(offset, {"message": message, **envelope})

    def seen(self, offset: int, envelope: dict[str, Any]) -> None:
        """Note what an envelope says at this offset: its conversation, and that its message is there."""
        if self.failed_at is None and envelope.get("error") not in (None, ABSENT):
            self.failed_at = offset
        self.conversation_id = self.conversation_id or _text(envelope.get("conversation_id"))
        message_id = _text(member(envelope, "message", "id"))
        if message_id is None:
            return
        self.opened.setdefault(message_id, offset)
        if member(envelope, "message", "status") != IN_PROGRESS:
            self.closed.setdefault(message_id, offset)
            self.answered = self.answered or member(envelope, "message", "end_turn") is True

    def facts(self) -> StreamFacts:
        messages = [message for message in self.decoder.messages if _text(message.get("id"))]
        from_model = [m for m in messages if member(m, "author", "role") == "assistant"]
        return StreamFacts(
            conversation_id=self.conversation_id,
            calls=tuple(self.call(m) for m in from_model if called_tool(m.get("recipient")) is not None),
            server_calls=tuple(self.call(m) for m in from_model if is_server_tool(m)),
            message_ids=tuple(m["id"] for m in messages),
            complete_at=self.complete_at,
            done_at=self.done_at,
            failed_at=self.failed_at,
            answered=self.answered,
            errors=tuple(
                f"event {error.event_number}: {error.kind}: {error.message}" for error in self.decoder.errors
            ),
        )

    def call(self, message: dict[str, Any]) -> SeenCall:
        recipient = message["recipient"]
        return SeenCall(
            id=message["id"],
            tool=called_tool(recipient) or recipient,
            recipient=recipient,
            text=_text(member(message, "content", "text")) or "",
            opened=self.opened.get(message["id"], 0),
            closed=self.closed.get(message["id"]),
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
