"""What went over the wire, in order, both directions: the one thing that rules read.

Plays, cassettes and logs of other programs are all read as a Transcript. It knows no protocol.
Times are seconds since the run began. The order of the entries is the order in which this side saw or did
things, and is what rules go by; times are for people.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

EndHow: TypeAlias = Literal["complete", "cut", "reset", "hang", "client-left"]
Side: TypeAlias = Literal["client", "server"]
OTHER: Final[Mapping[Side, Side]] = {"client": "server", "server": "client"}
"""Whom a side talks to."""
Transport: TypeAlias = Literal["stdio", "websocket"]
Headers: TypeAlias = tuple[tuple[str, str], ...]


class Patch(NamedTuple):
    """A place in recorded bytes that replay overwrites with ``values[key][begin:end]``, same length."""

    offset: int
    key: bytes
    begin: int
    end: int


class Body:
    """Recorded bytes, and what replay puts in the place of recorded ids.

    Bodies of many replays share ``template`` and ``patches`` (ascending, not overlapping), so an open stream
    costs no copy of the cassette. A key without a value stays as recorded.
    """

    __slots__ = ("patches", "template", "values")

    def __init__(
        self, template: bytes, patches: Sequence[Patch] = (), values: Mapping[bytes, bytes] | None = None
    ) -> None:
        self.template = template
        self.patches = patches
        self.values = values or {}

    def __len__(self) -> int:
        return len(self.template)

    def bytes(self, start: int = 0, stop: int | None = None) -> bytes:
        """The bytes that are sent, from ``start`` to ``stop``."""
        end = len(self.template) if stop is None else stop
        if not self.values or not self.patches:
            return self.template[start:end]
        sent = bytearray(self.template[start:end])
        first = bisect_left(self.patches, start, key=_patch_end)
        for offset, key, begin, finish in self.patches[first:]:
            if offset >= end:
                break
            value = self.values.get(key)
            if value is None:
                continue
            low, high = max(offset, start), min(offset + finish - begin, end)
            shift = begin - offset
            sent[low - start : high - start] = value[low + shift : high + shift]
        return bytes(sent)


def _patch_end(patch: Patch) -> int:
    return patch.offset + patch.end - patch.begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An HTTP request, whole. ``number`` counts the run's requests from 1."""

    number: int
    method: str
    path: str
    """Path and query as the backend would see them, without the play prefix."""
    headers: Headers
    body: bytes
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """Status and headers of the answer to request ``number``; ``body`` is what is planned to follow."""

    number: int
    status: int
    headers: Headers
    body: Body
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One write of the answer to request ``number``: bytes ``start`` to ``stop`` of its body."""

    number: int
    start: int
    stop: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the answer to request ``number`` ended.

    ``cut``: closed before the body's end; ``client-left``: the peer went before all was written.
    """

    number: int
    how: EndHow
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One JSON-RPC message, or what came in its place: a line without its newline, a websocket message."""

    direction: Side
    """Who sent it."""
    data: bytes
    connection: str
    at: float
    binary: bool = False
    """A binary websocket message, which no app-server looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A connection's begin or end. Over stdio a connection is a server process of its own."""

    connection: str
    what: Literal["opened", "closed"]
    transport: Transport
    detail: str = ""
    """For people: the address, the exit code, the last lines of stderr."""
    at: float
    by: Side = "client"
    """Who did it: a server that goes away is no fault of the client's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Struck:
    """A fault has struck, on purpose: what it does comes after this."""

    connection: str
    """The name of an app-server's connection; over HTTP the request that it struck: ``request 6``."""
    fault: str
    """As it is written: ``eof@event:12``."""
    at: float


Entry: TypeAlias = Request | Response | Chunk | End | Frame | Link | Struck


def header(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The first value of a header, whose name is given in small letters; None where it is not there."""
    return next((value for each, value in headers if each.lower() == name), None)


def is_event_stream(headers: Iterable[tuple[str, str]]) -> bool:
    """Whether an answer with these headers brings events."""
    return (header(headers, "content-type") or "").lower().startswith("text/event-stream")


def is_from_client(entry: Entry) -> bool:
    """Whether the client sent this."""
    return isinstance(entry, Request) or (isinstance(entry, Frame) and entry.direction == "client")


@dataclass(slots=True, kw_only=True)
class Transcript:
    """The ordered entries of a run, and what the judge has to know about it."""

    protocol: str
    name: str = ""
    """The cassette's name, or the file's."""
    entries: list[Entry] = field(default_factory=list)
    live: bool = False
    """Whether this server played it: then it issued the challenges, and every prepare was seen."""
    pace: str = "recorded"
    profile: str = ""
    """The protocol profile that is demanded; empty accepts all of them."""
    expect: Mapping[str, Any] = field(default_factory=dict)
    """``{"results": {tool: object | "echo"}}`` as in the cassette; ``outputs``, by the id of a call, are what
    a real app-server must tell its model of it."""
    faults: tuple[str, ...] = ()
    """What went wrong on purpose, each as ``KIND@WHERE``; where it struck, the entries say."""
    unplayed: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    def bodies(self) -> dict[int, bytes]:
        """Of each answer, by the number of its request: the bytes of its body that were really written."""
        planned = {entry.number: entry.body for entry in self.entries if isinstance(entry, Response)}
        written: dict[int, tuple[int, int]] = {}
        for entry in self.entries:
            if isinstance(entry, Chunk):
                start, _ = written.get(entry.number, (entry.start, 0))
                written[entry.number] = start, entry.stop
        return {number: body.bytes(*written.get(number, (0, 0))) for number, body in planned.items()}
