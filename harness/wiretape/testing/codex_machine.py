"""A state machine that plays the app-server to a client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from wiretape import jsonrpc, strictjson
from wiretape.codex.messages import TOOL_CALL, fields
from wiretape.contract import Report
from wiretape.jsonrpc import Answer, Call, Failure
from wiretape.scenario.codex import declared_tools
from wiretape.scenario.draw import Draw
from wiretape.scenario.plan import Tool, plan
from wiretape.testing.session_machine import SessionMachine, step
from wiretape.testing.session_notes import Frames
from wiretape.testing.values import texts

_TEXTS: Final = texts()
_SEEDS: Final = st.integers(0, 99)
_THREAD: Final = "01a22d19-74a1-7492-85cd-ddf786c1dc7c"
_INTERRUPT: Final = "turn/interrupt"


class CodexClient(Protocol):
    """A client of an app-server, without its pipes: what it says is the messages, one bytes object each."""

    def open(self) -> Iterable[bytes]:
        """What it says first."""

    def turn(self, text: str) -> Iterable[bytes]:
        """The user says something; no turn runs."""

    def receive(self, data: bytes) -> Iterable[bytes]:
        """One message of the server's: what it says to that."""


class CodexClientMachine(SessionMachine):
    """Plays the app-server to a client: calls, texts and strange notifications in any order.

    Derive from it, let ``make_client`` give a client that initializes, starts a thread with its tools and
    answers calls, and run ``YourMachine.TestCase``. What a client says later, not at once when it gets a
    message, rules of your own hand to ``hear``. At the end ``judge`` looks at the verdict.
    """

    version: ClassVar[str] = "0.171.0"

    def __init__(self) -> None:
        super().__init__()
        self.frames = Frames(self.results)
        self.client = self.make_client()
        self.tools: list[Tool] = []
        """What the client declared and can be called."""
        self.turns = 0
        self.running = False
        self.due: dict[int, str] = {}
        """Calls without an answer: the id of the request to the id of the call."""
        self._asked = 0

    def make_client(self) -> CodexClient:
        """A new client, which has not said anything."""
        raise NotImplementedError("let make_client give the client that is to be tested")

    @initialize()
    @step
    def the_client_connects(self) -> None:
        self.frames.link("opened")
        self.hear(self.client.open())

    @precondition(lambda self: not self.running)
    @rule(text=_TEXTS)
    @step
    def a_user_asks(self, text: str) -> None:
        self.turns += 1
        self.hear(self.client.turn(text))
        assert self.running, "a user's turn without turn/start"

    @precondition(lambda self: self.running and self.tools)
    @rule(data=st.data(), seed=_SEEDS)
    @step
    def the_model_calls(self, data: st.DataObject, seed: int) -> None:
        tool = data.draw(st.sampled_from(self.tools))
        number, call_id = self._asked, f"call-{self._asked}"
        self._asked += 1
        (call,) = plan([tool], Draw(seed, call_id)).calls or plan([tool], Draw(0)).calls
        self.due[number] = call_id
        params = {
            "callId": call_id,
            "namespace": tool.namespace,
            "tool": tool.name,
            "arguments": call.arguments,
        }
        self._say({"method": TOOL_CALL, "id": number, "params": self._here() | params})

    @precondition(lambda self: self.running)
    @rule(text=_TEXTS)
    @step
    def the_model_speaks(self, text: str) -> None:
        for method in ("item/started", "item/completed"):
            item = {"type": "agentMessage", "id": f"msg-{self.turns}", "text": text}
            self._tell(method, item=item)

    @rule(name=_TEXTS)
    @step
    def something_new_is_told(self, name: str) -> None:
        """A notification that the client has never heard of."""
        self._say({"method": f"news/{name}", "params": {"text": name}})

    @precondition(lambda self: self.running and not self.due)
    @rule()
    @step
    def the_turn_ends(self) -> None:
        self._end("completed")

    def conclude(self) -> Report:
        if self.running and not self.due:
            self._end("completed")
        self.frames.link("closed")
        return self.frames.report()

    def hear(self, said: Iterable[bytes]) -> None:
        """Take what the client says, and do what an app-server does about it."""
        for data in said:
            self.frames.said("client", data)
            message = jsonrpc.read(data)
            if isinstance(message, Call):
                self._asked_for(message)
            elif isinstance(message, (Answer, Failure)) and message.id in self.due:
                item = {"type": "dynamicToolCall", "id": self.due.pop(message.id)}
                self._tell("item/completed", item=item)

    def _asked_for(self, call: Call) -> None:
        params = fields(call.params)
        turn = {"id": f"turn-{self.turns}"}
        if call.method == "initialize":
            self._result(call, {"userAgent": f"client/{self.version} (machine)"})
        elif call.method == "thread/start":
            self._declared(params.get("dynamicTools"))
            self._result(call, {"thread": {"id": _THREAD}})
        elif call.method == "turn/start":
            self.running = True
            self._result(call, {"turn": turn})
            self._say({"method": "turn/started", "params": {"threadId": _THREAD, "turn": turn}})
        elif call.method == _INTERRUPT and self.running:
            self.due.clear()
            self._result(call, {})
            self._end("interrupted")
        else:
            self._say({"error": {"code": -32600, "message": f"no {call.method} here"}, "id": call.id})

    def _declared(self, tools: object) -> None:
        """Keep of the declared tools those for which arguments are found."""
        found = declared_tools(tools, namespaces=True)
        self.tools = [each for each in found if plan([each], Draw(0)).calls]

    def _result(self, call: Call, result: Mapping[str, Any]) -> None:
        self._say({"id": call.id, "result": result})

    def _here(self) -> dict[str, Any]:
        return {"threadId": _THREAD, "turnId": f"turn-{self.turns}"}

    def _tell(self, method: str, **params: Any) -> None:
        self._say({"method": method, "params": self._here() | params})

    def _end(self, status: str) -> None:
        self.running = False
        turn = {"id": f"turn-{self.turns}", "status": status}
        self._say({"method": "turn/completed", "params": {"threadId": _THREAD, "turn": turn}})

    def _say(self, message: Mapping[str, Any]) -> None:
        data = strictjson.dumps(message).encode()
        self.frames.said("server", data)
        self.hear(self.client.receive(data))
