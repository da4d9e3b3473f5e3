"""A recorded session as it was spoken: each message, and the request that it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wiretape.cassette.model import RecordedFrame
from wiretape.codex.messages import fields
from wiretape.jsonrpc import Answer, Call, Failure, Message, read
from wiretape.transcript import OTHER, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message. ``request`` is the one that it answers, if it is an answer to any."""

    by: Side
    connection: str
    message: Message
    request: Call | None = None

    @property
    def method(self) -> str:
        """Its method, or that of the request that it answers; empty where there is none."""
        return getattr(self.request or self.message, "method", "")

    @property
    def params(self) -> dict[str, Any]:
        """The params of the message, or of the request that it answers."""
        return fields(getattr(self.request or self.message, "params", None))

    @property
    def result(self) -> dict[str, Any]:
        """The result, of an answer that holds an object."""
        return fields(self.message.result) if isinstance(self.message, Answer) else {}


def listen(frames: Iterable[RecordedFrame]) -> Iterator[Said]:
    """Read the frames in order. A second answer to a request is an answer to none."""
    asked: dict[tuple[Side, str, str], Call] = {}
    for frame in frames:
        message, request = read(frame.data), None
        if isinstance(message, Call):
            asked[frame.direction, frame.connection, repr(message.id)] = message
        elif isinstance(message, (Answer, Failure)):
            request = asked.pop((OTHER[frame.direction], frame.connection, repr(message.id)), None)
        yield Said(by=frame.direction, connection=frame.connection, message=message, request=request)
