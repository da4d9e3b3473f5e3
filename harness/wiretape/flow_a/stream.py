"""One answer's event stream, decoded: announcements, deltas, typed events, the end (PROTOCOL of Flow A)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from wiretape import javascript, strictjson
from wiretape.delta import ABSENT, Delta, DeltaDecoder, DeltaError
from wiretape.document import Node, Text, plain, planted
from wiretape.flow_a.messages import IN_PROGRESS, called_tool, member
from wiretape.sse import EventStreamDecoder, ServerSentEvent
from wiretape.strictjson import StrictJSONError


class Announcement(NamedTuple):
    """``delta_encoding``. Some notes show the data without quotes; that is accepted, and worth a remark."""

    encoding: str
    quoted: bool


class TypedEvent(NamedTuple):
    """An object in an event that is no delta. ``type`` is empty where it has none (classic envelope)."""

    type: str
    payload: dict[str, Any]


class Done(NamedTuple):
    """``[DONE]``."""


class Ignored(NamedTuple):
    """An event that clients drop."""

    why: str


StreamEvent: TypeAlias = Announcement | Delta | TypedEvent | Done | Ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamError:
    """What was wrong with one event; ``event_number`` counts dispatched events from 1."""

    event_number: int
    kind: str
    message: str


class StreamDecoder:
    """Decodes the events of one answer. After an error it goes on with the state that PROTOCOL §2.3 says."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        """The payloads of typed events."""
        self.errors: list[StreamError] = []
        self.done = False
        self._ended = False
        self._failed = False
        self._number = 0
        self._dropped = 0
        self._deltas: DeltaDecoder | None = None
        self._messages: dict[str, Node] = {}
        """Live nodes by id. One that a channel has let go of keeps its last state: it changes no more."""
        self._looked_at: Text | None = None
        """A text where more text makes no new message, and no error."""

    @property
    def delivered(self) -> int:
        """How many events count for a resume offset: not pings, empty ones and ``[DONE]`` (PROTOCOL §8)."""
        return self._number - self._dropped

    @property
    def values(self) -> dict[int | float, Any]:
        """Each delta channel's value, fresh; an absent root is left out, a hole is None."""
        return self._deltas.values if self._deltas else {}

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Every message that a channel or a classic envelope held, by first appearance, in its last state."""
        # A message whose id itself was changed in place stands under its last id only.
        return [plain(node) for key, node in self._messages.items() if plain(node.get("id")) == key]

    @property
    def complete(self) -> bool:
        """Whether the turn is completed or handed over to a local function (PROTOCOL §6).

        That takes a message that ends the turn, ``message_stream_complete`` or ``[DONE]``, and no error. A
        body that only hands the stream over to a websocket has no such message: the turn goes on there.
        """
        return (self._ended or self.done) and not self._failed and any(map(_ends_turn, self.messages))

    def peek(self, channel: int | float, path: str) -> Any:
        """Read one place of a channel's value; ABSENT where nothing is."""
        return self._deltas.peek(channel, path) if self._deltas else ABSENT

    def feed(self, event: ServerSentEvent) -> StreamEvent:
        """Take one event.

        Raises DeltaError, and lists it in ``errors``: the kinds of PROTOCOL §2.9, ``invalid_json`` (also for
        NaN and duplicate keys) and ``limit``.
        """
        self._number += 1
        name, data, _ = event
        try:
            if name == "delta" and data:
                return self._delta(data)
            if not data or name == "ping":
                return self._drop("a ping" if data else "an event without data")
            if name == "delta_encoding":
                return self._announcement(data)
            return self._other(name, data)
        except StrictJSONError as error:
            kind = "limit" if error.kind == "limit" else "invalid_json"
            raise self._listed(DeltaError(kind, str(error))) from None
        except DeltaError as error:
            self._listed(error)
            raise

    def _listed(self, error: DeltaError) -> DeltaError:
        self.errors.append(StreamError(event_number=self._number, kind=error.kind, message=str(error)))
        return error

    def _drop(self, why: str) -> Ignored:
        self._dropped += 1
        return Ignored(why)

    def _announcement(self, data: str) -> Announcement:
        quoted = True
        try:
            encoding = javascript.text(strictjson.loads(data))
        except StrictJSONError:
            quoted, encoding = False, data.strip()
        if encoding != "v1":
            raise DeltaError("unknown_encoding", f'expected the encoding "v1", got {data[:40]!r}')
        self._deltas = DeltaDecoder()
        return Announcement(encoding, quoted)

    def _delta(self, data: str) -> Delta:
        deltas = self._deltas
        if deltas is None:
            raise DeltaError("not_announced", "expected a delta_encoding event before the first delta")
        delta = deltas.push(strictjson.loads(data))
        text = deltas.growing
        if text is None or text is not self._looked_at:
            self._look_at(deltas, delta.channel)
            self._looked_at = None if delta.path.endswith("id") else text
        return delta

    def _other(self, name: str, data: str) -> TypedEvent | Done | Ignored:
        unnamed = name == "message"
        if unnamed and data.strip() == "[DONE]":
            self.done = True
            self._dropped += 1
            return Done()
        try:
            payload = strictjson.loads(data)
        except StrictJSONError:
            if unnamed:
                raise
            return Ignored(f"an event named {name!r}, which is not part of the protocol")
        if not isinstance(payload, dict):
            return Ignored("a payload that is no object")
        return self._payload(payload)

    def _payload(self, payload: dict[str, Any]) -> TypedEvent:
        kind = payload.get("type")
        self._failed = self._failed or payload.get("error") is not None
        if isinstance(kind, str):
            self._ended = self._ended or kind == "message_stream_complete"
            self.events.append(payload)
            return TypedEvent(kind, payload)
        self._note(planted(payload.get("message"), strictjson.MAX_DEPTH))
        return TypedEvent("", payload)

    def _look_at(self, deltas: DeltaDecoder, channel: int | float) -> None:
        envelope = deltas.node(channel, "")
        if isinstance(envelope, dict):
            self._failed = self._failed or envelope.get("error") is not None
            self._note(envelope.get("message"))

    def _note(self, message: Node) -> None:
        if isinstance(message, dict) and isinstance(key := plain(message.get("id")), str):
            self._messages[key] = message


