"""Resuming: the rest of a conversation's last stream, from the event that the client counted to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable

from aiohttp import web

from wiretape.sse import event_ends
from wiretape.transcript import Body
from wiretape_server.answer import Answer, send
from wiretape_server.exchange import Exchange, RefusedError
from wiretape_server.live import Turn
from wiretape_server.reads import known
from wiretape_server.resumption import counted_event_ends
from wiretape_server.track import Track, lay


def resume(exchange: Exchange) -> Awaitable[web.StreamResponse]:
    """Stream the events behind ``offset``; what was written before comes at once, the rest at its pace."""
    request = exchange.json_object()
    live = known(exchange, request.get("conversation_id"))
    offset = _offset(request.get("offset"))
    _demand_token(exchange, offset)
    turn = next((turn for turn in reversed(live.turns) if turn.written is not None), None)
    if turn is None or turn.written is None:
        raise RefusedError(404, "conversation_not_found", f"conversation {live.id} has no stream to resume.")
    last = turn.written.body
    start = _byte_offset(last.template, offset)
    body = Body(last.template, last.patches, last.values)
    if turn.part is not None and turn.part.faulted and turn.part.faulted.gap:
        body, start = _without(turn.part.faulted.gap, body, start)
    track = _rest(turn, body, start, exchange.chunked)
    if turn.written.how is not None:
        live.session.turn_requested()
    marks = live.marks(turn.part) if turn.part is not None else ()
    return send(exchange, Answer(live=live, turn=turn, body=body, track=track, marks=marks))


def _offset(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise RefusedError(422, "invalid_offset", f"expected offset as a whole number from 0 on, got {value!r}.")


def _demand_token(exchange: Exchange, offset: int) -> None:
    """«Without a token only offset 0 is allowed.»"""
    if offset and exchange.request.headers.get("x-conduit-token", "no-token") == "no-token":
        raise RefusedError(
            400,
            "tokenless_resume_unavailable",
            f"a resume from offset {offset} needs the header x-conduit-token; "
            "without it only offset 0 is allowed.",
        )


def _byte_offset(template: bytes, offset: int) -> int:
    """Where the events behind the first ``offset`` counted ones start."""
    ends = [0, *counted_event_ends(template)]
    if offset < len(ends):
        return ends[offset]
    raise RefusedError(
        422,
        "invalid_offset",
        f"offset {offset} is behind the end: the stream has {len(ends) - 1} events that count "
        "(ping, events without data, comments and [DONE] do not).",
    )


def _without(gap: tuple[int, int], body: Body, start: int) -> tuple[Body, int]:
    """A body in which a comment stands in a gap's place, and where to start in it: never in the gap."""
    begin, end = gap
    comment = b":" + b" " * (end - begin - 3) + b"\n\n"
    template = body.template[:begin] + comment + body.template[end:]
    kept = [patch for patch in body.patches if not begin <= patch.offset < end]
    return Body(template, kept, body.values), end if begin <= start < end else start


def _rest(turn: Turn, body: Body, start: int, chunked: bool) -> Track:
    """The chunks behind ``start``. Those that the interrupted stream wrote have no delay any more."""
    template, written = body.template, turn.written.upto if turn.written else 0
    part = turn.part
    if part is None or len(template) != len(part.body):
        stops, delays = event_ends(template), [0.0]
        delays *= len(stops)
    else:
        stops, delays = list(part.track.stops), list(part.track.delays)
        over = bisect_right(stops, written)
        delays[:over] = [0.0] * over
    return lay(template, stops, delays, body.patches, chunked=chunked, start=start)
