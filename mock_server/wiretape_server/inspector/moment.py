"""One moment of a session: what came, in bytes and decoded, and how far each message had grown by then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from wiretape import jsonrpc, strictjson
from wiretape.codex.messages import fields
from wiretape.delta import Delta, DeltaError
from wiretape.flow_a.messages import member
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import EventStreamDecoder, ServerSentEvent, event_ends
from wiretape.strictjson import ABSENT, StrictJSONError
from wiretape.timeline.row import written
from wiretape.transcript import Chunk, Entry, Frame, Headers, Link, Request, Response
from wiretape_server.inspector.session import Line, Session

_MOST_TEXT: Final = 20_000
"""Characters of one text that a page shows; all of it is in the bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """A message or item as it stood."""

    title: str
    """Who says it to whom, or what kind of item it is."""
    facts: tuple[tuple[str, str], ...]
    before: str
    """Its text up to this moment."""
    new: str = ""
    """What this moment adds to the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What there is to show about a line."""

    line: Line
    headers: Headers = ()
    decoded: str = ""
    """JSON, indented."""
    growing: tuple[Growing, ...] = ()
    raw: bytes = b""
    offset: int = 0
    """Of ``raw`` in its body."""


def moment(session: Session, number: int) -> Moment:
    """Read one line closely. Raises IndexError where there is none."""
    line = session.lines[number]
    entry = session.transcript.entries[line.entry]
    if isinstance(entry, Chunk):
        return _of_answer(session, line, entry)
    return Moment(
        line=line,
        headers=entry.headers if isinstance(entry, (Request, Response)) else (),
        decoded=indented(_body(entry)),
        growing=_items(session, line, entry) if isinstance(entry, Frame) else (),
        raw=raw(entry),
    )


def raw(entry: Entry) -> bytes:
    """The bytes of an entry, its head as HTTP has it."""
    if isinstance(entry, Request):
        return _head(f"{entry.method} {entry.path} HTTP/1.1", entry.headers) + entry.body
    if isinstance(entry, Response):
        return _head(f"HTTP/1.1 {entry.status}", entry.headers)
    if isinstance(entry, Link):
        return entry.detail.encode("utf-8", "surrogatepass")
    return entry.data if isinstance(entry, Frame) else b""


def _head(first: str, headers: Headers) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("utf-8", "surrogatepass")


def _body(entry: Entry) -> bytes:
    return entry.body if isinstance(entry, Request) else entry.data if isinstance(entry, Frame) else b""


def indented(data: bytes | str) -> str:
    """JSON with its members one below the other; empty where it is none."""
    try:
        text = json.dumps(strictjson.loads(data), indent=2, ensure_ascii=False)
    except StrictJSONError:
        return ""
    return cut(text)


def cut(text: str) -> str:
    """The beginning of a long text."""
    more = len(text) - _MOST_TEXT
    return text if more <= 0 else f"{text[:_MOST_TEXT]}\n… ({more} more characters)"


def ending(text: str) -> str:
    """The end of a long text: where it grows."""
    more = len(text) - _MOST_TEXT
    return text if more <= 0 else f"({more} earlier characters) …\n{text[-_MOST_TEXT:]}"


# --- Flow A: the events of an answer


def _of_answer(session: Session, line: Line, chunk: Chunk) -> Moment:
    entries = session.transcript.entries
    response = next(each for each in entries if isinstance(each, Response) and each.number == chunk.number)
    if line.kind == "chunk":
        return Moment(line=line, raw=response.body.bytes(chunk.start, chunk.stop), offset=chunk.start)
    starts = [
        each.start
        for each in entries[: line.entry + 1]
        if isinstance(each, Chunk) and each.number == chunk.number
    ]
    start = starts[0]
    events = _events(response.body.bytes(start, chunk.stop), line.event)
    if not events:
        return Moment(line=line)
    event, begin, end = events[-1]
    return Moment(
        line=line,
        decoded=indented(event.data) or cut(event.data),
        growing=_messages([each for each, _, _ in events]),
        raw=response.body.bytes(start + begin, start + end),
        offset=start + begin,
    )


def _events(data: bytes, count: int) -> list[tuple[ServerSentEvent, int, int]]:
    """The first ``count`` events of a body, each with the bytes that it takes."""
    frames, begin = EventStreamDecoder(), 0
    events: list[tuple[ServerSentEvent, int, int]] = []
    for end in event_ends(data):
        events += [(event, begin, end) for event in frames.feed(data[begin:end])]
        begin = end
        if len(events) >= count:
            break
    return events[:count]


def _messages(events: Sequence[ServerSentEvent]) -> tuple[Growing, ...]:
    """The messages of an answer after these events, and what the last of them added."""
    decoder = StreamDecoder()
    meaning: object = None
    for event in events:
        meaning = None
        with suppress(DeltaError):
            meaning = decoder.feed(event)
    added = meaning.value if isinstance(meaning, Delta) and meaning.op == "append" else ""
    grown = (
        member(decoder.values.get(meaning.channel), "message", "id") if isinstance(meaning, Delta) else ABSENT
    )
    return tuple(
        _message(each, added if isinstance(added, str) and each.get("id") == grown else "")
        for each in decoder.messages
    )


def _message(message: Mapping[str, Any], added: str) -> Growing:
    role, name = member(message, "author", "role"), member(message, "author", "name")
    text = ending(_said(message))
    new = added if added and text.endswith(added) else ""
    recipient = written(message.get("recipient", ABSENT)) or "all"
    sender = written(role) if name in (ABSENT, None) else f"{written(role)} {written(name)}"
    return Growing(
        title=f"{sender} → {recipient}",
        facts=tuple((key, written(message[key])) for key in _FACTS if key in message),
        before=text.removesuffix(new) if new else text,
        new=new,
    )


_FACTS: Final = ("channel", "status", "end_turn", "id")


def _said(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    text, parts = member(content, "text"), member(content, "parts")
    if isinstance(text, str):
        return text
    return "\n".join(map(written, parts)) if isinstance(parts, list) else written(content)


# --- Codex: the items of a turn


def _items(session: Session, line: Line, frame: Frame) -> tuple[Growing, ...]:
    """The item that a message speaks of, with the text that its deltas have added up to."""
    params = _params(frame)
    item, delta = fields(params.get("item")), params.get("delta")
    key = item.get("id", params.get("itemId"))
    if key is None:
        return ()
    earlier = "".join(_deltas(session, line.entry, key))
    added = delta if isinstance(delta, str) else ""
    text = item.get("text") if isinstance(item.get("text"), str) else earlier
    facts = tuple(
        (name, written(item[name])) for name in ("tool", "status", "success", "arguments") if name in item
    )
    kind = written(item.get("type", ABSENT)) or "item"
    return (Growing(title=kind, facts=(*facts, ("id", written(key))), before=ending(str(text)), new=added),)


def _deltas(session: Session, end: int, key: object) -> Iterator[str]:
    """The pieces of an item's text before an entry."""
    for entry in session.transcript.entries[:end]:
        if isinstance(entry, Frame) and entry.direction == "server" and b'"delta"' in entry.data:
            params = _params(entry)
            if params.get("itemId") == key and isinstance(piece := params.get("delta"), str):
                yield piece


def _params(frame: Frame) -> Mapping[str, Any]:
    message = jsonrpc.read(frame.data)
    return fields(message.params) if isinstance(message, (jsonrpc.Call, jsonrpc.Notice)) else {}
