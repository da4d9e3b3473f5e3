"""Walks a transcript once, steps the conversations in it, and notes the subjects that rules ask about."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from wiretape import strictjson
from wiretape.flow_a.facts import SeenCall, StreamFacts, read_stream
from wiretape.flow_a.json_body import JsonBody, read_json
from wiretape.flow_a.messages import member
from wiretape.flow_a.session import Conversation, Match, match_return
from wiretape.flow_a.view import (
    ConversationRequest,
    FlowAView,
    PlayedCall,
    Prepare,
    Return,
    Signature,
    Signatures,
    Stream,
)
from wiretape.strictjson import ABSENT, StrictJSONError
from wiretape.transcript import Chunk, End, Request, Response, Transcript

_ROUTES: Final = re.compile(
    r"/backend-(?:api|anon)(?:(?P<challenge>/ios/attestation_challenge)|(?P<prepare>/f/conversation/prepare)"
    r"|(?P<conversation>/f/conversation)|(?P<stop>/stop_conversation))(?:\?.*)?$"
)


def read(transcript: Transcript) -> FlowAView:
    """Digest a transcript for the Flow A rules."""
    reader = _Reader(transcript)
    for order, entry in enumerate(transcript.entries):
        reader.take[type(entry)](order, entry)
    return reader.view


class _Reader:
    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.results: Mapping[str, Any] = transcript.expect.get("results", {})
        self.view = FlowAView()
        self.routes: dict[int, str | None] = {}
        self.conversations: dict[str, Conversation] = {}
        self.issued: set[str] = set()
        self.used: set[str] = set()
        self.prepare_of: dict[int, Prepare] = {}
        self.request_of: dict[int, ConversationRequest] = {}
        self.stream_of: dict[int, tuple[Stream, Conversation]] = {}
        self.last_request: dict[str, int] = {}
        self.known_ids: set[str] = set()
        self.played: dict[str, PlayedCall] = {}
        self.declared: list[object] = []
        self.sent: dict[str, Callable[[int, Request, JsonBody], None]] = {
            "prepare": self.prepare_request,
            "conversation": self.conversation_request,
            "stop": self.stop_request,
        }
        self.take: dict[type, Callable[[int, Any], None]] = {
            Request: self.request,
            Response: self.response,
            Chunk: self.chunk,
            End: self.end,
        }

    # --- what the client sent

    def request(self, order: int, entry: Request) -> None:
        route = _ROUTES.search(entry.path)
        kind = route.lastgroup if route else None
        self.routes[entry.number] = kind
        if route and kind in self.sent and entry.method == "POST":
            at = f"POST …{route[kind]} (request {entry.number})"
            self.sent[kind](order, entry, read_json(entry.body, at))

    def prepare_request(self, order: int, entry: Request, body: JsonBody) -> None:
        self.view.bodies.append(body)
        prepare = Prepare(at=body.at, order=order, json=body, token=None)
        self.prepare_of[entry.number] = prepare
        if body.readable:
            self.view.prepares.append(prepare)
            self.declare(_signatures(body))

    def stop_request(self, _order: int, _entry: Request, body: JsonBody) -> None:
        conversation = self.conversations.get(str(body.value.get("conversation_id")))
        if conversation is None:
            return
        for call_id in conversation.pending:
            self.played[call_id].stream.stopped = True
        for stream, owner in self.stream_of.values():
            stream.stopped = stream.stopped or (owner is conversation and not stream.ended)
        conversation.stopped()

    def conversation_request(self, order: int, entry: Request, body: JsonBody) -> None:
        self.view.bodies.append(body)
        headers = {name.lower(): value for name, value in entry.headers}
        request = ConversationRequest(
            at=body.at,
            order=order,
            json=body,
            signatures=_signatures(body),
            live=self.transcript.live,
            conduit_token=headers.get("x-conduit-token"),
        )
        self.request_of[entry.number] = request
        if not body.readable:
            for call in self.played.values():
                call.unreadable_after = call.unreadable_after or not call.returns
            return
        self.view.requests.append(request)
        request.match = match_return(body.value, self.conversations.values())
        request.challenge = self.spend_challenge(body.value)
        self.pair_prepares(request)
        self.declare(request.signatures)
        if request.match is None:
            known = self.conversations.get(str(body.value.get("conversation_id")))
            request.first_turn = known is None
            if known is not None:
                known.turn_requested()
        else:
            self.returned(request, request.match)
        self.known_ids.update(
            each for each in (member(m, "id") for m in _messages(body.value)) if isinstance(each, str)
        )

    def spend_challenge(self, body: dict[str, Any]) -> Any:
        challenge = body.get("app_attest_challenge", ABSENT)
        if challenge is ABSENT:
            return "absent"
        key = repr(challenge)
        if isinstance(challenge, str) and challenge.startswith("<") and not self.transcript.live:
            return "unknown"  # a placeholder in a cassette
        if key in self.used:
            return "reused"
        self.used.add(key)
        if not self.transcript.live and not self.issued:
            return "unknown"
        return "fresh" if isinstance(challenge, str) and challenge in self.issued else "not issued"

    def pair_prepares(self, request: ConversationRequest) -> None:
        """Find the prepares of a request: by the conduit token that it carries, else by order."""
        key = self.conversation_key(request)
        since = self.last_request.get(key, -1)
        self.last_request[key] = request.order
        free = [each for each in self.prepare_of.values() if each.order > since and each.serves is None]
        linked = [each for each in free if each.token is not None and each.token == request.conduit_token]
        wanted = request.body.get("conversation_id", ABSENT)
        same = [
            each for each in free if strictjson.equal(each.json.value.get("conversation_id", ABSENT), wanted)
        ]
        request.prepares = linked + [each for each in same if each not in linked] or free[-1:]
        for each in request.prepares[:1] if linked or same else request.prepares:
            each.serves = request

    def conversation_key(self, request: ConversationRequest) -> str:
        if request.match is not None and request.match.conversation is not None:
            return request.match.conversation.id
        return str(request.body.get("conversation_id", ""))

    def declare(self, signatures: Signatures) -> None:
        """Note declarations, each distinct list once."""
        value = signatures.value
        self.view.declarations.append(signatures)
        if value is ABSENT or any(strictjson.identical(value, seen) for seen in self.declared):
            return
        self.declared.append(value)
        root = "local_function_signatures"
        if not isinstance(value, list):
            self.view.signatures.append(Signature(at=signatures.at, path=root, value=value))
            return
        self.view.signatures += [
            Signature(at=signatures.at, path=f"{root}[{index}]", value=each)
            for index, each in enumerate(value)
        ]

    def returned(self, request: ConversationRequest, match: Match) -> None:
        if match.call is None or match.conversation is None:
            return
        played = self.played[match.call.id]
        record = Return(
            at=request.at,
            order=request.order,
            body=request.body,
            call=match.call,
            conversation_id=match.conversation.id,
            played=played,
            request=request,
            expected=self.results.get(match.call.tool, ABSENT),
            profile=self.transcript.profile,
            known_ids=frozenset(self.known_ids),
        )
        played.returns.append(record)
        if match.kind == "call":
            self.view.returns.append(record)
            match.conversation.returned(match.call.id)

    # --- what the backend sent

    def response(self, _order: int, entry: Response) -> None:
        kind = self.routes.get(entry.number)
        if entry.status >= 400:
            return
        if kind == "challenge":
            self.issued.add(str(_json_answer(entry).get("attestation_challenge")))
        elif kind == "prepare" and entry.number in self.prepare_of:
            token = _json_answer(entry).get("conduit_token")
            self.prepare_of[entry.number].token = token if isinstance(token, str) else None
        elif kind == "conversation" and entry.number in self.request_of:
            self.stream_begins(entry, read_stream(entry.body.template).renamed(entry.body.values))

    def stream_begins(self, entry: Response, facts: StreamFacts) -> None:
        request = self.request_of[entry.number]
        conversation_id = facts.conversation_id or str(
            request.body.get("conversation_id", f"#{entry.number}")
        )
        conversation = self.conversations.get(conversation_id)
        if conversation is None:
            conversation = self.conversations[conversation_id] = Conversation(conversation_id)
            conversation.turn_requested()
        self.last_request[conversation_id] = request.order
        at = request.at.replace("POST", "answer to POST")
        stream = Stream(at=at, facts=facts, instant=self.transcript.pace == "instant")
        self.view.streams.append(stream)
        self.stream_of[entry.number] = stream, conversation

    def chunk(self, order: int, entry: Chunk) -> None:
        if entry.number not in self.stream_of:
            return
        stream, conversation = self.stream_of[entry.number]
        before, stream.written = stream.written, entry.stop
        for call in (*stream.facts.calls, *stream.facts.server_calls):
            if before < call.opened <= entry.stop:
                self.call_opens(order, call, self.request_of[entry.number], stream, conversation)
            played = self.played.get(call.id)
            if played is None or played.stream is not stream or call.closed is None:
                continue  # not there yet, or history of an earlier stream
            if before < call.closed <= entry.stop:
                played.closed = order
                conversation.call_closed(call.id)
        self.known_ids.update(stream.facts.message_ids)

    def call_opens(
        self,
        order: int,
        call: SeenCall,
        request: ConversationRequest,
        stream: Stream,
        conversation: Conversation,
    ) -> None:
        if call.id in self.played:
            return  # history, seen again
        played = PlayedCall(at=stream.at, seen=call, request=request, stream=stream, opened=order)
        self.played[call.id] = played
        if call in stream.facts.server_calls:
            self.view.server_calls.append(played)
            conversation.server_call_seen(call)
        else:
            self.view.calls.append(played)
            conversation.call_opened(call)

    def end(self, order: int, entry: End) -> None:
        if entry.number not in self.stream_of:
            return
        stream, conversation = self.stream_of[entry.number]
        if entry.how == "client-left":
            stream.left = True
        else:
            stream.ended = entry.how
        for call in stream.facts.calls:
            played = self.played.get(call.id)
            if played is not None and played.stream is stream and played.closed is None:
                played.closed = order
        conversation.stream_ended()


def _messages(body: dict[str, Any]) -> list[Any]:
    messages = body.get("messages")
    return messages if isinstance(messages, list) else []


def _signatures(body: JsonBody) -> Signatures:
    return Signatures(at=body.at, value=body.value.get("local_function_signatures", ABSENT))


def _json_answer(entry: Response) -> dict[str, Any]:
    try:
        value = strictjson.loads(entry.body.bytes())
    except StrictJSONError:
        return {}
    return value if isinstance(value, dict) else {}
