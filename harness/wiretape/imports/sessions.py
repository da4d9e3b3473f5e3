"""Exchanges of any source to a cassette: those of Flow A, or the websocket messages of an app-server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote, urlsplit

from wiretape.cassette.model import (
    Cassette,
    Interaction,
    Provenance,
    RecordedFrame,
    RecordedRequest,
    RecordedResponse,
    Step,
)
from wiretape.codex.script import scripted
from wiretape.endpoints import RECORDED
from wiretape.flow_a.expectation import expectation
from wiretape.imports.exchange import Exchange, Source, SourceError, delays, joined
from wiretape.imports.told import told
from wiretape.imports.turn_topics import stream_of
from wiretape.jsonrpc import Call, Notice, read
from wiretape.transcript import Frame, is_event_stream

_API: Final = re.compile(r"/backend-(?:api|anon)/.*", re.DOTALL)
_OF_THE_TRANSFER: Final = frozenset(("content-encoding", "content-length", "transfer-encoding"))
"""Headers about bytes that the source does not hold: bodies stand in it without their codings."""
_NO_CUTS: Final = "The source holds no chunk cuts and no times inside an answer: each event is its own chunk."
_ITEMS: Final = "a turn's stream came as items in websocket messages; they are kept as one event stream"


def cassette_of(exchanges: Sequence[Exchange], source: Source) -> Cassette:
    """Make a cassette of a source's exchanges. Raises SourceError when none is of a protocol."""
    flow_a = [each for each in exchanges if _is_flow_a(each)]
    if flow_a:
        unanswered = [each for each in exchanges if _is_unanswered(each)]
        left_out = len(exchanges) - len(flow_a) - len(unanswered)
        gaps = (f"{each.place}: {_shown(each)} was never answered, and is left out" for each in unanswered)
        return _flow_a(flow_a, replace(source, gaps=(*source.gaps, *gaps)), left_out=left_out)
    sockets = [each for each in exchanges if _speaks_json_rpc(each)]
    if sockets:
        return _codex(sockets, source, left_out=len(exchanges) - len(sockets))
    raise SourceError(
        f"{source.basis}: expected requests to /backend-api/f/conversation, or a websocket with JSON-RPC "
        f"messages; got {len(exchanges)} other entries"
        + "".join(
            f"\n  {each.place}: {_shown(each)}{', never answered' if _is_unanswered(each) else ''}"
            for each in exchanges[:5]
        )
    )


def _is_flow_a(exchange: Exchange) -> bool:
    return exchange.status > 0 and (is_of_flow_a(exchange.url) or bool(stream_of(exchange.messages)[0]))


def _is_unanswered(exchange: Exchange) -> bool:
    return not exchange.status and is_of_flow_a(exchange.url)


def _shown(exchange: Exchange) -> str:
    """The request, for people: without its query, which may hold a secret."""
    return f"{exchange.method} {exchange.url.partition('?')[0][:100]}"


def is_of_flow_a(url: str) -> bool:
    """Whether what is there belongs to Flow A."""
    return RECORDED.fullmatch(_target(url)) is not None


def _target(url: str) -> str:
    """Path and query as they stand in the request line, without what a proxy's own path puts before."""
    try:
        parts = urlsplit(url)
    except ValueError:  # it is no URL
        return url
    path = quote(parts.path or "/", safe="".join(map(chr, range(0x21, 0x7F))))
    found = _API.search(path)
    return (found[0] if found else path) + (f"?{parts.query}" if parts.query else "")


def _flow_a(exchanges: Sequence[Exchange], source: Source, *, left_out: int) -> Cassette:
    interactions = tuple(_interaction(each, source) for each in exchanges)
    expect = expectation(interactions)
    cassette = Cassette(
        protocol="flow_a",
        provenance=_provenance(source, exchanges, left_out, no_cuts=True),
        expect=expect,
        interactions=interactions,
    )
    return told(cassette, "Imported")


