"""A turn and its calls as state tables that know no role: a fake server, a client and a judge step them.

    turn = Turn(id="turn", thread_id="thread")
    call = turn.asked(ToolCall(id="call_1", tool="demo_echo"))   # item/tool/call was sent
    call.step(CallStep.ANSWERED)                                  # the client's answer came
    call.step(CallStep.CLOSED)                                    # item/completed
    turn.step(TurnStep.COMPLETED)                                 # turn/completed

Every step is possible in every state, since a test server has to go on where a client does wrong; a step that
the protocol does not have comes back as False and changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final


class CallState(Enum):
    """Where a dynamic tool call stands."""

    ANNOUNCED = "announced"
    """item/started was sent; servers up to 0.98 begin with ASKED."""
    ASKED = "asked"
    ANSWERED = "answered"
    CLOSED = "closed"
    ABANDONED = "abandoned"
    """Closed without an answer: the turn ended."""


class CallStep(Enum):
    """What happened to a call."""

    ASKED = "asked"
    ANSWERED = "answered"
    CLOSED = "closed"


_S, _E = CallState, CallStep

CALL_TRANSITIONS: Final[Mapping[tuple[CallState, CallStep], CallState]] = {
    (_S.ANNOUNCED, _E.ASKED): _S.ASKED,
    (_S.ASKED, _E.ASKED): _S.ASKED,  # again, to a connection that resumed the thread
    (_S.ASKED, _E.ANSWERED): _S.ANSWERED,
    (_S.ANNOUNCED, _E.CLOSED): _S.ABANDONED,
    (_S.ASKED, _E.CLOSED): _S.ABANDONED,
    (_S.ANSWERED, _E.CLOSED): _S.CLOSED,
}
"""What is not here, the protocol does not have: a late answer and a second one change nothing."""


class TurnState(Enum):
    """Where a turn stands."""

    RUNNING = "running"
    STOPPING = "stopping"
    """The client asked to interrupt it."""
    ENDED = "ended"


class TurnStep(Enum):
    """What happened to a turn."""

    INTERRUPT_SENT = "interrupt sent"
    INTERRUPT_REFUSED = "interrupt refused"
    COMPLETED = "completed"


_T, _U = TurnState, TurnStep

TURN_TRANSITIONS: Final[Mapping[tuple[TurnState, TurnStep], TurnState]] = {
    (_T.RUNNING, _U.INTERRUPT_SENT): _T.STOPPING,
    (_T.STOPPING, _U.INTERRUPT_SENT): _T.STOPPING,
    (_T.STOPPING, _U.INTERRUPT_REFUSED): _T.RUNNING,
    (_T.RUNNING, _U.COMPLETED): _T.ENDED,
    (_T.STOPPING, _U.COMPLETED): _T.ENDED,
}


@dataclass(slots=True, kw_only=True)
class ToolCall:
    """One call of a client's tool."""

    id: str
    """``callId``, which is also the id of its item and the model's own."""
    tool: str
    namespace: str | None = None
    arguments: Any = None
    state: CallState = CallState.ANNOUNCED

    def step(self, event: CallStep) -> bool:
        """Go to the next state; False, and no change, when the protocol has no such step."""
        after = CALL_TRANSITIONS.get((self.state, event))
        if after is not None:
            self.state = after
        return after is not None


@dataclass(slots=True, kw_only=True)
class Turn:
    """One turn, and the calls in it by call id."""

    id: str
    thread_id: str
    state: TurnState = TurnState.RUNNING
    interrupted: bool = False
    """The client asked to interrupt it, and was not refused."""
    calls: dict[str, ToolCall] = field(default_factory=dict)

    def step(self, event: TurnStep) -> bool:
        """Go to the next state; the end closes every call. False, and no change, without such a step."""
        after = TURN_TRANSITIONS.get((self.state, event))
        if after is None:
            return False
        self.state = after
        if after is TurnState.ENDED:
            for call in self.calls.values():
                call.step(CallStep.CLOSED)
        else:
            self.interrupted = after is TurnState.STOPPING
        return True

    def asked(self, call: ToolCall) -> ToolCall:
        """The client was asked to run a call: the one of this id that is known already, or this one."""
        known = self.calls.setdefault(call.id, call)
        known.step(CallStep.ASKED)
        return known
