"""A Flow A transcript, digested once into the subjects that rules are asked about.

Everything here is a plain record; ``reader`` fills it. A path starts at the request's body.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Literal

from wiretape import strictjson
from wiretape.contract import Subject
from wiretape.flow_a.facts import SeenCall, StreamFacts
from wiretape.flow_a.json_body import JsonBody
from wiretape.flow_a.return_message import ReturnMessage
from wiretape.flow_a.session import Match
from wiretape.strictjson import ABSENT

ChallengeState = Literal["fresh", "reused", "not issued", "absent", "unknown"]


@dataclass(slots=True, kw_only=True)
class Signatures:
    """The declarations of one request."""

    at: str
    value: object
    """``local_function_signatures``; ABSENT when it is not there."""
    names: list[object] = field(init=False)

    def __post_init__(self) -> None:
        signatures = self.value if isinstance(self.value, list) else []
        self.names = [each.get("name") if isinstance(each, dict) else ABSENT for each in signatures]

    @property
    def readable(self) -> bool:
        """Whether they say which tools there are."""
        named = isinstance(self.value, list) and all(isinstance(each, str) for each in self.names)
        return named or self.value is ABSENT


@dataclass(slots=True, kw_only=True)
class Prepare:
    """A prepare request and its answer. ``order`` is its place in the transcript."""

    at: str
    order: int
    json: JsonBody
    token: str | None
    """The conduit token that it gave; None when it gave none."""
    answered: int | None = None
    """Order of its answer; None when it got none, or an error."""
    serves: ConversationRequest | None = None
    """The conversation request that it prepared, where that can be told."""


@dataclass(slots=True, kw_only=True)
class ConversationRequest:
    """A POST to f/conversation: a user's turn or a return."""

    at: str
    order: int
    json: JsonBody
    signatures: Signatures
    match: Match | None = None
    """What it returns to; None for a user's turn."""
    live: bool = False
    first_turn: bool = False
    challenge: ChallengeState = "unknown"
    prepares: Sequence[Prepare] = ()
    """Those since the conversation's last request, oldest first."""
    conduit_token: str | None = None
    """The x-conduit-token header."""
    time: float = 0.0
    """When it came, in seconds since the run began."""
    retries: ConversationRequest | None = None
    """The request that a fault refused, and that this one sends again."""
    stream: Stream | None = None
    excuse: str = ""
    """The fault for which nobody knows what it returns to."""

    @property
    def body(self) -> dict[str, Any]:
        return self.json.value

    @property
    def declared(self) -> set[str]:
        """The tools that it declares, as the app does or, by their names alone, as the web client does."""
        web_names = self.body.get("local_function_names")
        web = [each for each in web_names if isinstance(each, str)] if isinstance(web_names, list) else []
        by_name = {each.removeprefix("local.") for each in web if each.startswith("local.")}
        return by_name | {each for each in self.signatures.names if isinstance(each, str)}

    @property
    def unprepared(self) -> bool:
        """Whether it was sent without a good answer to its latest prepare."""
        latest = max(self.prepares, key=lambda each: each.order, default=None)
        return latest is None or latest.answered is None or latest.answered > self.order

    @property
    def granted(self) -> list[str]:
        """The conduit tokens that its prepares gave."""
        return [each.token for each in self.prepares if each.token is not None]


@dataclass(slots=True, kw_only=True)
class Signature:
    """One declared tool."""

    at: str
    path: str
    value: object