def _codex(exchanges: Sequence[Exchange], source: Source, *, left_out: int) -> Cassette:
    return codex_cassette(tuple(_frames(exchanges)), _provenance(source, exchanges, left_out, no_cuts=False))


def codex_cassette(frames: Sequence[RecordedFrame], provenance: Provenance) -> Cassette:
    """A cassette of an app-server's messages, without the script that ``complete`` reads out of them."""
    cassette = Cassette(protocol="codex", provenance=provenance, model=(Step(),), frames=tuple(frames))
    return told(cassette, "Imported")


def recorded_frames(frames: Sequence[Frame]) -> tuple[RecordedFrame, ...]:
    """A transcript's messages as a cassette has them; the first connection needs no name."""
    waits = delays([each.at for each in frames])
    return tuple(
        RecordedFrame(
            direction=frame.direction,
            delay=delay,
            data=frame.data,
            connection="" if frame.connection == frames[0].connection else frame.connection,
        )
        for frame, delay in zip(frames, waits, strict=True)
    )


def complete(cassette: Cassette) -> Cassette:
    """Give an imported codex session its script and its title; call it after redaction, as ``scripted``."""
    if cassette.protocol != "codex":
        return cassette
    return told(scripted(cassette), "Imported")


def _provenance(source: Source, exchanges: Iterable[Exchange], left_out: int, *, no_cuts: bool) -> Provenance:
    gaps = [f"{each.place}: {gap}" for each in exchanges for gap in each.gaps]
    gaps += [f"{each.place}: {_ITEMS}" for each in exchanges if stream_of(each.messages)[0]]
    return Provenance(
        kind="recorded",
        captured_at=source.captured_at,
        tool=source.tool,
        basis=(source.basis,),
        gaps=(
            *source.gaps,
            *([_NO_CUTS] if no_cuts else []),
            *([f"{left_out} other exchanges of the source are left out."] if left_out else []),
            *gaps,
        ),
    )


def _interaction(exchange: Exchange, source: Source) -> Interaction:
    target = _target(exchange.url)
    items, chunks = stream_of(exchange.messages)
    body = items or exchange.body
    headers = [(name, value) for name, value in exchange.response_headers if is_kept(name)]
    headers += [("content-type", "text/event-stream")] if items else []
    if is_event_stream(headers) and not body:
        raise SourceError(
            f"{exchange.place}: {exchange.method} {target} is an event stream, but its body is not in the "
            f"source. {source.advice}"
        )
    return Interaction(
        request=RecordedRequest(
            method=exchange.method.upper(),
            path=target,
            headers=joined(pair for pair in exchange.request_headers if not pair[0].startswith(":")),
            body=exchange.request_body,
        ),
        response=RecordedResponse(
            status=exchange.status,
            headers=joined(headers),
            body=body or b"",
            chunks=chunks,
            end="reset" if exchange.broke_off else "complete",
        ),
    )


def is_kept(name: str) -> bool:
    """Whether a header speaks of the message, not of its transfer."""
    return not name.startswith(":") and name.lower() not in _OF_THE_TRANSFER


def _speaks_json_rpc(exchange: Exchange) -> bool:
    messages = (read(each.data) for each in exchange.messages)
    return any(isinstance(each, (Call, Notice)) for each in messages)


def _frames(exchanges: Iterable[Exchange]) -> Iterator[RecordedFrame]:
    """The messages of all websockets in the order of their times; the first one needs no name."""
    named = [
        (message, "" if number == 1 else f"c{number}")
        for number, each in enumerate(exchanges, 1)
        for message in each.messages
    ]
    named.sort(key=lambda pair: pair[0].at or 0.0)  # stable: without times they stay as they are
    waits = delays([message.at for message, _ in named])
    for (message, connection), delay in zip(named, waits, strict=True):
        yield RecordedFrame(direction=message.side, delay=delay, data=message.data, connection=connection)
