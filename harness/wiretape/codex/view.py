"""A Codex transcript, digested once into the subjects that rules are asked about.

Everything here is a plain record; ``reader`` fills it. A path starts at the message:
``result.contentItems[0].text``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from wiretape.codex.dialects import Dialect, Version, dialect_of
from wiretape.codex.messages import fields
from wiretape.codex.session import ToolCall, Turn
from wiretape.contract import Subject
from wiretape.faults.codex import ENDING_KINDS
from wiretape.jsonrpc import Call, Id, Message
from wiretape.strictjson import ABSENT
from wiretape.transcript import Side, Transport


@dataclass(slots=True, kw_only=True)
class Sent:
    """One message that the client sent, or what came in its place."""

    at: str
    data: bytes
    message: Message


@dataclass(slots=True, kw_only=True)
class Initialize:
    """One initialize request."""

    at: str
    request: Call
    accepted: bool = False

    @property
    def experimental(self) -> bool:
        capabilities = fields(fields(self.request.params).get("capabilities"))
        return capabilities.get("experimentalApi") is True


@dataclass(slots=True, kw_only=True)
class Connection:
    """One connection, from the client's side. Over stdio it is a server process of its own."""

    at: str
    name: str
    transport: Transport = "stdio"
    demanded: Version | None = None
    """The version that the transcript's profile says; else the server's user agent does."""
    version: Version | None = None
    requests: list[tuple[str, Call]] = field(default_factory=list)
    """Every request of the client with its place."""
    initializes: list[Initialize] = field(default_factory=list)
    initialized: bool = False
    """The notification was sent."""
    asks: list[Ask] = field(default_factory=list)
    """What the server asked on it."""
    closed_by: Side | None = None
    closed_how: str = ""
    """How it ended, for people."""
    strikes: list[Strike] = field(default_factory=list)
    """The faults that struck it."""

    @property
    def process(self) -> str:
        """The server process at its other end; request ids are counted by process."""
        return self.name if self.transport == "stdio" else self.transport

    @property
    def excuse(self) -> str:
        """The fault because of which the client may leave whatever is open; empty when there is none."""
        return next((strike.fault for strike in self.strikes if strike.excuses), "")

    @property
    def dialect(self) -> Dialect:
        return dialect_of(self.demanded or self.version)

    @property
    def accepted(self) -> Initialize | None:
        return next((each for each in self.initializes if each.accepted), None)


@dataclass(slots=True, kw_only=True)
class ThreadStart:
    """One thread/start request."""

    at: str
    params: dict[str, Any]
    connection: Connection

    @property
    def tools(self) -> object:
        """What is declared; ABSENT where nothing is, null included."""
        tools = self.params.get("dynamicTools")
        return ABSENT if tools is None else tools


@dataclass(slots=True, kw_only=True)
class PlayedTurn:
    """A turn that the client began or joined, and the connections that its news went to."""

    at: str
    turn: Turn
    ended: float = inf
    """Number of the frame that said so."""
    asks: defaultdict[str, list[Ask]] = field(default_factory=lambda: defaultdict(list))
    """The server's requests about its calls, by call id."""
    followers: dict[str, Connection] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Ask:
    """A request of the server's, and what came back."""

    at: str
    id: Id
    method: str
    params: dict[str, Any]
    connection: Connection
    """The one that was asked last."""
    asked: Counter[str] = field(default_factory=Counter)
    """How often each connection was asked: a pending one is repeated to whoever resumes the thread."""
    replies: list[Reply] = field(default_factory=list)
    """The answers that can be read, in order."""
    closed: int | None = None
    """Place in the transcript of what ended the wait: item/completed, turn/completed, or a time-out that
    came before any answer."""
    spoilt: str = ""
    """The rule that says what is wrong with a message that was, or may have been, meant as the answer."""
    call: ToolCall | None = None
    """The dynamic tool call that it is about."""
    turn: PlayedTurn | None = None

    def __str__(self) -> str:
        if self.call is None:
            return f"{self.method} with id {self.id!r}"
        return f"{self.method} with id {self.id!r} (tool {self.call.tool}, callId {self.call.id})"

    @property
    def interrupted(self) -> bool:
        """Whether the client itself interrupted the turn."""
        return self.turn is not None and self.turn.turn.interrupted


