"""Walks a transcript once and notes the subjects that rules ask about."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from wiretape import strictjson
from wiretape.flow_a.json_body import JsonBody, read_json
from wiretape.flow_a.messages import named_conversation, sent_ids
from wiretape.flow_a.preparations import Preparations
from wiretape.flow_a.progress import Progress
from wiretape.flow_a.session import Match, match_return, return_candidates
from wiretape.flow_a.trouble import Trouble
from wiretape.flow_a.view import ConversationRequest, FlowAView, Prepare, Return, Signature, Signatures
from wiretape.strictjson import ABSENT
from wiretape.transcript import Chunk, End, Request, Response, Struck, Transcript, header

_ROUTES: Final = re.compile(
    r"/backend-(?:api|anon)(?:(?P<challenge>/ios/attestation_challenge)|(?P<prepare>/f/conversation/prepare)"
    r"|(?P<conversation>/f/conversation)|(?P<resume>/f/conversation/resume)"
    r"|(?P<stop>/stop_conversation))(?:\?.*)?$"
)


def read(transcript: Transcript) -> FlowAView:
    """Digest a transcript for the Flow A rules."""
    reader = _Reader(transcript)
    for order, entry in enumerate(transcript.entries):
        reader.take[type(entry)](order, entry)
    return reader.view


class _Reader:
    def __init__(self, transcript: Transcript) -> None:
        self.results: Mapping[str, Any] = transcript.expect.get("results", {})
        self.profile = transcript.profile
        self.view = FlowAView()
        self.progress = Progress(self.view, instant=transcript.pace == "instant", expected=self.results)
        self.preparations = Preparations(live=transcript.live, conversations=self.progress.conversations)
        self.trouble = Trouble(self.view, self.progress)
        self.routes: dict[int, str | None] = {}
        self.prepare_of: dict[int, Prepare] = {}
        self.request_of: dict[int, ConversationRequest] = {}
        self.resumed: dict[int, object] = {}
        self.declared: set[str] = set()
        self.new_ids: dict[int, set[str]] = {}
        """Those that a conversation request brought, by its order."""
        self.sent: dict[str, Callable[[int, Request, JsonBody], None]] = {
            "prepare": self.prepare_request,
            "conversation": self.conversation_request,
            "resume": self.resume_request,
            "stop": lambda _order, _entry, body: self.progress.stopped(body.value),
        }
        self.take: dict[type, Callable[[int, Any], None]] = {
            Request: self.request,
            Response: self.response,
            Chunk: self.progress.chunk,
            End: self.progress.end,
            Struck: lambda _order, entry: self.trouble.struck(entry),
        }

    def request(self, order: int, entry: Request) -> None:
        route = _ROUTES.search(unquote(entry.path))
        kind = route.lastgroup if route else None
        self.routes[entry.number] = kind
        if route and kind in self.sent and entry.method == "POST":
            at = f"POST …{route[kind]} (request {entry.number})"
            body = read_json(entry.body, at)
            self.trouble.named(body)
            self.sent[kind](order, entry, body)

    def prepare_request(self, order: int, entry: Request, body: JsonBody) -> None:
        self.view.bodies.append(body)
        prepare = self.prepare_of[entry.number] = self.preparations.prepared(body.at, order, body)
        if body.readable:
            self.view.prepares.append(prepare)
            self.declare(_signatures(body))

    def resume_request(self, _order: int, entry: Request, body: JsonBody) -> None:
        self.resumed[entry.number] = body.value.get("conversation_id")
        self.trouble.resumed(body)

    def conversation_request(self, order: int, entry: Request, body: JsonBody) -> None:
        self.view.bodies.append(body)
        request = self.request_of[entry.number] = ConversationRequest(
            at=body.at,
            order=order,
            json=body,
            signatures=_signatures(body),
            live=self.preparations.live,
            conduit_token=header(entry.headers, "x-conduit-token"),
            time=entry.at,
        )
        if body.readable:
            self.readable_request(request)
            return
        for call in self.progress.played.values():
            call.unreadable_after = call.unreadable_after or not call.returns

    def readable_request(self, request: ConversationRequest) -> None:
        conversations = self.progress.conversations
        named = named_conversation(request.body)
        calling = self.progress.calling.values()
        self.view.requests.append(request)
        request.match = match_return(request.body, return_candidates(conversations.get(named), calling))
        self.trouble.sent(request)
        request.challenge = self.preparations.spend_challenge(request.body)
        self.declare(request.signatures)
        self.progress.client_tools |= request.declared
        if request.match is not None:
            request.excuse = self.trouble.unreadable() if request.match.kind == "nothing" else ""
            owner = request.match.conversation
            self.preparations.pair(request, owner.id if owner else named)
            self.returned(request, request.match)
        else:
            self.preparations.pair(request, named)
            request.first_turn = named not in conversations
            if not request.first_turn:
                conversations[named].turn_requested()
        self.new_ids[request.order] = sent_ids(request.body) - self.progress.known_ids
        self.progress.known_ids |= self.new_ids[request.order]

    def declare(self, signatures: Signatures) -> None:
        """Note declarations, each distinct list once."""
        value = signatures.value
        self.view.declarations.append(signatures)
        if value is ABSENT or (text := strictjson.dumps(value)) in self.declared:
            return
        self.declared.add(text)
        root = "local_function_signatures"
        items = {root: value}
        if isinstance(value, list):
            items = {f"{root}[{index}]": each for index, each in enumerate(value)}
        self.view.signatures += [
            Signature(at=signatures.at, path=path, value=each) for path, each in items.items()
        ]

    def returned(self, request: ConversationRequest, match: Match) -> None:
        if match.call is None or match.conversation is None:
            return
        played = self.progress.played[match.call.id]
        record = Return(
            at=request.at,
            order=request.order,
            body=request.body,
            call=match.call,
            conversation_id=match.conversation.id,
            played=played,
            request=request,
            expected=self.results.get(match.call.tool, ABSENT),
            profile=self.profile,
            known_ids=self.progress.known_ids & sent_ids(request.body),
        )
        played.returns.append(record)
        if match.kind == "call":
            self.view.returns.append(record)
            match.conversation.returned(match.call.id)

    def response(self, order: int, entry: Response) -> None:
        number = entry.number
        if entry.status >= 400:
            self.trouble.refused(entry, self.routes.get(number), self.request_of.get(number))
            self.refused(number)
            return
        if self.routes.get(number) == "challenge":
            self.preparations.challenge_issued(read_json(entry.body.bytes(), "").value)
        elif number in self.prepare_of:
            token = read_json(entry.body.bytes(), "").value.get("conduit_token")
            self.prepare_of[number].answered = order
            self.prepare_of[number].token = token if isinstance(token, str) else None
        elif number in self.request_of:
            conversation_id = self.progress.begin(entry, self.request_of[number], self.trouble.faults(number))
            self.preparations.last_request[conversation_id] = self.request_of[number].order
        elif number in self.resumed:
            self.progress.resume(entry, self.resumed[number])

    def refused(self, number: int) -> None:
        """A request got an error: its messages were not taken. A call that it returned to still waits."""
        request = self.request_of.get(number)
        self.progress.known_ids -= self.new_ids.get(request.order, set()) if request else set()
        match = request.match if request else None
        if match is None or match.kind != "call" or match.call is None or match.conversation is None:
            return
        match.conversation.refused(match.call.id)
        for record in self.progress.played[match.call.id].returns:
            record.refused = record.refused or record.request is request


def _signatures(body: JsonBody) -> Signatures:
    return Signatures(at=body.at, value=body.value.get("local_function_signatures", ABSENT))
