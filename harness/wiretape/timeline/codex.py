"""The timeline of an app-server session: its JSON-RPC messages, and what its turns come to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from wiretape.codex.messages import TOOL_CALL, fields
from wiretape.jsonrpc import Answer, Call, Failure, Message, Notice, read
from wiretape.strictjson import ABSENT
from wiretape.timeline.row import GrowingTexts, Row, written
from wiretape.timeline.wire import link_row, struck_row
from wiretape.transcript import OTHER, Entry, Frame, Link, Struck, Transcript

_OF_THE_END = ("item/completed", "turn/completed", "turn/start", f"answer to {TOOL_CALL}")
"""Whose rows say what a session came to."""


def final(transcript: Transcript) -> Iterator[Row]:
    """What was asked, every item as it was completed, every call's answer, how the turns ended."""
    reading = Reading()
    open_items: dict[str, Row] = {}
    for entry in transcript.entries:
        row = reading.row(entry) if isinstance(entry, Frame) else None
        if row is None:
            continue
        if row.event == "item/started":
            open_items[row.op] = row
        if row.event == "item/completed":
            open_items.pop(row.op, None)
        if row.event in _OF_THE_END or row.event.startswith("error"):
            yield row
    for row in open_items.values():
        yield replace(row, event="item never completed")


@dataclass(slots=True)
class Reading:
    """A session as it goes on: what was asked and what has grown so far."""

    asked: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """The method of each request, by who asked, connection and id."""
    texts: GrowingTexts = field(default_factory=GrowingTexts)

    def take(self, entry: Entry) -> Iterator[Row]:
        """What an entry brings: a message, a connection's begin or end, a fault."""
        if isinstance(entry, Frame):
            yield self.row(entry)
        elif isinstance(entry, Link):
            yield link_row(entry)
        elif isinstance(entry, Struck):
            yield struck_row(entry)

    def row(self, frame: Frame) -> Row:
        message = read(frame.data)
        row = Row(at=frame.at, place=frame.connection, side=frame.direction, event="")
        if frame.binary:
            return replace(row, event="binary message", text=_text(frame.data))
        if isinstance(message, Call):
            self.asked[frame.direction, frame.connection, repr(message.id)] = message.method
            return self._call(row, message)
        if isinstance(message, Notice):
            return self._notice(replace(row, event=message.method), fields(message.params))
        if isinstance(message, (Answer, Failure)):
            return _answer(row, message, self._method(frame, message))
        return replace(
            row, event=f"unreadable: {message.kind}", text=f"{_text(frame.data)} ({message.reason})"
        )

    def _method(self, frame: Frame, message: Answer | Failure) -> str:
        key = OTHER[frame.direction], frame.connection, repr(message.id)
        return self.asked.get(key, "nothing that was asked")

    def _call(self, row: Row, message: Call) -> Row:
        row, params = replace(row, event=message.method), fields(message.params)
        if message.method == TOOL_CALL:
            op = f"id {message.id!r} {params.get('tool')} {params.get('callId')}"
            return replace(row, op=op, text=written(params.get("arguments", ABSENT)))
        return replace(row, op=f"id {message.id!r}", text=_params(message))

    def _notice(self, row: Row, params: dict[str, Any]) -> Row:
        item, delta = params.get("item"), params.get("delta")
        if isinstance(delta, str):
            op = written(params.get("itemId", ABSENT))
            return replace(row, op=op, before=self.texts.add((row.event, op), delta), text=delta)
        if isinstance(item, dict):
            op = f"{written(item.get('type'))} {written(item.get('id'))}"
            return replace(row, op=op, text=" · ".join(_said(item)))
        return replace(row, text=written(params) if params else "")


def _params(message: Message) -> str:
    params = message.params if isinstance(message, Call) else ABSENT
    texts = fields(params).get("input")
    said = [each.get("text") for each in texts if isinstance(each, dict)] if isinstance(texts, list) else []
    return " · ".join(map(written, said)) if said and all(said) else written(params)


def _answer(row: Row, message: Answer | Failure, method: str) -> Row:
    op = f"id {message.id!r}"
    if isinstance(message, Failure):
        return replace(row, event=f"error for {method}", op=op, text=f"{message.code}: {message.message}")
    result = message.result
    said = (
        " · ".join(_said(result))
        if isinstance(result, dict) and "contentItems" in result
        else written(result)
    )
    return replace(row, event=f"answer to {method}", op=op, text=said)


def _said(item: dict[str, Any]) -> Iterator[str]:
    """What an item or a call's answer says, part by part: the members that people look for."""
    if "tool" in item:
        yield f"{written(item['tool'])} {written(item.get('arguments', ABSENT))}"
    if isinstance(text := item.get("text"), str):
        yield text
    for key in ("content", "contentItems"):
        parts = item.get(key)
        for part in parts if isinstance(parts, list) else ():
            text = fields(part).get("text", ABSENT)
            yield written(part if text is ABSENT else text)
    if isinstance(item.get("success"), bool):
        yield "success" if item["success"] else "no success"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
