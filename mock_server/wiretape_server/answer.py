"""Sends the answer to a conversation request: its head, then its body at the play's pace."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import partial

from aiohttp import web

from wiretape.cassette.model import RecordedResponse
from wiretape.transcript import Body
from wiretape_server.exchange import Exchange
from wiretape_server.head import StreamedResponse, head_bytes, stays, streamed_headers
from wiretape_server.live import LiveConversation, Turn
from wiretape_server.play import Play
from wiretape_server.streaming import Mark, Stream, Written
from wiretape_server.track import Faulted, Track


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What answers a request: a body, its chunks, and what the conversation has to be told meanwhile."""

    live: LiveConversation | None
    """None for a return that belongs to no conversation."""
    turn: Turn
    body: Body
    track: Track
    marks: Sequence[Mark] = ()
    faulted: Faulted | None = None
    """What faults made of it."""


def send(exchange: Exchange, answer: Answer) -> Awaitable[web.StreamResponse]:
    """Stream an answer; it ends as the recorded one did, or when the client leaves.

    Endpoints pass on what this gives: a frame of theirs that waited would be part of every open stream.
    """
    return _run(exchange, _stream(exchange, answer), answer.live)


async def _run(exchange: Exchange, stream: Stream, live: LiveConversation | None) -> web.StreamResponse:
    exchange.play.opened(stream, live)
    exchange.streaming = True
    try:
        await stream.run()
    finally:
        stream.end("client-left")
        exchange.play.closed(stream, live)
    return StreamedResponse(keep_alive=stays(exchange.request) and stream.written.how != "cut")


def _stream(exchange: Exchange, answer: Answer) -> Stream:
    play, turn, faulted = exchange.play, answer.turn, answer.faulted
    recorded = turn.part.interaction.response if turn.part else RecordedResponse()
    headers = streamed_headers(recorded.headers, play.token())
    if faulted is not None:
        play.struck(exchange.number, faulted)
        headers |= {"Content-Type": faulted.content_type} if faulted.content_type else {}
    play.recorder.response(exchange.number, recorded.status, tuple(headers.items()), answer.body)
    tail = faulted.tail if faulted else None
    written = turn.written = Written(body=answer.body, upto=answer.track.start)
    return Stream(
        number=exchange.number,
        request=exchange.request,
        head=head_bytes(exchange.request, recorded.status, headers),
        track=answer.track,
        written=written,
        plan=faulted.how if faulted else recorded.end,
        tail=answer.track.tail if tail is None or not exchange.chunked else tail,
        marks=answer.marks,
        scale=1.0 if turn.part and turn.part.faulted else play.options.scale,
        wheel=play.world.wheel,
        recorder=play.recorder,
        ended=partial(_ended, play, answer.live, written),
    )


def _ended(play: Play, live: LiveConversation | None, written: Written) -> None:
    play.ended()
    if live is not None and not written.stopped:
        live.session.stream_ended()
