"""The conversation endpoint: finds the recorded answer to a request, and streams it."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from aiohttp import web

from wiretape import strictjson
from wiretape.flow_a.check import check_return
from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.session import Match, match_return, return_candidates
from wiretape.report import finding_json
from wiretape.sse import event_ends
from wiretape.transcript import Body
from wiretape_server.answer import Answer, send
from wiretape_server.exchange import Exchange, RefusedError
from wiretape_server.live import LiveConversation, Turn
from wiretape_server.mismatch import nothing_recorded
from wiretape_server.track import lay


def converse(exchange: Exchange) -> Awaitable[web.StreamResponse]:
    """Answer a conversation request from the cassette: a user's turn or a tool's return."""
    return send(exchange, _find(exchange))


def _find(exchange: Exchange) -> Answer:
    """Find what answers a request. Nothing of its parsed body outlives this: open streams stay small."""
    request, play = exchange.json_object(), exchange.play
    own = play.conversation(request.get("conversation_id"))
    match = match_return(request, return_candidates(own.session if own else None, play.calling.values()))
    if match is None:
        return _recorded(exchange, own or play.begin(request), request, None)
    if play.options.strict:
        _demand_right_return(request, match)
    owner = play.conversations.get(match.conversation.id) if match.conversation else None
    if match.kind == "call" and match.call is not None and owner is not None:
        return _recorded(exchange, owner, request, match.call.id)
    return _extra(exchange, owner, request)


def _recorded(
    exchange: Exchange, live: LiveConversation, request: Mapping[str, Any], call_id: str | None
) -> Answer:
    """The next recorded answer to a user's turn, or to the return of this call."""
    is_return = call_id is not None
    part = exchange.play.next_part(live, request, is_return=is_return)
    if part is None:
        raise nothing_recorded(exchange.play, live, request, is_return=is_return)
    if call_id is None:
        live.session.turn_requested()
    else:
        live.session.returned(call_id)
    part = exchange.play.played(part, live, exchange.number)
    if live.recorded.has_calls:
        exchange.play.calling[live.id] = live.session
    live.adopt_ids(part, request)
    turn = Turn(request=exchange.body, part=part, call_id=call_id or "")
    live.turns.append(turn)
    return Answer(
        live=live,
        turn=turn,
        body=Body(part.body, part.patches, live.values),
        track=part.sent(chunked=exchange.chunked),
        marks=live.marks(part),
        faulted=part.faulted,
    )


def _extra(exchange: Exchange, live: LiveConversation | None, request: Mapping[str, Any]) -> Answer:
    """A short finished stream, for a return that nobody waits for; the verdict says what is wrong."""
    conversation_id = live.id if live else str(request.get("conversation_id") or exchange.play.uuid())
    ending = strictjson.dumps({"type": "message_stream_complete", "conversation_id": conversation_id})
    template = b'event: delta_encoding\ndata: "v1"\n\ndata: %b\n\ndata: [DONE]\n\n' % ending.encode()
    turn = Turn(request=exchange.body)
    if live is not None:
        live.turns.append(turn)
    stops = event_ends(template)
    track = lay(template, stops, [0.0] * len(stops), (), chunked=exchange.chunked)
    return Answer(live=live, turn=turn, body=Body(template), track=track)


def _demand_right_return(body: dict[str, Any], match: Match) -> None:
    """Refuse a wrong return with 422 and what is wrong with it."""
    if match.call is None or match.conversation is None:
        raise RefusedError(422, "return_refused", "a return came, and no call waits for one. Send none.")
    if match.kind != "call":
        why = {"answered": "was answered before", "server_tool": "is run by the server"}[match.kind]
        raise RefusedError(422, "return_refused", f"the call {match.call.id} {why}. Send no return for it.")
    findings = check_return(body, _as_message(match.call), conversation_id=match.conversation.id)
    wrong = [each for each in findings if each.failed and each.level == "must"]
    if wrong:
        raise RefusedError(
            422,
            "return_refused",
            f"the return breaks {len(wrong)} rules: " + ", ".join(each.rule for each in wrong),
            details={"findings": [finding_json(each) for each in findings if each.failed]},
        )


def _as_message(call: SeenCall) -> dict[str, Any]:
    return {"id": call.id, "recipient": call.recipient, "content": {"text": call.text}}
