"""A conversation that is being played: its place in the recording, the values made for it, what was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from wiretape.flow_a.session import Conversation
from wiretape_server.minting import ids_of
from wiretape_server.script import Part, RecordedConversation
from wiretape_server.streaming import Mark, Stream, Written


@dataclass(slots=True, kw_only=True)
class Turn:
    """A conversation request of the client's, and the stream that answers it."""

    request: bytes
    """Its body, JSON of an object."""
    part: Part | None = None
    """What answers it; None for a return that nobody waited for."""
    call_id: str = ""
    """For a return: the message that it belongs under."""
    written: Written | None = None
    """What was written of the answer; of the last one where it was resumed."""


@dataclass(slots=True, kw_only=True)
class LiveConversation:
    """One conversation of one client. ``values`` is shared by all its streams: an id is the same in each."""

    session: Conversation
    recorded: RecordedConversation
    values: dict[bytes, bytes]
    fresh: bool
    began: float
    """Unix seconds."""
    place: int = 0
    """The recorded conversation's next part."""
    turns: list[Turn] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    """Those whose connection is still theirs."""

    @property
    def id(self) -> str:
        return self.session.id

    def next_part(self, *, is_return: bool) -> Part | None:
        """The next recorded answer to a request of this kind. Those before it count as passed over."""
        for place in range(self.place, len(self.recorded.parts)):
            part = self.recorded.parts[place]
            if part.is_return == is_return:
                self.place = place + 1
                return part
        return None

    def adopt_ids(self, part: Part, request: Mapping[str, Any]) -> None:
        """Let the client's own message ids take the places of those recorded, where they have the length."""
        if not self.fresh:
            return
        for recorded, own in zip(part.client_ids, ids_of(request), strict=False):
            if recorded and len(own) == len(recorded):
                self.values[recorded] = own

    def marks(self, part: Part) -> list[Mark]:
        """What the session has to be told while this answer is written."""
        if not part.facts.calls and not part.facts.server_calls:
            return []
        session = self.session
        facts = part.facts.renamed(self.values)
        marks = [Mark(call.opened, partial(session.server_call_seen, call)) for call in facts.server_calls]
        for call in facts.calls:
            marks.append(Mark(call.opened, partial(session.call_opened, call)))
            if call.closed is not None:
                marks.append(Mark(call.closed, partial(session.call_closed, call.id)))
        return marks
