"""The conversation as a state table that knows no role: a fake server, a client and a judge all step it.

    conversation = Conversation("c1")
    conversation.turn_requested()       # a user message was sent
    conversation.call_opened(call)      # a message to local.<tool> appeared in the stream
    conversation.call_closed(call.id)   # … and is no longer in progress
    conversation.stream_ended()         # now a return is due
    conversation.returned(call.id)

Every step is possible in every state, since a test backend has to go on where a client does wrong; a step
that the protocol does not have comes back as False and changes nothing but what it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.messages import member, sent_messages


class State(Enum):
    """Where a conversation stands."""

    IDLE = "idle"
    STREAMING = "streaming"
    CALL_OPEN = "call open"
    """A call is in the stream and still growing."""
    CALL_COMPLETE = "call complete"
    """The call is whole; the stream still runs."""
    RETURN_DUE = "return due"


class Step(Enum):
    """What happened."""

    TURN_REQUESTED = "turn requested"
    CALL_OPENED = "call opened"
    CALL_CLOSED = "call closed"
    STREAM_ENDED = "stream ended"
    RETURNED = "returned"
    STOPPED = "stopped"


_S, _E = State, Step

TRANSITIONS: Final[Mapping[tuple[State, Step], State]] = {
    (_S.IDLE, _E.TURN_REQUESTED): _S.STREAMING,
    (_S.RETURN_DUE, _E.TURN_REQUESTED): _S.STREAMING,  # the user went on; the call stays unanswered
    (_S.STREAMING, _E.CALL_OPENED): _S.CALL_OPEN,
    (_S.CALL_OPEN, _E.CALL_OPENED): _S.CALL_OPEN,
    (_S.CALL_COMPLETE, _E.CALL_OPENED): _S.CALL_OPEN,
    (_S.CALL_OPEN, _E.CALL_CLOSED): _S.CALL_COMPLETE,
    (_S.STREAMING, _E.STREAM_ENDED): _S.IDLE,
    (_S.CALL_OPEN, _E.STREAM_ENDED): _S.RETURN_DUE,  # a stream's end completes its call
    (_S.CALL_COMPLETE, _E.STREAM_ENDED): _S.RETURN_DUE,
    (_S.CALL_COMPLETE, _E.RETURNED): _S.STREAMING,  # a client need not read to the end
    (_S.RETURN_DUE, _E.RETURNED): _S.STREAMING,
    **{(state, _E.STOPPED): _S.IDLE for state in State},
}
"""What is not here, the protocol does not have."""


class Conversation:
    """One conversation: its state, and the calls in it by message id."""

    __slots__ = ("answered", "id", "pending", "server_calls", "state")

    def __init__(self, conversation_id: str) -> None:
        self.id = conversation_id
        self.state = State.IDLE
        self.pending: dict[str, SeenCall] = {}
        self.answered: dict[str, SeenCall] = {}
        self.server_calls: dict[str, SeenCall] = {}

    def step(self, event: Step) -> bool:
        """Go to the next state; False, and no change, when the protocol has no such step."""
        after = TRANSITIONS.get((self.state, event))
        if after is not None:
            self.state = after
        return after is not None

    def turn_requested(self) -> bool:
        """A user message was sent."""
        return self.step(Step.TURN_REQUESTED)

    def call_opened(self, call: SeenCall) -> bool:
        """A message to a client's tool appeared. One that is seen again (history) opens nothing."""
        if call.id in self.pending or call.id in self.answered:
            return False
        self.pending[call.id] = call
        return self.step(Step.CALL_OPENED)

    def call_closed(self, call_id: str) -> bool:
        """The call's message is no longer in progress."""
        return call_id in self.pending and self.step(Step.CALL_CLOSED)

    def server_call_seen(self, call: SeenCall) -> None:
        """A message to a tool of the server's appeared: nobody is asked for anything."""
        self.server_calls[call.id] = call

    def stream_ended(self) -> bool:
        """The answer's last byte was written."""
        return self.step(Step.STREAM_ENDED)

    def returned(self, call_id: str) -> bool:
        """A return to this call came. False when it is not due: no such call, answered, or still growing."""
        call = self.pending.pop(call_id, None)
        if call is None:
            return False
        self.answered[call_id] = call
        due = self.step(Step.RETURNED)
        if not due:
            self.state = State.STREAMING  # too early, but the backend goes on
        return due

    def refused(self, call_id: str) -> None:
        """The return to this call got an error for its answer: the call waits for another one."""
        call = self.answered.pop(call_id, None)
        if call is not None:
            self.pending[call_id] = call
            self.state = State.RETURN_DUE

    def stopped(self) -> bool:
        """The user stopped the turn: nothing that is open will be answered."""
        self.pending.clear()
        return self.step(Step.STOPPED)


