"""Where the faults of a stream strike in one recorded body, and what they do there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wiretape import strictjson
from wiretape.faults.delivery import ENDINGS, start_of
from wiretape.faults.edits import EDITS, Edit
from wiretape.faults.events import Event, read_events, struck
from wiretape.faults.model import EVERY, Fault

_BEFORE_THE_TURN: Final = ("delta_encoding", "resume_conversation_token")
_DONE_EVENT: Final = b"data: [DONE]\n\n"
HANDING_OFF: Final = ("handoff", "resume")
"""Kinds after which a resume gives the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """A fault at one place: the byte ``place``, in ``event`` where it is in one."""

    fault: Fault
    place: int
    event: Event | None
    edit: Edit | None = None
    """What it does to the bytes, if anything."""


def strikes(fault: Fault, body: bytes) -> list[Strike]:
    """All places of a body at which a fault strikes, in order."""
    events = read_events(body)
    if fault.kind in EDITS:
        return list(_edits(fault, events))
    if fault.kind == "handoff":
        return [_hand_off(fault, event, events) for event in events if event.type not in _BEFORE_THE_TURN][:1]
    if fault.kind == "resume":
        return [_hand_off(fault, event, events) for event in struck(fault, events)[:1]]
    return list(_places(fault, events, len(body)))


def _edits(fault: Fault, events: Sequence[Event]) -> Iterator[Strike]:
    """One edit for each event that is struck. One that overlaps the edit before it is left out."""
    free = 0
    for event in struck(fault, events):
        after = events[event.number] if event.number < len(events) else None
        edit = EDITS[fault.kind](event, after) if event.start >= free else None
        if edit is not None:
            free = edit.stop
            yield Strike(fault=fault, place=edit.start, event=event, edit=edit)


def _places(fault: Fault, events: Sequence[Event], size: int) -> Iterator[Strike]:
    where = fault.where
    if where.unit == "byte":
        offsets = range(size) if where.value == EVERY else [int(where.value) - 1]
        for place in offsets:
            if place < size:
                yield Strike(fault=fault, place=place, event=_at(place, events))
        return
    place_in = ENDINGS[fault.kind].place if fault.kind in ENDINGS else start_of
    for event in struck(fault, events):
        at = place_in(event)
        if at is not None:
            yield Strike(fault=fault, place=at, event=event)


def _at(place: int, events: Sequence[Event]) -> Event | None:
    index = bisect_right(events, place, key=lambda event: event.start) - 1
    return events[index] if index >= 0 and place < events[index].stop else None


def _hand_off(fault: Fault, event: Event, events: Sequence[Event]) -> Strike:
    """Put a ``stream_handoff`` and ``[DONE]`` before an event."""
    payload = {
        "type": "stream_handoff",
        "conversation_id": _conversation_id(events),
        "options": [{"type": "resume_sse_endpoint"}],
    }
    data = b"data: %b\n\n" % strictjson.dumps(payload).encode() + _DONE_EVENT
    edit = Edit(event.start, event.start, data)
    return Strike(fault=fault, place=event.start, event=event, edit=edit)


def _conversation_id(events: Sequence[Event]) -> object:
    """The first conversation id that an answer names."""
    for event in events:
        payload = event.payload
        for holder in (payload, payload.get("v") if isinstance(payload, dict) else None):
            if isinstance(holder, dict) and isinstance(holder.get("conversation_id"), str):
                return holder["conversation_id"]
    return None
