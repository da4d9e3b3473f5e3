"""The endpoints that answer from state: challenge, prepare, reading a conversation, stopping it."""

from __future__ import annotations

from aiohttp import web

from wiretape_server.exchange import Exchange, RefusedError
from wiretape_server.live import LiveConversation
from wiretape_server.mapping import read, tree_of


async def challenge(exchange: Exchange) -> web.StreamResponse:
    """Issue a challenge; the verdict checks that each is used once."""
    return exchange.answer({"attestation_challenge": exchange.play.token()})


async def prepare(exchange: Exchange) -> web.StreamResponse:
    """Take a prepare request and hand out a conduit token."""
    exchange.json_object()
    return exchange.answer({"status": "ok", "conduit_token": exchange.play.token()})


async def conversation(exchange: Exchange) -> web.StreamResponse:
    """Give the tree of a conversation's messages."""
    live = known(exchange, exchange.conversation_id)
    return exchange.answer(read(live, exchange.play.world.wall()))


async def stream_status(exchange: Exchange) -> web.StreamResponse:
    """Say whether an answer of this conversation is still being written."""
    live = known(exchange, exchange.conversation_id)
    streaming = any(stream.written.how is None for stream in live.streams)
    return exchange.answer({"status": "IS_STREAMING" if streaming else "COMPLETE"})


async def stop(exchange: Exchange) -> web.StreamResponse:
    """Stop a conversation: its running stream says [DONE] and ends."""
    live = known(exchange, exchange.json_object().get("conversation_id"))
    for stream in live.streams:
        stream.stop()
    live.session.stopped()
    return exchange.answer({"status": "success", "last_message_id": tree_of(live).current})


def known(exchange: Exchange, conversation_id: object) -> LiveConversation:
    """The conversation that a request names. Raises RefusedError, 404, when there is none."""
    live = exchange.play.conversation(conversation_id)
    if live is None:
        there = ", ".join(list(exchange.play.conversations)[-3:]) or "none yet"
        raise RefusedError(
            404,
            "conversation_not_found",
            f"no conversation {conversation_id!r} on this play; there are: {there}. "
            "Use the conversation_id that the stream of the first turn gave.",
        )
    return live
