"""A state machine that plays a client to an app-server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from wiretape import jsonrpc, strictjson
from wiretape.codex.messages import TOOL_CALL, fields
from wiretape.contract import Report
from wiretape.jsonrpc import Answer, Call, Failure, Id, Notice
from wiretape.testing.codex import Members, codex_answers
from wiretape.testing.session_machine import SessionMachine, step
from wiretape.testing.session_notes import Frames
from wiretape.testing.values import texts

_TEXTS: Final = texts()
_SCHEMA: Final = {"type": "object", "properties": {"text": {"type": "string"}}}
_TOOLS: Final = st.lists(st.sampled_from(["note", "look-up", "SUM_2"]), max_size=3, unique=True)
_QUESTIONS: Final = st.sampled_from(["model/list", "thread/loaded/list", "no/such/method"])
_ME: Final = {"name": "machine", "title": "A machine", "version": "1.0.0"}


class CodexServer(Protocol):
    """An app-server process, without its pipes."""

    def receive(self, data: bytes) -> Iterable[bytes]:
        """One message of the client's: all that is said from then until the next one comes."""


class CodexServerMachine(SessionMachine):
    """Plays a conforming client to an app-server: turns, answers in any order, interrupts, other requests.

    Derive from it, let ``make_server`` give a process, and run ``YourMachine.TestCase``. Each request must
    be answered once and at once, calls must be of the thread, of its turn and of a declared tool, and a turn
    that was interrupted must end; at the end ``judge`` looks at the verdict.
    """

    def __init__(self) -> None:
        super().__init__()
        self.frames = Frames(self.results)
        self.server = self.make_server()
        self.tools: list[str] = []
        self.thread = ""
        self.turn = ""
        """The turn that runs; empty: none."""
        self.due: dict[Id, str] = {}
        """The server's calls without an answer: id of the request to id of the call."""
        self._requests = 0
        self._answers: dict[Id, Answer | Failure] = {}
        self._answered: Counter[Id] = Counter()

    def make_server(self) -> CodexServer:
        """A new process, which nobody has said anything to."""
        raise NotImplementedError("let make_server give the app-server that is to be tested")

    @initialize(tools=_TOOLS)
    @step
    def a_thread_begins(self, tools: list[str]) -> None:
        self.tools = tools
        self.frames.link("opened")
        self._result("initialize", {"clientInfo": _ME, "capabilities": {"experimentalApi": True}})
        self._say({"method": "initialized"})
        declared = [
            {"type": "function", "name": name, "description": "", "inputSchema": _SCHEMA} for name in tools
        ]
        started = self._result("thread/start", {"dynamicTools": declared})
        self.thread = str(fields(started.get("thread")).get("id"))

    @precondition(lambda self: not self.turn)
    @rule(text=_TEXTS)
    @step
    def a_user_asks(self, text: str) -> None:
        said = [{"type": "text", "text": text}]
        self._result("turn/start", {"threadId": self.thread, "input": said})

    @precondition(lambda self: self.due)
    @rule(data=st.data(), members=codex_answers())
    @step
    def a_tool_answers(self, data: st.DataObject, members: Members) -> None:
        number = data.draw(st.sampled_from(sorted(self.due, key=str)))
        del self.due[number]
        self._say({"id": number, **members})

    @precondition(lambda self: self.turn)
    @rule()
    @step
    def the_user_interrupts(self) -> None:
        turn = {"threadId": self.thread, "turnId": self.turn}
        self.due.clear()
        self._result("turn/interrupt", turn)
        assert not self.turn, "a turn that was interrupted and goes on"

    @rule(method=_QUESTIONS)
    @step
    def the_client_asks(self, method: str) -> None:
        """Something else, whatever comes of it."""
        self._ask(method, {})

    def conclude(self) -> Report:
        if self.turn:
            self.the_user_interrupts()
        self.frames.link("closed")
        return self.frames.report()

    def _result(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request that must succeed; its result."""
        answer = self._ask(method, params)
        assert isinstance(answer, Answer), f"{method}: {answer}"
        return fields(answer.result)

    def _ask(self, method: str, params: Mapping[str, Any]) -> Answer | Failure:
        self._requests += 1
        number = self._requests
        self._say({"id": number, "method": method, "params": params})
        assert self._answered[number] == 1, f"{method}: answered {self._answered[number]} times"
        return self._answers.pop(number)

    def _say(self, message: Mapping[str, Any]) -> None:
        data = strictjson.dumps(message).encode()
        self.frames.said("client", data)
        for heard in self.server.receive(data):
            self.frames.said("server", heard)
            self._take(jsonrpc.read(heard))

    def _take(self, message: jsonrpc.Message) -> None:
        assert not isinstance(message, jsonrpc.Unreadable), f"a message that is none: {message}"
        if isinstance(message, (Answer, Failure)):
            self._answers[message.id] = message
            self._answered[message.id] += 1
        elif isinstance(message, Notice):
            self._told(message.method, fields(message.params))
        elif message.method == TOOL_CALL:
            self._called(message)
        else:
            refusal = {"code": -32601, "message": f"no handler for {message.method}"}
            self._say({"id": message.id, "error": refusal})

    def _told(self, method: str, params: dict[str, Any]) -> None:
        if method == "turn/started":
            self.turn = str(fields(params.get("turn")).get("id"))
        elif method == "turn/completed":
            self.turn = ""

    def _called(self, call: Call) -> None:
        params = fields(call.params)
        assert call.id not in self.due, f"a second request with the id {call.id!r}"
        assert params.get("threadId") == self.thread, f"a call of thread {params.get('threadId')!r}"
        assert params.get("turnId") == self.turn, f"a call of turn {params.get('turnId')!r}"
        assert params.get("tool") in self.tools, f"a call of {params.get('tool')!r}, which is not declared"
        self.due[call.id] = str(params.get("callId"))
