"""One play of a cassette: its conversations, its transcript, what had no answer, what nobody asked for."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wiretape.cassette.model import Cassette
from wiretape.faults import unstruck
from wiretape.flow_a.session import Conversation
from wiretape.transcript import Transcript
from wiretape_server.faulty import Faulty
from wiretape_server.live import LiveConversation
from wiretape_server.minting import IdSource, fresh_id, fresh_uuid, plain_id
from wiretape_server.options import PlayOptions
from wiretape_server.pacing import Wheel
from wiretape_server.recorder import Recorder
from wiretape_server.script import Part, RecordedConversation, Script
from wiretape_server.streaming import Stream
from wiretape_server.track import Faulted


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a play gets from outside: timers, clocks and ids."""

    wheel: Wheel
    clock: Callable[[], float]
    """Seconds from any start, for the transcript."""
    wall: Callable[[], float]
    """Unix seconds, for creation times."""
    mint: IdSource


class Play:
    """A namespace on the server in which one cassette is played, to any number of conversations at once."""

    def __init__(self, key: str, script: Script, options: PlayOptions, world: World) -> None:
        self.key = key
        self.script = script
        self.options = options
        self.world = world
        self.recorder = Recorder(world.clock)
        self.conversations: dict[str, LiveConversation] = {}
        self.calling: dict[str, Conversation] = {}
        """Those in which a call was seen: a return can belong to no other."""
        self.errors: list[str] = []
        self.streams: set[Stream] = set()
        """Those whose connection is still theirs."""
        self.idle = asyncio.Event()
        self.idle.set()
        self._running = 0
        self._begun = 0
        self._played: set[int] = set()
        self.faulty = Faulty(options) if options.faults else None

    @property
    def cassette(self) -> Cassette:
        return self.script.cassette

    @property
    def fresh(self) -> bool:
        return self.options.ids == "fresh"

    def token(self) -> str:
        """A new opaque token."""
        return base64.urlsafe_b64encode(self.world.mint(24)).decode()

    def uuid(self) -> str:
        """A new UUID."""
        return fresh_uuid(self.world.mint)

    def begin(self, request: Mapping[str, Any]) -> LiveConversation:
        """Begin a conversation: it plays the cassette from its start, under ids of its own."""
        recorded = self.recorded(request)
        self._begun += 1
        now = self.world.wall()
        values = recorded.minted.anew(self.world.mint, now) if self.fresh else {}
        conversation_id = self._conversation_id(request, recorded)
        if self.fresh and recorded.id:
            values[recorded.id] = conversation_id.encode()
        live = LiveConversation(
            session=Conversation(conversation_id),
            recorded=recorded,
            values=values,
            fresh=self.fresh,
            began=now,
        )
        self.conversations[conversation_id] = live
        return live

    def recorded(self, _request: Mapping[str, Any]) -> RecordedConversation:
        """The recorded conversation that a new one plays."""
        return self.script.conversations[self._begun % len(self.script.conversations)]

    def next_part(
        self, live: LiveConversation, _request: Mapping[str, Any], *, is_return: bool
    ) -> Part | None:
        """The answer to a request of a conversation; None when nothing more is recorded."""
        return live.next_part(is_return=is_return)

    def _conversation_id(self, request: Mapping[str, Any], recorded: RecordedConversation) -> str:
        """An id that the client invented is taken where it fits the recording, else a new one is made."""
        if not self.fresh and recorded.id:
            return recorded.id.decode()
        invented = plain_id(request.get("conversation_id"))
        if invented and len(invented) == len(recorded.id or invented):
            return invented.decode()
        return fresh_id(recorded.id, self.world.mint).decode() if recorded.id else self.uuid()

    def conversation(self, conversation_id: object) -> LiveConversation | None:
        """The conversation of this id, None when there is none (or the id is no text)."""
        return self.conversations.get(conversation_id) if isinstance(conversation_id, str) else None

    def opened(self, stream: Stream, live: LiveConversation | None) -> None:
        """A stream begins."""
        self.streams.add(stream)
        if live is not None:
            live.streams.append(stream)
        self._running += 1
        self.idle.clear()

    def ended(self) -> None:
        """A stream has ended; one that hangs still holds its connection."""
        self._running -= 1
        if not self._running:
            self.idle.set()

    def closed(self, stream: Stream, live: LiveConversation | None) -> None:
        """A stream's connection is free for the next request, or gone."""
        self.streams.discard(stream)
        if live is not None:
            live.streams.remove(stream)

    def played(self, part: Part, live: LiveConversation, request: int) -> Part:
        """A recorded answer was reached; what faults make of it for this request."""
        self._played.add(part.number)
        return self.faulty.part(part, live.recorded, request) if self.faulty else part

    def struck(self, request: int, faulted: Faulted) -> None:
        """Faults strike the answer to a request."""
        for fault in faulted.struck:
            self.recorder.struck(f"request {request}", fault)
        if self.faulty and faulted.spoiled:
            self.faulty.excuses = True

    @property
    def unplayed(self) -> tuple[str, ...]:
        """The recorded answers that were not reached, one line each; none where a fault may be why."""
        if self.faulty and self.faulty.excuses:
            return ()
        total = len(self.script.parts)
        return tuple(
            f"{part.title} (of {total}) was not asked for"
            for part in self.script.parts
            if part.number not in self._played
        )

    def close(self) -> None:
        """Break every stream that is open. Call it in the server's loop."""
        for stream in list(self.streams):
            stream.abort()

    def transcript(self) -> Transcript:
        """What happened so far. May be called from any thread."""
        faults, entries = self.options.faults, self.recorder.entries()
        return Transcript(
            protocol=self.cassette.protocol,
            name=self.cassette.name,
            entries=entries,
            live=True,
            pace=self.options.pace,
            profile=self.options.profile,
            expect={"results": self.cassette.expect.results},
            faults=tuple(map(str, faults)),
            unplayed=self.unplayed,
            errors=(*self.errors, *unstruck(faults, entries)),
        )