MatchKind: TypeAlias = Literal["call", "answered", "server_tool", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a return belongs to: a pending call, one that was answered, a server's tool, or nothing."""

    kind: MatchKind
    conversation: Conversation | None = None
    call: SeenCall | None = None


def return_candidates(own: Conversation | None, calling: Iterable[Conversation]) -> list[Conversation]:
    """The conversations that a request can be a return in: its own, and those that have had a call."""
    others = [each for each in calling if each is not own]
    return others if own is None else [own, *others]


def match_return(body: Mapping[str, Any], conversations: Iterable[Conversation]) -> Match | None:
    """Find what a conversation request returns to; None when it is no return but a user's turn.

    Matching is lenient: the parent, the call id in the text, the conversation, or there being only one
    pending call are each enough. Whether they are right is the verdict's business.
    """
    known = list(conversations)
    own = [each for each in known if each.id == body.get("conversation_id")]
    by_id = _match_by_id(body, own) or _match_by_id(body, [each for each in known if each not in own])
    if by_id is not None:
        return by_id
    roles = [member(message, "author", "role") for message in sent_messages(body)]
    after_a_call = any(each.pending or each.answered or each.server_calls for each in own)
    if "tool" in roles or (after_a_call and not _is_users_turn(roles)):
        return _match_by_elimination(own or known)
    return None


def _is_users_turn(roles: list[Any]) -> bool:
    """Whether these are the roles of a user's message and of what may be told beside it."""
    return "user" in roles and all(role in ("user", "system", "developer") for role in roles)


def _match_by_id(body: Mapping[str, Any], conversations: list[Conversation]) -> Match | None:
    parent = body.get("parent_message_id")
    texts = [_content_text(message) for message in sent_messages(body)]
    for conversation in conversations:
        for kind, calls in _calls(conversation):
            for call_id, call in calls.items():
                if parent == call_id or any(call_id in text for text in texts):
                    return Match(kind=kind, conversation=conversation, call=call)
    return None


def _match_by_elimination(conversations: list[Conversation]) -> Match:
    """The only pending call, else the latest that a return could be meant for."""
    pending = [(each, call) for each in conversations for call in each.pending.values()]
    if len(pending) == 1:
        return Match(kind="call", conversation=pending[0][0], call=pending[0][1])
    for conversation in () if pending else reversed(conversations):
        for kind, calls in _calls(conversation):
            if calls:
                return Match(kind=kind, conversation=conversation, call=list(calls.values())[-1])
    return Match(kind="nothing", conversation=conversations[0] if len(conversations) == 1 else None)


def _calls(conversation: Conversation) -> tuple[tuple[MatchKind, dict[str, SeenCall]], ...]:
    """Likeliest first."""
    return (
        ("call", conversation.pending),
        ("answered", conversation.answered),
        ("server_tool", conversation.server_calls),
    )


def _content_text(message: object) -> str:
    """All text of a message in which a call id may stand."""
    text, parts = member(message, "content", "text"), member(message, "content", "parts")
    pieces = [text, *(parts if isinstance(parts, list) else [])]
    return "\n".join(piece for piece in pieces if isinstance(piece, str))
