"""A client of the engine in memory: it sends what it is told, and keeps what it hears."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wiretape.cassette.model import ModelCall, ModelError, ModelText, Step
from wiretape_server.codex.appserver import AppServer
from wiretape_server.codex.home import Home
from wiretape_server.codex.profiles import DEFAULT, PROFILES
from wiretape_server.codex.provider import ProviderRequest, ScriptedModel

ECHO = {
    "name": "demo_echo",
    "description": "Echo text",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}
"""A tool as every version reads it."""

OK = {"contentItems": [{"type": "inputText", "text": "dynamic-ok"}], "success": True}
DONE = Step(items=(ModelText(text="done"),))


def calls(*ids: str, tool: str = "demo_echo", namespace: str | None = None, arguments: str = "{}") -> Step:
    """The model calls a tool, once for each id."""
    made = (ModelCall(id=each, tool=tool, namespace=namespace, arguments=arguments) for each in ids)
    return Step(items=tuple(made))


def error(status: int, body: str = "") -> Step:
    """The model's provider fails."""
    return Step(error=ModelError(status=status, body=body))


@dataclass(slots=True)
class Clock:
    """Gives a time that goes on by a millisecond with each look at it."""

    now: float = 1_796_000_000.0

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


@dataclass(slots=True)
class Minter:
    """Gives bytes that never come twice."""

    count: int = 0

    def __call__(self, length: int) -> bytes:
        self.count += 1
        return self.count.to_bytes(length, "big")


class Timers:
    """Keeps what is to be called later; a test lets the time come."""

    def __init__(self) -> None:
        self.waiting: list[Timer] = []

    def __call__(self, delay: float, function: Callable[[], None]) -> Timer:
        timer = Timer(delay, function, self)
        self.waiting.append(timer)
        return timer

    def ring(self) -> None:
        for timer in list(self.waiting):
            timer.cancel()
            timer.function()


@dataclass(slots=True, eq=False)
class Timer:
    delay: float
    function: Callable[[], None]
    timers: Timers

    def cancel(self) -> None:
        if self in self.timers.waiting:
            self.timers.waiting.remove(self)


class Frames:
    """A recorder that keeps everything."""

    def __init__(self) -> None:
        self.frames: list[tuple[str, bytes, str]] = []

    def frame(self, direction: str, data: bytes, connection: str) -> None:
        self.frames.append((direction, data, connection))


@dataclass
class Model:
    """Plays steps, and keeps what it was asked."""

    script: ScriptedModel
    requests: list[ProviderRequest] = field(default_factory=list)

    def next_step(self, request: ProviderRequest) -> Step:
        self.requests.append(request)
        return self.script.next_step(request)

    def outputs(self) -> list[Any]:
        """What the last request says that calls gave."""
        said = self.requests[-1].body["input"]
        return [item["output"] for item in said if item["type"] == "function_call_output"]


class Bench:
    """A home with its model, and processes on it."""

    def __init__(self, *steps: Step, profile: str = DEFAULT) -> None:
        self.profile = PROFILES[profile]
        self.model = Model(ScriptedModel(steps))
        self.home = Home()
        self.clock, self.timers, self.frames = Clock(), Timers(), Frames()
        self.stderr: list[str] = []
        self._minter = Minter()

    def process(self, *, thinking: float = 0.0) -> AppServer:
        return AppServer(
            profile=self.profile,
            model=self.model,
            home=self.home,
            wall=self.clock,
            mint=self._minter,
            call_later=self.timers,
            recorder=self.frames,
            stderr=self.stderr.append,
            thinking=thinking,
        )

    def client(self, server: AppServer | None = None, *, name: str = "c1", **capabilities: Any) -> Client:
        """An initialized client; with ``server`` one of several at a websocket, else of its own process."""
        transport = "stdio" if server is None else "websocket"
        client = Client(server or self.process(), name, transport)
        client.initialize({"experimentalApi": True, **capabilities})
        return client


class Client:
    """One connection. ``heard`` holds every message of the server's, in order."""

    def __init__(self, server: AppServer, name: str = "c1", transport: Any = "stdio") -> None:
        self.heard: list[dict[str, Any]] = []
        self.connection = server.connect(
            lambda data: self.heard.append(json.loads(data)), name=name, transport=transport
        )
        self._id = 0

    def send(self, message: Any) -> list[dict[str, Any]]:
        """Send a message, or a text as it is; give what is heard because of it."""
        before = len(self.heard)
        data = message if isinstance(message, str) else json.dumps(message)
        self.connection.receive(data.encode())
        return self.heard[before:]

    def request(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request; give its answer, a result or an error."""
        self._id += 1
        heard = self.send({"id": self._id, "method": method, "params": {} if params is None else params})
        return next(each for each in heard if each.get("id") == self._id and "method" not in each)

    def result(self, method: str, params: Any = None) -> Any:
        return self.request(method, params)["result"]

    def refusal(self, method: str, params: Any = None) -> str:
        """The message of a refusal with the usual code."""
        error = self.request(method, params)["error"]
        assert error["code"] == -32600
        return str(error["message"])

    def initialize(self, capabilities: Any = None) -> Any:
        info = {"name": "demo_client", "title": "Demo", "version": "0.0.1"}
        return self.result("initialize", {"clientInfo": info, "capabilities": capabilities})

    def start_thread(self, *tools: Any, **more: Any) -> str:
        given = {"dynamicTools": list(tools) or [ECHO], **more}
        return str(self.result("thread/start", given)["thread"]["id"])

    def start_turn(self, thread: str, text: str = "go") -> str:
        given = {"threadId": thread, "input": [{"type": "text", "text": text}]}
        return str(self.result("turn/start", given)["turn"]["id"])

    def answer(self, request_id: Any, result: Any = OK) -> list[dict[str, Any]]:
        return self.send({"id": request_id, "result": result})

    def asked(self, method: str = "item/tool/call") -> list[dict[str, Any]]:
        """The server's requests of a method."""
        return [each for each in self.heard if each.get("method") == method and "id" in each]

    def told(self, method: str) -> list[Any]:
        """The params of the server's notifications of a method."""
        return [each["params"] for each in self.heard if each.get("method") == method and "id" not in each]

    def methods(self) -> list[str]:
        """What the server said, without its answers."""
        return [each["method"] for each in self.heard if "method" in each]

    def items(self, kind: str = "dynamicToolCall") -> list[Any]:
        """The completed items of a kind."""
        return [told["item"] for told in self.told("item/completed") if told["item"]["type"] == kind]

    def ended(self) -> Any:
        """The turn that ended last."""
        return self.told("turn/completed")[-1]["turn"]


CALL_AND_DONE = (calls("call_1"), DONE)
WITH_CALL = ["userMessage", "dynamicToolCall", "agentMessage"]
WITHOUT_CALL = ["userMessage", "agentMessage"]
"""The items of a turn that has a call, in histories with and without calls."""


def played(bench: Bench, **start: Any) -> tuple[Client, str]:
    """A client, and its thread after one turn with a call."""
    client = bench.client()
    thread = client.start_thread(**start)
    client.start_turn(thread)
    client.answer(0)
    return client, thread


def read(client: Client, thread: str) -> list[Any]:
    """The thread's turns."""
    shown = client.result("thread/read", {"threadId": thread, "includeTurns": True})
    return list(shown["thread"]["turns"])


def kinds(turn: Any) -> list[str]:
    return [item["type"] for item in turn["items"]]
