"""mitmproxy's flow files, read by mitmproxy itself: the only reader that knows all versions of the format."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from wiretape.imports import Exchange, SocketMessage, Source, SourceError
from wiretape_cli.errors import SetupError

_ADVICE: Final = (
    "mitmproxy does not keep the bodies that it streams, unless it is told to: record again with "
    "--set store_streamed_bodies=true, or with: wiretape record flow-a"
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
    exchanges = [each for number, flow in enumerate(flows, 1) for each in _exchange(flow, number)]
    return exchanges, _source(flows, file)


def _source(flows: list[Any], file: Path) -> Source:
    begun = datetime.fromtimestamp(flows[0].request.timestamp_start, UTC)
    return Source(
        tool=f"mitmproxy (read by {version('mitmproxy')})",
        basis=f"the flow file {file.name}",
        captured_at=begun.isoformat(timespec="seconds").replace("+00:00", "Z"),
        advice=_ADVICE,
    )


def _exchange(flow: Any, number: int) -> Iterator[Exchange]:
    """The flow's exchange; nothing for a request that was never answered."""
    if flow.response is None:
        return
    try:
        body, sent = flow.response.content, flow.request.content
    except ValueError as error:
        raise SourceError(f"flow {number}: its body can't be decoded: {error}") from None
    yield Exchange(
        place=f"flow {number}",
        method=flow.request.method,
        url=flow.request.url,
        request_headers=tuple(flow.request.headers.items(multi=True)),
        request_body=sent or b"",
        status=flow.response.status_code,
        response_headers=tuple(flow.response.headers.items(multi=True)),
        body=body,
        broke_off=flow.error is not None,
        messages=tuple(map(_message, flow.websocket.messages)) if flow.websocket else (),
        gaps=("the request's body was streamed and is not kept",) if sent is None else (),
    )


def _message(message: Any) -> SocketMessage:
    side: Any = "client" if message.from_client else "server"
    return SocketMessage(side=side, data=message.content, at=message.timestamp)
