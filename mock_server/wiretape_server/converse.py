"""The conversation endpoint: finds the recorded answer to a request, and streams it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from wiretape import strictjson
from wiretape.cassette.model import RecordedResponse
from wiretape.flow_a.check import check_return
from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.session import Match, match_return
from wiretape.report import finding_json
from wiretape.sse import event_ends
from wiretape.transcript import Body
from wiretape_server.exchange import Exchange, RefusedError
from wiretape_server.head import StreamedResponse, head_bytes, stays, streamed_headers
from wiretape_server.live import LiveConversation, Turn
from wiretape_server.mismatch import nothing_recorded
from wiretape_server.play import Play
from wiretape_server.script import Part
from wiretape_server.streaming import Mark, Stream
from wiretape_server.track import Track, lay


async def converse(exchange: Exchange) -> web.StreamResponse:
    """Answer a conversation request from the cassette: a user's turn or a tool's return."""
    body = exchange.json_object()
    play = exchange.play
    match = match_return(body, _candidates(play, body))
    if match is None:
        return await _answer_turn(exchange, body)
    if play.options.strict:
        _demand_right_return(body, match)
    live = play.conversations.get(match.conversation.id) if match.conversation else None
    if match.kind == "call" and match.call is not None and live is not None:
        return await _answer_return(exchange, live, body, match.call.id)
    return await _answer_extra_return(exchange, live, body)


def _candidates(play: Play, body: Mapping[str, Any]) -> list[Any]:
    """The conversations that a request can be a return in: its own, and those that have had a call."""
    own = play.conversation(body.get("conversation_id"))
    found = {live.id: live for live in ([own] if own else [])} | play.calling
    return [live.session for live in found.values()]


async def _answer_turn(exchange: Exchange, body: Mapping[str, Any]) -> web.StreamResponse:
    play = exchange.play
    live = play.conversation(body.get("conversation_id")) or play.begin(body)
    part = live.next_part(is_return=False)
    if part is None:
        raise nothing_recorded(play, live, body, is_return=False)
    live.session.turn_requested()
    return await _play(exchange, live, part, Turn(request=body, part=part))


async def _answer_return(
    exchange: Exchange, live: LiveConversation, body: Mapping[str, Any], call_id: str
) -> web.StreamResponse:
    part = live.next_part(is_return=True)
    if part is None:
        raise nothing_recorded(exchange.play, live, body, is_return=True)
    live.session.returned(call_id)
    return await _play(exchange, live, part, Turn(request=body, part=part, call_id=call_id))


async def _play(exchange: Exchange, live: LiveConversation, part: Part, turn: Turn) -> web.StreamResponse:
    play = exchange.play
    play.played(part)
    live.adopt_ids(part, turn.request)
    live.turns.append(turn)
    if live.recorded.has_calls:
        play.calling[live.id] = live
    chunked = exchange.request.version >= (1, 1)
    return await stream_answer(
        exchange,
        live,
        turn,
        body=Body(part.body, part.patches, live.values),
        track=part.track if chunked else part.plain_track(),
        marks=live.marks(part),
    )


async def _answer_extra_return(
    exchange: Exchange, live: LiveConversation | None, body: Mapping[str, Any]
) -> web.StreamResponse:
    """Answer a return that nobody waits for with a short finished stream; the verdict says what is wrong."""
    conversation_id = live.id if live else str(body.get("conversation_id") or exchange.play.uuid())
    ending = strictjson.dumps({"type": "message_stream_complete", "conversation_id": conversation_id})
    template = b'event: delta_encoding\ndata: "v1"\n\ndata: %b\n\ndata: [DONE]\n\n' % ending.encode()
    turn = Turn(request=body)
    if live is not None:
        live.turns.append(turn)
    stops = event_ends(template)
    chunked = exchange.request.version >= (1, 1)
    track = lay(template, stops, [0.0] * len(stops), (), chunked=chunked)
    return await stream_answer(exchange, live, turn, body=Body(template), track=track, marks=[])


async def stream_answer(
    exchange: Exchange,
    live: LiveConversation | None,
    turn: Turn,
    *,
    body: Body,
    track: Track,
    marks: list[Mark],
) -> web.StreamResponse:
    """Send the head and then the body at the play's pace. The answer ends as the recorded one did."""
    play, number = exchange.play, exchange.number

    def ended(stream: Stream) -> None:
        play.ended()
        if live is not None and not stream.stopped:
            live.session.stream_ended()

    recorded = turn.part.interaction.response if turn.part else RecordedResponse()
    headers = streamed_headers(recorded.headers, play.token())
    play.recorder.response(number, recorded.status, tuple(headers.items()), body)
    stream = turn.stream = Stream(
        number=number,
        request=exchange.request,
        head=head_bytes(exchange.request, recorded.status, headers),
        track=track,
        body=body,
        plan=recorded.end,
        marks=marks,
        scale=play.options.scale,
        wheel=play.world.wheel,
        recorder=play.recorder,
        ended=ended,
    )
    play.opened(stream)
    exchange.streaming = True
    try:
        await stream.run()
    finally:
        stream.end("client-left")
        play.streams.discard(stream)
    return StreamedResponse(keep_alive=stays(exchange.request))


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
