"""The cassette: recorded exchanges, where they come from, and what a client is expected to make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

ProvenanceKind: TypeAlias = Literal["recorded", "reconstructed", "synthetic"]
StreamEnd: TypeAlias = Literal["complete", "reset", "hang"]


class CassetteError(Exception):
    """A cassette can't be used. The text says what was expected, what came, where, and what to do next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a cassette comes from, and what in it nobody has captured."""

    kind: ProvenanceKind
    captured_at: str | None = None
    tool: str | None = None
    basis: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """What the judge goes by: the message to send, the tools to declare, what each tool must give."""

    user_message: str | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    results: Mapping[str, Any] = field(default_factory=dict)
    """Tool name to its result object, or to ``"echo"``: what the tool was called with comes back."""
    rules: tuple[str, ...] = ()
    """Ids of the rules that this cassette is made to exercise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks:
    """How a body was cut, as two columns: a body of 30,000 chunks is read without an object for each."""

    delays: tuple[float, ...]
    """Milliseconds since the chunk before."""
    lengths: tuple[int, ...]
    """Bytes."""

    def __post_init__(self) -> None:
        if len(self.delays) != len(self.lengths):
            raise ValueError(f"expected a delay for each length, got {len(self.delays)}, {len(self.lengths)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest:
    """A request as it came, its body whole."""

    method: str
    path: str
    """With its query, as in the request line."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedResponse:
    """An answer as it was sent, without its transfer coding."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    chunks: Chunks | None = None
    """The cuts of the body; their lengths add up to it. None: one chunk per event, no delay."""
    end: StreamEnd = "complete"
    """``reset``: the connection broke; ``hang``: nothing more came, and it stayed open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One HTTP request and its (streamed) response."""

    request: RecordedRequest
    response: RecordedResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelText:
    """The model says a text; ``deltas`` are the pieces in which it streams it, none when it comes whole."""

    text: str
    deltas: tuple[str, ...] = ()
    id: str = ""
    """The message's id; empty lets the player make one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """The model calls a tool. ``arguments`` is the text it wrote, which need not be JSON."""

    id: str
    tool: str
    arguments: str
    namespace: str | None = None


ModelItem: TypeAlias = ModelText | ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelError:
    """The model's provider answers with this HTTP status and body instead of a stream."""

    status: int
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What the model does with one request: items in order, a failure, or nothing until an interrupt."""

    items: tuple[ModelItem, ...] = ()
    wait: Literal["", "until_interrupt"] = ""
    error: ModelError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientStep:
    """What a client of the cassette does next.

    ``login`` to the account ``value``; a ``turn`` of the text ``value``; the same and ``interrupt`` it at its
    first call; ``resume`` the thread in a new process.
    """

    do: Literal["login", "turn", "interrupt", "resume"]
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFrame:
    """One JSON-RPC message. ``delay``: milliseconds since the one before, of whatever connection."""

    direction: Literal["client", "server"]
    """Who sent it."""
    delay: float
    data: bytes
    connection: str = ""
    """The name of its connection; the first one needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cassette:
    """A recorded session. ``name`` is how it was asked for, ``source`` the file it came from."""

    protocol: Literal["flow_a", "codex"]
    provenance: Provenance
    interactions: tuple[Interaction, ...] = ()
    """The exchanges of a ``flow_a`` cassette."""
    model: tuple[Step, ...] = ()
    """What the model of a ``codex`` cassette does: a step for each request of a thread, in order."""
    client: tuple[ClientStep, ...] = ()
    """What its client does; empty: one turn of the expected user message."""
    frames: tuple[RecordedFrame, ...] = ()
    """The messages of the recorded session, as evidence."""
    title: str = ""
    expect: Expect = Expect()
    profile: str = ""
    extensions: Mapping[str, Any] = field(default_factory=dict)
    """Top-level ``x-`` keys, kept as they are."""
    name: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    @property
    def pauses(self) -> float:
        """Seconds of silence in its answers, of all of them together."""
        every = (each.response.chunks for each in self.interactions)
        return sum(sum(chunks.delays) for chunks in every if chunks) / 1000
