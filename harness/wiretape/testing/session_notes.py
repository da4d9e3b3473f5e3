"""What a state machine saw go over the wire, noted as the judge reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from wiretape.contract import Report
from wiretape.endpoints import CONVERSATION
from wiretape.transcript import Body, Chunk, End, Frame, Link, Request, Response, Side, Transcript
from wiretape.verdict import verify

_TYPE = (("content-type", "application/json"),)
_STREAM = (("content-type", "text/event-stream; charset=utf-8"),)


class Exchanges:
    """Conversation requests and their answers, in the order in which they happen."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        self.transcript = Transcript(protocol="flow_a", expect={"results": dict(results)})
        self._count = 0

    def requested(self, body: bytes) -> int:
        """Note a conversation request; its number."""
        self._count += 1
        entry = Request(
            number=self._count, method="POST", path=CONVERSATION, headers=_TYPE, body=body, at=0.0
        )
        self.transcript.entries.append(entry)
        return self._count

    def answered(self, number: int, stream: bytes) -> None:
        """Note the whole answer to a request."""
        self.transcript.entries += (
            Response(number=number, status=200, headers=_STREAM, body=Body(stream), at=0.0),
            Chunk(number=number, start=0, stop=len(stream), at=0.0),
            End(number=number, how="complete", at=0.0),
        )

    def report(self) -> Report:
        return verify(self.transcript)


class Frames:
    """The messages of one connection over stdio."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        self.transcript = Transcript(protocol="codex", live=True, expect={"results": dict(results)})

    def link(self, what: Literal["opened", "closed"]) -> None:
        """Note that the connection has begun or ended."""
        entry = Link(connection="c1", what=what, transport="stdio", at=0.0)
        self.transcript.entries.append(entry)

    def said(self, side: Side, data: bytes) -> None:
        """Note one message."""
        self.transcript.entries.append(Frame(direction=side, data=data, connection="c1", at=0.0))

    def report(self) -> Report:
        return verify(self.transcript)