def _ends_turn(message: dict[str, Any]) -> bool:
    if member(message, "author", "role") != "assistant":
        return False
    if message.get("status") == "finished_successfully" and message.get("end_turn") is True:
        return True
    return is_complete_call(message)


def is_complete_call(message: dict[str, Any]) -> bool:
    """Whether a client acts on this message: a finished call of a local function, with arguments (§12.3)."""
    if called_tool(message.get("recipient")) is None or message.get("status") in (IN_PROGRESS, None):
        return False
    text = member(message, "content", "text")
    with suppress(StrictJSONError):
        return isinstance(text, str) and isinstance(strictjson.loads(text), dict)
    return False


def decode(data: bytes) -> dict[str, Any]:
    """Decode a whole event stream into plain JSON: what ``wiretape decode`` prints. Never raises.

    ``{"values", "messages", "events", "done", "complete", "unterminated_tail", "errors"}``; a hole is null.
    """
    frames, decoder = EventStreamDecoder(), StreamDecoder()
    for event in [*frames.feed(data), *frames.close()]:
        with suppress(DeltaError):
            decoder.feed(event)
    return {
        "values": {javascript.number_text(channel): value for channel, value in decoder.values.items()},
        "messages": decoder.messages,
        "events": decoder.events,
        "done": decoder.done,
        "complete": decoder.complete,
        "unterminated_tail": frames.unterminated_tail,
        "errors": [
            {"event": error.event_number, "kind": error.kind, "message": error.message}
            for error in decoder.errors
        ],
    }