@dataclass(slots=True, kw_only=True)
class Reply:
    """A message of the client's with an id that says it answers the server."""

    at: str
    order: int
    value: dict[str, Any]
    connection: Connection
    ask: Ask | None = None
    """The request with exactly this id."""
    meant: Ask | None = None
    """The request that it seems to answer, where the id is not exact."""

    @property
    def error(self) -> object:
        """Its error; ABSENT where there is none or a result counts instead."""
        return ABSENT if "result" in self.value else self.value.get("error", ABSENT)


@dataclass(slots=True, kw_only=True)
class ToolReply:
    """An answer to a dynamic tool call."""

    at: str
    ask: Ask
    value: dict[str, Any]
    dialect: Dialect
    expected: object = ABSENT
    """What the answer must hold, or ``"echo"``; ABSENT when nothing is said."""
    result: object = field(init=False)
    """ABSENT where an error came instead."""
    body: dict[str, Any] | None = field(init=False)
    """The result, where it is an object."""
    items: list[Any] | None = field(init=False)

    def __post_init__(self) -> None:
        self.result = self.value.get("result", ABSENT)
        self.body = self.result if isinstance(self.result, dict) else None
        items = fields(self.result).get("contentItems")
        self.items = items if isinstance(items, list) else None


@dataclass(slots=True, kw_only=True)
class RefreshReply:
    """New tokens, in answer to a request for them."""

    at: str
    result: object
    dialect: Dialect


@dataclass(slots=True, kw_only=True)
class ModelOutput:
    """What a real app-server told its model of a call."""

    at: str
    path: str
    output: object
    """ABSENT where it is left out."""
    expected: object


@dataclass(slots=True, kw_only=True)
class After:
    """A message that the client sent after a fault had struck."""

    at: str
    seconds: float
    """How long after it."""
    message: Message


@dataclass(slots=True, kw_only=True)
class Strike:
    """A fault that struck a connection, and what the client did on it from then on."""

    at: str
    fault: str
    connection: Connection
    since: float
    request: Call | None = None
    """The client's latest request: the one whose answer the fault is about, if it is about one."""
    sent: list[After] = field(default_factory=list)
    answered: int | None = None
    """How many messages the client had sent when the answer came."""
    over: int | None = None
    """The same, when a turn was completed next."""
    told: float = 0.0
    """When the server said something last."""
    closed: float | None = None
    """The seconds until the client closed the connection."""

    @property
    def kind(self) -> str:
        return self.fault.partition("@")[0]

    @property
    def ends(self) -> bool:
        """Whether the client may leave because of it, whatever it did until then."""
        return self.kind in ENDING_KINDS or self.kind == "rpc-error"

    @property
    def excuses(self) -> bool:
        """Whether the client may leave because of it, or did so where it may."""
        return self.kind in ENDING_KINDS or (self.kind == "malformed-line" and self.gave_up)

    @property
    def gave_up(self) -> bool:
        """Whether the client did nothing more."""
        return not self.sent and self.over is None


@dataclass(slots=True, kw_only=True)
class TurnStart:
    """A turn/start after a fault."""

    at: str
    thread: object
    """ABSENT where the request names none."""
    known: bool
    """The server had given this thread on this connection."""


@dataclass(slots=True, kw_only=True)
class CodexView:
    """The subjects of a transcript, by scope."""

    frames: list[Sent] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    initializes: list[Initialize] = field(default_factory=list)
    thread_starts: list[ThreadStart] = field(default_factory=list)
    turns: list[PlayedTurn] = field(default_factory=list)
    calls: list[Ask] = field(default_factory=list)
    refreshes: list[Ask] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    tool_replies: list[ToolReply] = field(default_factory=list)
    refresh_replies: list[RefreshReply] = field(default_factory=list)
    model_outputs: list[ModelOutput] = field(default_factory=list)
    strikes: list[Strike] = field(default_factory=list)
    turn_starts: list[TurnStart] = field(default_factory=list)
    """Those after a fault."""

    def subjects(self, scope: str) -> Sequence[Subject]:
        """The subjects of a scope. Raises AttributeError for a scope that does not exist."""
        subjects: Sequence[Subject] = getattr(self, scope)
        return subjects
