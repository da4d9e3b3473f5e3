"""A state machine that plays clients to a backend of Flow A."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from wiretape import strictjson
from wiretape.contract import Report
from wiretape.flow_a.facts import SeenCall, read_stream
from wiretape.scenario.said import BEGAN, from_client, request_body
from wiretape.testing.messages import declarations
from wiretape.testing.session_machine import SessionMachine, step
from wiretape.testing.session_notes import Exchanges
from wiretape.testing.values import texts

_TEXTS: Final = texts()
_TOOLS: Final = st.lists(declarations(), max_size=3, unique_by=lambda tool: str(tool["name"]))
_ID: Final = "{:08x}-0000-4000-8000-000000000000"


class FlowAServer(Protocol):
    """A backend, without its sockets."""

    def answer(self, body: bytes) -> bytes:
        """The body of a conversation request: the whole event stream that answers it."""


@dataclass(slots=True)
class _Conversation:
    tools: list[dict[str, Any]]
    id: str = ""
    """Empty until the server has given one."""
    calls: list[SeenCall] = field(default_factory=list)
    """Those that wait for their return."""


class FlowAServerMachine(SessionMachine):
    """Plays conforming clients to a backend: conversations with drawn tools, turns and returns in any order.

    Derive from it, let ``make_server`` give a backend, and run ``YourMachine.TestCase``. Each answer must
    decode, end, be of one conversation, bring messages with ids of their own, and call only tools that are
    declared, with arguments that fit; at the end ``judge`` looks at the verdict.
    """

    def __init__(self) -> None:
        super().__init__()
        self.server = self.make_server()
        self.exchanges = Exchanges(self.results)
        self.conversations: list[_Conversation] = []
        self._said = 0
        self._known: set[str] = set()

    def make_server(self) -> FlowAServer:
        """A new backend, which knows of no conversation yet."""
        raise NotImplementedError("let make_server give the backend that is to be tested")

    @initialize(text=_TEXTS, tools=_TOOLS)
    @step
    def the_first_user_begins(self, text: str, tools: list[dict[str, Any]]) -> None:
        self.a_user_begins(text, tools)

    @rule(text=_TEXTS, tools=_TOOLS)
    @step
    def a_user_begins(self, text: str, tools: list[dict[str, Any]]) -> None:
        self.conversations.append(_Conversation(tools))
        self._ask(self.conversations[-1], text)

    @precondition(lambda self: self._idle())
    @rule(data=st.data(), text=_TEXTS)
    @step
    def a_user_goes_on(self, data: st.DataObject, text: str) -> None:
        self._ask(data.draw(st.sampled_from(self._idle())), text)

    @precondition(lambda self: self._called())
    @rule(data=st.data(), text=_TEXTS)
    @step
    def a_tool_returns(self, data: st.DataObject, text: str) -> None:
        self._return(data.draw(st.sampled_from(self._called())), text)

    def conclude(self) -> Report:
        while called := self._called():
            self._return(called[0], "")
        return self.exchanges.report()

    def _idle(self) -> list[_Conversation]:
        return [each for each in self.conversations if not each.calls]

    def _called(self) -> list[_Conversation]:
        return [each for each in self.conversations if each.calls]

    def _new_id(self) -> str:
        self._said += 1
        return _ID.format(0xA00 + self._said)

    def _ask(self, conversation: _Conversation, text: str) -> None:
        content = {"content_type": "text", "parts": [text]}
        ids = {"conversation_id": conversation.id} if conversation.id else {}
        self._send(conversation, self._message("user", None, content), ids)

    def _return(self, conversation: _Conversation, text: str) -> None:
        call = conversation.calls.pop(0)
        handed_off = {"accepted": True, "thread_id": text}
        result = handed_off if call.tool == "handoff" else {"message": text}
        said = strictjson.dumps({"call_id": call.id, "result": result, "tool": call.tool})
        content = {"content_type": "code", "text": said}
        message = self._message("tool", call.tool, content, channel="commentary")
        self._send(conversation, message, {"conversation_id": conversation.id, "parent_message_id": call.id})

    def _message(
        self, role: str, name: str | None, content: Mapping[str, Any], **more: Any
    ) -> dict[str, Any]:
        return from_client(role, name, content, id=self._new_id(), create_time=BEGAN, **more)

    def _send(self, conversation: _Conversation, message: dict[str, Any], ids: Mapping[str, str]) -> None:
        data = request_body(message, conversation.tools, **ids)
        number = self.exchanges.requested(data)
        stream = self.server.answer(data)
        self.exchanges.answered(number, stream)
        self._take(conversation, stream)

    def _take(self, conversation: _Conversation, stream: bytes) -> None:
        """Look at an answer, and remember what it calls."""
        facts = read_stream(stream)
        assert not facts.errors, f"an answer that does not decode: {facts.errors}"
        assert facts.done_at, "an answer without [DONE]"
        assert facts.conversation_id, "an answer that names no conversation"
        assert conversation.id in ("", facts.conversation_id), "an answer of another conversation"
        again = self._known & {*facts.message_ids}
        assert not again, f"ids that other messages have: {sorted(again)}"
        conversation.id = facts.conversation_id
        self._known |= {*facts.message_ids}
        for call in facts.calls:
            _demand_fitting(call, conversation.tools)
        conversation.calls += facts.calls


def _demand_fitting(call: SeenCall, tools: list[dict[str, Any]]) -> None:
    """See to it that a call is one of a declared tool, with what that needs and nothing else."""
    tool = next((each for each in tools if each["name"] == call.tool), None)
    assert tool is not None, f"a call of {call.tool}, which is not declared"
    given = strictjson.loads(call.text)
    assert isinstance(given, dict), f"a call of {call.tool} whose arguments are no object: {call.text}"
    known = {param["name"] for param in tool["params"]}
    needed = {param["name"] for param in tool["params"] if param["required"]}
    assert needed <= given.keys() <= known, f"a call of {call.tool} with other arguments: {call.text}"