@dataclass(slots=True, kw_only=True)
class Stream:
    """The answer to a conversation request, as far as it was written."""

    at: str
    facts: StreamFacts
    request: ConversationRequest
    written: int = 0
    """Bytes."""
    left: bool = False
    """The client went before all was written."""
    ended: Literal["", "complete", "cut", "reset", "hang"] = ""
    instant: bool = False
    stopped: bool = False
    template: bytes = b""
    faults: tuple[str, ...] = ()
    may_end: bool = False
    """Whether one of the faults lets the client end its session."""
    damaged: bool = False
    """Whether a fault left something that is no answer, even when it is whole."""
    hidden: bool = False
    """Whether a fault left nobody to know what it would have said."""
    cut: int | None = None
    """Order of the end that came before all was written."""

    @property
    def fault(self) -> str:
        """Why a rule can't be judged here."""
        return f"the fault {' and '.join(self.faults)}"

    @property
    def broken(self) -> bool:
        """Whether a fault ended it early, and no resume brought the rest."""
        return self.cut is not None and not self.done

    @property
    def done(self) -> bool:
        return self.facts.done_at is not None and self.written >= self.facts.done_at


@dataclass(slots=True, kw_only=True)
class PlayedCall:
    """A call (or a server tool's call) that the client could see, and what came back."""

    at: str
    seen: SeenCall
    request: ConversationRequest
    stream: Stream
    opened: int
    """Order of the write that opened it."""
    closed: int | None = None
    """Order of the write, or of the stream's end, that completed it."""
    cut: int | None = None
    """Order of the end that a fault made before it was complete."""
    excuse: str = ""
    """The fault after which nobody has to return anything, whatever comes of its stream."""
    returns: list[Return] = field(default_factory=list)
    unreadable_after: bool = False
    """A request that can't be read came after it: it may have been the return."""

    @property
    def excused(self) -> str:
        """The fault for which it needs no return; empty when it does."""
        return self.excuse or (self.stream.fault if self.stream.broken else "")


@dataclass(slots=True, kw_only=True)
class Retry:
    """A conversation request that a fault refused, sent again; ``wait`` is what Retry-After said."""

    at: str
    request: ConversationRequest
    fault: str
    wait: float | None
    waited: float


@dataclass(slots=True, kw_only=True)
class Resume:
    """A resume of a stream that a fault ended."""

    at: str
    offset: object
    delivered: int
    """How many events that count were written by then."""
    lossy: bool
    """Whether what was written last may never have arrived."""


@dataclass(slots=True, kw_only=True)
class Deletion:
    """A conversation of which the client was told that it is deleted; the requests to it since then."""

    at: str
    conversation_id: str
    later: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Return(ReturnMessage):
    """A client's return: what it says, and the call that it belongs to."""

    at: str
    order: int
    call: SeenCall
    conversation_id: str
    played: PlayedCall | None = None
    """The call as it was played; None when only the body is judged."""
    request: ConversationRequest | None = None
    expected: object = ABSENT
    """The result object that the tool must give, or ``"echo"``; ABSENT when nothing is said."""
    profile: str = ""
    known_ids: Set[str] = frozenset()
    """Ids of its request's messages that were there before."""
    refused: bool = False
    """Whether it got an error for its answer: then another one may follow."""

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The call's arguments as the judge decodes them; None unless they are to be echoed and readable."""
        if self.expected != "echo":
            return None
        value = strictjson.loads_or(self.call.text, None)
        if not self.call.text.isascii():  # a raw half and an escaped one that meet are one character
            value = strictjson.loads_or(strictjson.dumps(value), None)
        return value if isinstance(value, dict) else None


@dataclass(slots=True, kw_only=True)
class FlowAView:
    """The subjects of a transcript, by scope."""

    bodies: list[JsonBody] = field(default_factory=list)
    requests: list[ConversationRequest] = field(default_factory=list)
    prepares: list[Prepare] = field(default_factory=list)
    declarations: list[Signatures] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    calls: list[PlayedCall] = field(default_factory=list)
    server_calls: list[PlayedCall] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)
    retries: list[Retry] = field(default_factory=list)
    resumes: list[Resume] = field(default_factory=list)
    deletions: list[Deletion] = field(default_factory=list)

    def subjects(self, scope: str) -> Sequence[Subject]:
        """The subjects of a scope. Raises AttributeError for a scope that does not exist."""
        subjects: Sequence[Subject] = getattr(self, scope)
        return subjects
