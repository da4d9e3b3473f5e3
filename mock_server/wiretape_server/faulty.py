"""What the faults of one play do: answers that are changed, requests that are refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from wiretape.faults import KINDS, Fault
from wiretape.faults.delivery import Delivery
from wiretape.faults.overlay import overlay
from wiretape.flow_a.facts import StreamFacts, read_stream
from wiretape.flow_a.json_body import read_json
from wiretape_server.exchange import Exchange
from wiretape_server.minting import patches
from wiretape_server.options import PlayOptions
from wiretape_server.refusals import HTML, REFUSALS, Refusal
from wiretape_server.script import Part, RecordedConversation, Script
from wiretape_server.track import Faulted, lay


class Faulty:
    """The faults of a play. ``excuses``: one has struck after which a client may end its session early."""

    def __init__(self, options: PlayOptions) -> None:
        self._options = options
        self._faults = options.faults
        self._parts: dict[tuple[int, Sequence[Fault]], Part] = {}
        self._deleted: set[str] = set()
        self.excuses = False

    def build(self, script: Script) -> None:
        """Make a script's answers beforehand. Raises FaultError when two faults are in each other's way."""
        for conversation in script.conversations:
            for part in conversation.parts:
                self.part(part, conversation, 0)

    def part(self, part: Part, conversation: RecordedConversation, request: int) -> Part:
        """What is sent in place of ``part`` to this request; itself when nothing strikes it."""
        here = tuple(
            fault
            for fault in self._faults
            if fault.where.unit != "request" or (fault.kind not in REFUSALS and fault.where.holds(request))
        )
        made = self._parts.get((part.number, here))
        if made is None:
            made = self._parts[part.number, here] = _laid_over(part, conversation, here, self._options)
        return made

    def refusal(self, exchange: Exchange) -> tuple[Fault, Refusal] | None:
        """Why and how a request is refused; None when it is not."""
        for fault in self._faults:
            refusal = REFUSALS.get(fault.kind)
            if refusal is None or not refusal.takes.fullmatch(exchange.path):
                continue
            is_here = fault.where.holds(exchange.number)
            if self._is_deleted(exchange, is_here) if fault.kind == "conversation-deleted" else is_here:
                self.excuses = self.excuses or KINDS[fault.kind].may_end
                return fault, refusal
        return None

    def _is_deleted(self, exchange: Exchange, is_here: bool) -> bool:
        """Whether a request names a conversation that is deleted, or that is deleted by it."""
        named = exchange.conversation_id or read_json(exchange.body, "").value.get("conversation_id")
        if not isinstance(named, str) or exchange.play.conversation(named) is None:
            return False
        if is_here:
            self._deleted.add(named)
        return named in self._deleted


def _laid_over(
    part: Part, conversation: RecordedConversation, faults: Sequence[Fault], options: PlayOptions
) -> Part:
    response, scale = part.interaction.response, options.scale
    recorded = Delivery(
        body=part.body,
        stops=tuple(part.track.stops),
        delays=tuple(delay * scale for delay in part.track.delays),
        how=response.end,
    )
    sent = overlay(faults, recorded, lambda place: random.Random(f"{options.seed}:{place}").random())
    html = [fault for fault in faults if fault.kind == "content-type"]
    if not sent.struck and not html:
        return part
    places = patches(sent.body, {*conversation.own, *part.client_ids} - {b""})
    facts = read_stream(sent.body)
    stops = [stop for stop in sent.stops if sent.until is None or stop < sent.until]
    if sent.until:
        stops.append(sent.until)
    struck = (*sent.struck, *html)
    return replace(
        part,
        interaction=replace(part.interaction, response=replace(response, body=sent.body, chunks=None)),
        facts=facts,
        patches=places,
        track=lay(sent.body, sent.stops, sent.delays, places),
        faulted=Faulted(
            track=lay(sent.body, stops, sent.delays[: len(stops)], places),
            how=sent.how,
            tail=sent.tail,
            gap=sent.gap,
            content_type=HTML if html else "",
            struck=tuple(map(str, struck)),
            spoiled=sent.until is not None
            or any(KINDS[fault.kind].spoils for fault in struck)
            or _says(facts) != _says(part.facts),
        ),
    )


def _says(facts: StreamFacts) -> object:
    """What a client makes of an answer: a stream that says something else may end a session early."""
    calls = [(call.id, call.text, call.closed is None) for call in facts.calls]
    return facts.errors, calls, facts.done_at is None
