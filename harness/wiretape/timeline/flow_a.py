"""The timeline of a Flow A session: requests, answers, and each event of a stream as clients decode it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from wiretape import strictjson
from wiretape.delta import Delta, DeltaError
from wiretape.flow_a.messages import member, sent_messages
from wiretape.flow_a.stream import Announcement, Done, Ignored, StreamDecoder, StreamEvent, TypedEvent
from wiretape.sse import EventStreamDecoder, ServerSentEvent
from wiretape.strictjson import ABSENT
from wiretape.timeline.row import GrowingTexts, Row, body_text, written
from wiretape.timeline.wire import ender, struck_row
from wiretape.transcript import (
    Chunk,
    End,
    Entry,
    Request,
    Response,
    Struck,
    Transcript,
    header,
    is_event_stream,
)


class Reading:
    """A session as it goes on: gives the rows of each entry."""

    def __init__(self) -> None:
        self._answers: dict[int, _Answer] = {}

    def take(self, entry: Entry) -> Iterator[Row]:
        """What an entry brings: a request, an answer, each event of a chunk."""
        if isinstance(entry, Request):
            yield _request(entry)
        elif isinstance(entry, Response):
            self._answers[entry.number] = _Answer(response=entry)
            yield _response(entry)
        elif isinstance(entry, Chunk) and entry.number in self._answers:
            yield from self._answers[entry.number].rows(entry)
        elif isinstance(entry, End) and entry.number in self._answers:
            yield from self._answers[entry.number].ended(entry)
        elif isinstance(entry, Struck):
            yield replace(struck_row(entry), place=entry.connection.removeprefix("request "))


def final(transcript: Transcript) -> Iterator[Row]:
    """Every message that a client sent, and every message of every answer in its last state."""
    answers: dict[int, _Answer] = {}
    for entry in transcript.entries:
        if isinstance(entry, Request):
            yield from _sent_messages(entry)
        elif isinstance(entry, Response):
            answers[entry.number] = _Answer(response=entry)
        elif isinstance(entry, Chunk) and entry.number in answers:
            for _ in answers[entry.number].events(entry):
                pass  # only the state after the last one is shown
        elif isinstance(entry, End) and entry.number in answers:
            yield from answers[entry.number].messages(entry)


def _request(entry: Request) -> Row:
    said = [f"{row.op}: {row.text}" if row.text else row.op for row in _sent_messages(entry)]
    return Row(
        at=entry.at,
        place=str(entry.number),
        side="client",
        event=f"{entry.method} {entry.path}",
        text=" · ".join(said) or body_text(entry.body),
    )


def _sent_messages(entry: Request) -> Iterator[Row]:
    for message in sent_messages(strictjson.loads_or(entry.body, ABSENT)):
        yield _message_row(message, at=entry.at, place=entry.number, side="client")


def _response(entry: Response) -> Row:
    kind = header(entry.headers, "content-type") or ""
    return Row(at=entry.at, place=str(entry.number), side="server", event=str(entry.status), op=kind)


def _message_row(message: object, *, at: float, place: int, side: Any) -> Row:
    return Row(
        at=at, place=str(place), side=side, event="message", op=_envelope(message), text=_said(message)
    )


def _envelope(message: object) -> str:
    """Who says it to whom: ``assistant → local.alefita_way (commentary, in_progress)``."""
    role, name, recipient, channel, status = (
        written(member(message, *path))
        for path in (("author", "role"), ("author", "name"), ("recipient",), ("channel",), ("status",))
    )
    sender = role if name in ("", "null") else f"{role} {name}"
    details = ", ".join(each for each in (channel, status) if each not in ("", "null"))
    return f"{sender} → {recipient or 'all'}" + (f" ({details})" if details else "")


def _said(message: object) -> str:
    """What a message says: its text, or the texts of its parts; other content as JSON."""
    content = member(message, "content")
    text, parts = member(content, "text"), member(content, "parts")
    if isinstance(text, str):
        return text
    if isinstance(parts, list):
        return " ".join(map(written, parts))
    return written(content)


@dataclass(slots=True, kw_only=True)
class _Answer:
    """One answer as it comes: an event stream is decoded, all else is shown at its end."""

    response: Response
    frames: EventStreamDecoder = field(default_factory=EventStreamDecoder)
    decoder: StreamDecoder = field(default_factory=StreamDecoder)
    texts: GrowingTexts = field(default_factory=GrowingTexts)
    body: bytearray = field(default_factory=bytearray)
    count: int = 0

    def events(self, chunk: Chunk) -> Iterator[tuple[ServerSentEvent, StreamEvent | DeltaError]]:
        """The events that a chunk completes, each with what it means, decoded one by one."""
        data = self.response.body.bytes(chunk.start, chunk.stop)
        if not is_event_stream(self.response.headers):
            self.body += data
            return
        for event in self.frames.feed(data):
            self.count += 1
            yield event, self._meaning(event)

    def _meaning(self, event: ServerSentEvent) -> StreamEvent | DeltaError:
        try:
            return self.decoder.feed(event)
        except DeltaError as error:
            return error

    def rows(self, chunk: Chunk) -> Iterator[Row]:
        for event, meaning in self.events(chunk):
            place = f"{self.response.number}.{self.count}"
            yield replace(self._row(event, meaning), at=chunk.at, place=place)

    def ended(self, entry: End) -> Iterator[Row]:
        if self.body:
            yield self._at(entry, "body", text=body_text(bytes(self.body)))
        if self.frames.unterminated_tail:
            yield self._at(
                entry, "unfinished event", text="the answer ended inside an event; clients drop it"
            )
        yield replace(self._at(entry, f"end: {entry.how}"), side=ender(entry))

    def messages(self, entry: End) -> Iterator[Row]:
        number = self.response.number
        for message in self.decoder.messages:
            yield _message_row(message, at=entry.at, place=number, side="server")
        for error in self.decoder.errors:
            text = f"event {error.event_number}: {error.message}"
            yield self._at(entry, f"error: {error.kind}", text=text)
        if self.body:
            yield self._at(entry, str(self.response.status), text=body_text(bytes(self.body)))

    def _at(self, entry: End, event: str, *, text: str = "") -> Row:
        return Row(at=entry.at, place=str(entry.number), side="server", event=event, text=text)

    def _row(self, event: ServerSentEvent, meaning: StreamEvent | DeltaError) -> Row:
        row = Row(at=0, place="", side="server", event=event.event)
        if isinstance(meaning, Delta):
            return self._delta(row, meaning)
        if isinstance(meaning, DeltaError):
            return replace(row, event=f"error: {meaning.kind}", text=f"{meaning}: {event.data}")
        if isinstance(meaning, TypedEvent):
            return _typed(row, meaning)
        if isinstance(meaning, Announcement):
            self.texts.forget()
            return replace(row, text=meaning.encoding)
        if isinstance(meaning, Done):
            return replace(row, event="[DONE]")
        return _ignored(row, meaning, event)

    def _delta(self, row: Row, delta: Delta) -> Row:
        op = f"c{delta.channel} {delta.op} {delta.path}".rstrip()
        if delta.op == "append" and isinstance(delta.value, str):
            return replace(row, op=op, before=self._before(delta, delta.value), text=delta.value)
        self.texts.forget()
        if delta.op == "patch" and isinstance(delta.value, list):
            return replace(row, op=op, text=" · ".join(_entries(delta.value)))
        message = member(delta.value, "message")
        if message is not ABSENT and not delta.path:
            return replace(row, op=f"{op} {_envelope(message)}", text=_said(message))
        return replace(row, op=op, text=written(delta.value))

    def _before(self, delta: Delta, piece: str) -> str:
        key = delta.channel, delta.path
        if not self.texts.knows(key):
            whole = self.decoder.peek(delta.channel, delta.path)
            self.texts.set(key, whole.removesuffix(piece) if isinstance(whole, str) else "")
        return self.texts.add(key, piece)


def _entries(entries: Iterable[Any]) -> Iterator[str]:
    for each in entries:
        path, op, value = (member(each, key) for key in "pov")
        yield " ".join(part for part in (written(path), written(op), written(value)) if part)


def _typed(row: Row, event: TypedEvent) -> Row:
    """A typed event without what every one has; one that holds a message as that message."""
    message = member(event.payload, "input_message")
    message = member(event.payload, "message") if message is ABSENT else message
    if isinstance(message, dict):
        return replace(row, event=event.type or "message", op=_envelope(message), text=_said(message))
    rest = {key: value for key, value in event.payload.items() if key != "type"}
    return replace(row, event=event.type or row.event, text=written(rest) if rest else "")


def _ignored(row: Row, meaning: Ignored, event: ServerSentEvent) -> Row:
    return replace(row, text=f"{event.data} ({meaning.why})".lstrip())
