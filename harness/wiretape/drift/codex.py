"""An app-server session in the parts that are compared: its messages, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from wiretape.codex.messages import fields
from wiretape.drift.parts import Exchange, Part
from wiretape.jsonrpc import Answer, Call, Failure, Message, Notice, read
from wiretape.strictjson import ABSENT
from wiretape.transcript import OTHER, Frame, Transcript

_ARROWS: Final = {"client": "→", "server": "←"}


def exchanges(transcript: Transcript) -> list[Exchange]:
    """The messages of each connection, in the order in which the connections began."""
    frames: dict[str, list[Frame]] = {}
    for entry in transcript.entries:
        if isinstance(entry, Frame):
            frames.setdefault(entry.connection, []).append(entry)
    return [
        Exchange(label="connection", at=f"connection {number}", parts=tuple(_Reading().parts(each)))
        for number, each in enumerate(frames.values(), 1)
    ]


@dataclass(slots=True)
class _Reading:
    asked: dict[tuple[str, str], str] = field(default_factory=dict)
    """The method of each request, by who asked and its id."""
    growing: set[tuple[str, str]] = field(default_factory=set)
    """The items that grow: only the first piece of each is a part, the whole text comes with its end."""

    def parts(self, frames: list[Frame]) -> Iterator[Part]:
        for number, frame in enumerate(frames, 1):
            part = self._part(frame, read(frame.data), f"message {number}")
            if part is not None:
                yield part

    def _part(self, frame: Frame, message: Message, at: str) -> Part | None:
        arrow = _ARROWS[frame.direction]
        if isinstance(message, Call):
            self.asked[frame.direction, repr(message.id)] = message.method
            return Part(label=f"{arrow} {message.method}", at=at, value=message.value)
        if isinstance(message, Notice):
            return self._notice(message, f"{arrow} {message.method}", at)
        if isinstance(message, (Answer, Failure)):
            method = self.asked.get((OTHER[frame.direction], repr(message.id)), "nothing that was asked")
            how = "answer to" if isinstance(message, Answer) else "error for"
            return Part(label=f"{arrow} {how} {method}", at=at, value=message.value)
        text = frame.data.decode("utf-8", "backslashreplace")
        return Part(label=f"{arrow} unreadable: {message.kind}", at=at, value=text)

    def _notice(self, message: Notice, label: str, at: str) -> Part | None:
        params = fields(message.params)
        if isinstance(params.get("delta"), str):
            key = message.method, repr(params.get("itemId", ABSENT))
            if key in self.growing:
                return None
            self.growing.add(key)
            params = {name: value for name, value in params.items() if name != "delta"}
            return Part(label=label, at=at, value=message.value | {"params": params})
        return Part(label=f"{label}{_item_type(params)}", at=at, value=message.value)


def _item_type(params: dict[str, Any]) -> str:
    kind = fields(params.get("item")).get("type")
    return f" {kind}" if isinstance(kind, str) else ""
