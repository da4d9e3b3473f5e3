"""Follows the answers as they are written: which calls a client could have seen by when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wiretape.faults import kind_of
from wiretape.flow_a.facts import SeenCall, read_stream
from wiretape.flow_a.json_body import read_json
from wiretape.flow_a.messages import FUNCTIONS, named_conversation
from wiretape.flow_a.session import Conversation
from wiretape.flow_a.view import ConversationRequest, FlowAView, PlayedCall, Stream
from wiretape.transcript import Chunk, End, Response


class Progress:
    """Steps the conversations by what the backend writes, and puts streams and calls into the view.

    ``expected`` are the tools that have to be run, whether or not a client declares them.
    """

    def __init__(self, view: FlowAView, *, instant: bool, expected: Iterable[str]) -> None:
        self.view = view
        self.instant = instant
        self.client_tools = set(expected)
        """Those that the client runs: with them all that it has declared so far."""
        self.conversations: dict[str, Conversation] = {}
        self.calling: dict[str, Conversation] = {}
        """Those in which a call was seen: a return can belong to no other."""
        self.played: dict[str, PlayedCall] = {}
        self.known_ids: set[str] = set()
        """Ids of messages that somebody has sent."""
        self._of: dict[int, tuple[Stream, Conversation]] = {}
        self._old_calls: set[str] = set()
        """Those of conversations that began again: a return may still be one to them."""

    def begin(self, entry: Response, request: ConversationRequest, faults: tuple[str, ...] = ()) -> str:
        """An answer to a conversation request begins; the id of its conversation."""
        facts = read_stream(entry.body.template).renamed(entry.body.values)
        named = named_conversation(request.body)
        conversation_id = facts.conversation_id or named or f"#{entry.number}"
        conversation = self.conversations.get(conversation_id)
        if conversation is None or request.first_turn:
            if conversation is not None:
                self._begins_again(conversation)
            conversation = self.conversations[conversation_id] = Conversation(conversation_id)
            conversation.turn_requested()
        kinds = [kind_of(fault) for fault in faults]
        stream = Stream(
            at=request.at.replace("POST", "answer to POST"),
            facts=facts,
            request=request,
            instant=self.instant,
            template=entry.body.template,
            faults=faults,
            may_end=any(kind.may_end for kind in kinds),
            damaged=bool(faults)
            and (bool(facts.errors) or facts.done_at is None or any(kind.spoils for kind in kinds)),
            hidden=any(kind.hides for kind in kinds),
        )
        request.stream = stream
        self.view.streams.append(stream)
        self._of[entry.number] = stream, conversation
        return conversation_id

    def _begins_again(self, conversation: Conversation) -> None:
        """Where ids are as recorded, a conversation may begin again: its calls are new once they open."""
        old = [stream for stream, owner in self._of.values() if owner is conversation]
        self._old_calls |= {
            call_id for call_id, call in self.played.items() if any(call.stream is stream for stream in old)
        }

    def resume(self, entry: Response, conversation_id: object) -> None:
        """An answer goes on that was interrupted: the latest of this conversation."""
        for stream, conversation in reversed(self._of.values()):
            if conversation.id == conversation_id:
                stream.left = False
                stream.ended = ""
                self._of[entry.number] = stream, conversation
                return

    def chunk(self, order: int, entry: Chunk) -> None:
        """A piece of an answer was written."""
        if entry.number not in self._of:
            return
        stream, conversation = self._of[entry.number]
        before, stream.written = stream.written, max(stream.written, entry.stop)
        for call in (*stream.facts.calls, *stream.facts.server_calls):
            if before < call.opened <= entry.stop:
                self._opens(order, call, stream, conversation)
            played = self.played.get(call.id)
            if played is None or played.stream is not stream or call.closed is None:
                continue  # not there yet, or history of an earlier stream
            if before < call.closed <= entry.stop:
                played.closed = order
                conversation.call_closed(call.id)
        if before == 0:
            self.known_ids.update(stream.facts.message_ids)

    def _opens(self, order: int, call: SeenCall, stream: Stream, conversation: Conversation) -> None:
        if call.id in self.played and call.id not in self._old_calls:
            return  # history, seen again
        self._old_calls.discard(call.id)
        self.calling[conversation.id] = conversation
        played = PlayedCall(at=stream.at, seen=call, request=stream.request, stream=stream, opened=order)
        self.played[call.id] = played
        if stream.damaged or (stream.faults and (call.closed is None or not _has_arguments(call))):
            played.excuse = stream.fault
        if call in stream.facts.server_calls or self._is_the_servers(call):
            self.view.server_calls.append(played)
            conversation.server_call_seen(call)
        else:
            self.view.calls.append(played)
            conversation.call_opened(call)

    def _is_the_servers(self, call: SeenCall) -> bool:
        """Whether a call in the client's form is of a function that nobody ever declared."""
        return call.recipient.startswith(FUNCTIONS) and call.tool not in self.client_tools

    def end(self, order: int, entry: End) -> None:
        """An answer ended, or its client left. The end completes a call that nothing else closed."""
        if entry.number not in self._of:
            return
        stream, conversation = self._of[entry.number]
        if entry.how == "client-left":
            stream.left = True
            return
        stream.ended = entry.how
        is_cut = bool(stream.faults) and stream.written < len(stream.template)
        stream.cut = order if is_cut else stream.cut
        for call in stream.facts.calls:
            played = self.played.get(call.id)
            if played is None or played.stream is not stream or played.closed is not None:
                continue
            if is_cut:
                played.cut = order
            else:
                played.closed = order
        conversation.stream_ended()

    def resumable(self, conversation_id: object) -> Stream | None:
        """The latest answer of a conversation."""
        streams = [stream for stream, owner in self._of.values() if owner.id == conversation_id]
        return streams[-1] if streams else None

    def stopped(self, body: dict[str, Any]) -> None:
        """The client stopped a conversation: its open calls and its running answer are nobody's fault."""
        conversation = self.conversations.get(named_conversation(body))
        if conversation is None:
            return
        for call_id in conversation.pending:
            self.played[call_id].stream.stopped = True
        for stream, owner in self._of.values():
            stream.stopped = stream.stopped or (owner is conversation and not stream.ended)
        conversation.stopped()


def _has_arguments(call: SeenCall) -> bool:
    return read_json(call.text.encode("utf-8", "surrogatepass"), "").readable
