"""mitmproxy's flow files, read by mitmproxy itself: the only reader that knows all versions of the format."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from wiretape.imports import Exchange, SocketMessage, Source, SourceError, is_of_flow_a
from wiretape_cli.errors import SetupError
from wiretape_server.recording.decoding import decoder

_ADVICE: Final = (
    "mitmproxy does not keep the bodies that it streams, unless it is told to: record again with "
    "--set store_streamed_bodies=true (mitmproxy 12 or later), or with: wiretape record flow-a"
)
_MISSING: Final = (
    "mitmproxy is not installed, and only it can read its files. "
    "Install it: pip install 'wiretape[mitmproxy]'"
)


def read_flows(file: Path) -> tuple[list[Exchange], Source]:
    """Read a file's HTTP flows, in order. Raises SetupError without mitmproxy, else SourceError."""
    try:
        from mitmproxy.exceptions import FlowReadException
        from mitmproxy.http import HTTPFlow
        from mitmproxy.io import FlowReader
    except ImportError:
        raise SetupError(_MISSING) from None
    try:
        with file.open("rb") as opened:
            flows = [flow for flow in FlowReader(opened).stream() if isinstance(flow, HTTPFlow)]
    except FlowReadException as error:
        raise SourceError(
            f"{file.name}: expected a file of mitmproxy's flows, as mitmdump -w writes it: {error}"
        ) from None
    if not flows:
        raise SourceError(f"{file.name}: expected HTTP flows, got none")
    return [_exchange(flow, number) for number, flow in enumerate(flows, 1)], _source(flows, file)


def _source(flows: list[Any], file: Path) -> Source:
    begun = datetime.fromtimestamp(flows[0].request.timestamp_start, UTC)
    return Source(
        tool=f"mitmproxy (read by {version('mitmproxy')})",
        basis=f"the flow file {file.name}",
        captured_at=begun.isoformat(timespec="seconds").replace("+00:00", "Z"),
        advice=_ADVICE,
    )


def _exchange(flow: Any, number: int) -> Exchange:
    """The flow's exchange. Of one that is not of the protocol no more is read than what it is."""
    request, response = flow.request, flow.response
    messages = tuple(map(_message, flow.websocket.messages)) if flow.websocket else ()
    known = Exchange(
        place=f"flow {number}", method=request.method, url=request.url, status=0, messages=messages
    )
    if response is None or not (messages or is_of_flow_a(request.url)):
        return known
    (sent, more), (body, gaps) = _decoded(request, number), _decoded(response, number)
    if sent is None:
        more = ("the request's body was streamed and is not kept",)
    return replace(
        known,
        request_headers=tuple(request.headers.items(multi=True)),
        request_body=sent or b"",
        status=response.status_code,
        response_headers=tuple(response.headers.items(multi=True)),
        body=body,
        broke_off=flow.error is not None,
        gaps=(*more, *gaps),
    )


def _decoded(message: Any, number: int) -> tuple[bytes | None, tuple[str, ...]]:
    """A body without its compression, and what is missing of it: mitmproxy reads none that ends early."""
    try:
        return message.content, ()
    except ValueError as error:
        unpack = decoder(message.headers.get("content-encoding", ""))
        body = b"".join(unpack.feed(message.raw_content)) if unpack else b""
        if unpack is None or not body:
            raise SourceError(
                f"flow {number}: its body can't be decoded: {error}. Record it again, for example with: "
                "wiretape record flow-a"
            ) from None
        unpack.close()
        return body, (unpack.fault,)


def _message(message: Any) -> SocketMessage:
    side: Any = "client" if message.from_client else "server"
    return SocketMessage(side=side, data=message.content, at=message.timestamp)
