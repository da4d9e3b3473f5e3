"""A play without a cassette: it makes its conversations up, of the tools that the client declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Cassette
from wiretape.scenario.adaptive import Adaptive
from wiretape.scenario.flow_a import scene
from wiretape_server.live import LiveConversation
from wiretape_server.options import PlayOptions
from wiretape_server.play import Play, World
from wiretape_server.script import Part, RecordedConversation, Script, build

NOTHING_ASKED: Final = "nothing was made up: the client sent no conversation request"
NOTHING_TO_CALL: Final = (
    "nothing to call: no request declared a tool in local_function_signatures that can be called; "
    "let the client declare its own"
)


class AutoPlay(Play):
    """Its cassette grows: each new list of tools makes up a conversation, which the next one alike plays too.

    A further turn of the user's calls what is declared by then and was not called in its conversation.
    """

    def __init__(self, key: str, cassette: Adaptive, options: PlayOptions, world: World) -> None:
        super().__init__(key, Script(cassette=cassette, conversations=()), options, world)
        self._made: dict[str, RecordedConversation] = {}
        """Turns by what was declared, what had been called by then, and how many there were."""
        self._unfit: tuple[str, ...] = ()

    def recorded(self, request: Mapping[str, Any]) -> RecordedConversation:
        """Make a conversation up for a first request."""
        return self._turn(request, "", (), 0)

    def next_part(
        self, live: LiveConversation, request: Mapping[str, Any], *, is_return: bool
    ) -> Part | None:
        """The next answer; a user's turn for which there is none is made up too."""
        part = super().next_part(live, request, is_return=is_return)
        if part is None and not is_return:
            self._go_on(live, request)
            part = super().next_part(live, request, is_return=is_return)
        return part

    @property
    def unplayed(self) -> tuple[str, ...]:
        """What was not reached, and why nothing was called, if so."""
        if self.faulty and self.faulty.excuses:
            return ()
        if not self.conversations:
            return (NOTHING_ASKED,)
        calls = any(conversation.has_calls for conversation in self.script.conversations)
        nothing = () if calls or self._unfit else (NOTHING_TO_CALL,)
        return (*nothing, *self._unfit, *super().unplayed)

    def _go_on(self, live: LiveConversation, request: Mapping[str, Any]) -> None:
        before = live.recorded
        called = tuple(sorted({call.tool for part in before.parts for call in part.facts.calls}))
        asked = sum(not part.is_return for part in before.parts)
        turn = self._turn(request, before.id.decode(), called, asked)
        minted = before.minted.and_more(turn.minted)
        live.recorded = replace(before, parts=(*before.parts, *turn.parts), minted=minted)
        if live.fresh:
            made = turn.minted.anew(self.world.mint, self.world.wall())
            live.values.update((old, new) for old, new in made.items() if old not in live.values)

    def _turn(
        self, request: Mapping[str, Any], conversation_id: str, called: tuple[str, ...], number: int
    ) -> RecordedConversation:
        """Turn ``number`` of a conversation, from 0 on; one that was made up alike before is the same."""
        declared = request.get("local_function_signatures")
        key = strictjson.dumps([declared, conversation_id, called, number])
        if key not in self._made:
            made = scene(
                declared,
                seed=self.options.seed,
                called=called,
                conversation_id=conversation_id,
                number=number,
            )
            self._unfit = tuple(dict.fromkeys((*self._unfit, *made.plan.unfit)))
            self._made[key] = self._add(made.cassette)
        return self._made[key]

    def _add(self, cassette: Cassette) -> RecordedConversation:
        """Put a conversation behind those that were made up before."""
        (built,) = build(cassette, self.options.chunks).conversations
        earlier = self.script.cassette.interactions
        parts = tuple(replace(part, number=part.number + len(earlier)) for part in built.parts)
        conversation = replace(built, parts=parts)
        first = cassette if not earlier else self.script.cassette
        whole = replace(
            first, interactions=(*earlier, *cassette.interactions), name=self.script.cassette.name
        )
        self.script = Script(cassette=whole, conversations=(*self.script.conversations, conversation))
        return conversation
