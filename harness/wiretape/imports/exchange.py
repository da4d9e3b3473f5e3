"""What the sources have in common: an HTTP exchange that some tool kept, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from wiretape.cassette.model import CassetteError
from wiretape.transcript import Headers, Side


class SourceError(CassetteError):
    """A file can't be imported. The text says where, what was expected, what came, what to do next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketMessage:
    """One websocket message. ``at``: seconds since any moment; None where the source has no time."""

    side: Side
    data: bytes
    at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An HTTP exchange as a source holds it, or a websocket's handshake with the messages behind it."""

    place: str
    """Where it stands in the source: ``entry 3``."""
    method: str
    url: str
    request_headers: Headers = ()
    request_body: bytes = b""
    status: int
    """0: it was never answered, or it is not of the protocol and nobody looked."""
    response_headers: Headers = ()
    body: bytes | None = None
    """Without its content coding; None where the source does not hold it."""
    broke_off: bool = False
    messages: tuple[SocketMessage, ...] = ()
    gaps: tuple[str, ...] = field(default=())
    """What of it the source does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where exchanges come from, for the provenance of the cassette."""

    tool: str
    basis: str
    captured_at: str | None = None
    advice: str
    """What to do about a body that the source does not hold."""
    gaps: tuple[str, ...] = ()


def joined(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers as a cassette has them; the values of one that came twice are joined."""
    merged: dict[str, str] = {}
    for name, value in headers:
        merged[name] = f"{merged[name]}, {value}" if name in merged else value
    return merged


def delays(times: Iterable[float | None], start: float | None = None) -> tuple[float, ...]:
    """Milliseconds since the latest one before, of times in seconds; 0 where a time is not known."""
    result, latest = [], start
    for at in times:
        wait = 0.0
        if at is not None:
            before = at if latest is None else latest
            wait, latest = max(0.0, at - before), max(at, before)
        result.append(round(wait * 1000, 3))
    return tuple(result)
