"""The events of a recorded body, with their numbers, types and places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wiretape import strictjson
from wiretape.faults.model import Fault
from wiretape.sse import EventStreamDecoder, ServerSentEvent, event_ends

DONE: Final = "[DONE]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One dispatched event. ``number`` counts from 1; its block is the body from ``start`` to ``stop``."""

    number: int
    start: int
    stop: int
    block: bytes
    sent: ServerSentEvent

    @property
    def type(self) -> str:
        """What ``type:NAME`` goes by: the event's own name, ``[DONE]``, or the payload's type."""
        if self.sent.event != "message":
            return self.sent.event
        if self.sent.data.strip() == DONE:
            return DONE
        payload = self.payload
        kind = payload.get("type") if isinstance(payload, dict) else None
        return kind if isinstance(kind, str) else ""

    @property
    def payload(self) -> object:
        """Its data as JSON; None when it is none."""
        return strictjson.loads_or(self.sent.data, None)


def read_events(body: bytes) -> list[Event]:
    """Read the events of a body. Comments and an unfinished event at its end are none."""
    decoder, start = EventStreamDecoder(), 0
    found: list[Event] = []
    for stop in event_ends(body):
        block = body[start:stop]
        for sent in decoder.feed(block):
            found.append(Event(number=len(found) + 1, start=start, stop=stop, block=block, sent=sent))
        start = stop
    return found


def struck(fault: Fault, events: Sequence[Event]) -> list[Event]:
    """The events that are at the place of a fault of unit ``event`` or ``type``."""
    where = fault.where
    if where.unit == "event":
        return [event for event in events if where.holds(event.number)]
    return [event for event in events if where.holds(event.type)] if where.unit == "type" else []
