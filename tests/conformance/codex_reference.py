"""The reference client of the Codex app-server: conforms to every rule, and can be broken in one place.

Everything it sends passes through one of its Hooks. The defaults make a client that no rule complains of; a
hook that is replaced makes a client that is wrong in one point only (see codex_broken.py). It is synchronous
and knows no transport: a Wire carries its messages.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Message: TypeAlias = dict[str, Any]
CALL = "item/tool/call"
REFRESH = "account/chatgptAuthTokens/refresh"
ENDS_WITHIN = 20.0
"""Seconds that an app-server may take to end when its stdin is closed."""
VARIABLES = (
    "WIRETAPE_CODEX_BIN",
    "WIRETAPE_TOOLS",
    "WIRETAPE_TOOL_RESULTS",
    "WIRETAPE_CLIENT_STEPS",
)


class ClientError(Exception):
    """The session can't go on; the text says why."""


class LeftError(Exception):
    """The client hangs up, whatever is still to come."""


class Wire(Protocol):
    """One connection to an app-server. ``receive`` raises ClientError when nothing more can come."""

    def send(self, data: bytes) -> None: ...
    def receive(self) -> bytes: ...
    def wait(self, seconds: float) -> None: ...
    def close(self) -> None: ...


Edit: TypeAlias = Callable[[Message], object]
"""Changes a JSON object in place; what it gives back does not matter."""
Reply: TypeAlias = Callable[["CodexClient", Message, Message], object]
"""Does something about a request of the server's, for which the right answer is given too."""


def unchanged(_message: Message) -> None:
    """The edit of the conforming client."""


def answer(client: CodexClient, _request: Message, right: Message) -> None:
    """The reply of the conforming client."""
    client.send(right)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Every point in which a client can be wrong. The defaults are right."""

    opens: Callable[[CodexClient], object] = lambda client: client.initialize()
    initialize: Edit = unchanged
    """The params of initialize."""
    initialized: Callable[[CodexClient], object] = lambda client: client.send({"method": "initialized"})
    starts: Callable[[CodexClient], str] = lambda client: client.start_thread()
    thread_start: Edit = unchanged
    """The params of thread/start."""
    call: Reply = answer
    refresh: Reply = answer
    notified: Callable[[CodexClient, Message], object] = lambda client, notice: client.note(notice)
    """What is done about a notification."""
    garbled: Callable[[CodexClient], object] = lambda _client: None
    """What is done about a line that is no JSON."""


CONFORMING = Hooks()


@dataclass(slots=True, kw_only=True)
class CodexClient:
    """A client for one session: ``run()`` plays its steps."""

    connect: Callable[[], Wire]
    steps: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    results: Mapping[str, Any]
    hooks: Hooks = CONFORMING
    thread_id: str = ""
    refreshed: Message = field(default_factory=dict)
    interrupting: bool = False
    asking: bool = False
    """It waits for an answer."""
    wire: Wire = field(init=False)
    ids: Iterator[int] = field(init=False)
    answers: dict[int, Message] = field(init=False)
    """What the server answered, by the id of our request."""
    over: set[str] = field(init=False)
    """The ids of turns that are completed in this process; up to 0.98 another process uses them again."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], hooks: Hooks = CONFORMING) -> CodexClient:
        """Take everything from what ``wiretape check`` sets; a missing variable is a ClientError."""
        missing = [name for name in VARIABLES if name not in environment]
        if missing:
            raise ClientError(f"{', '.join(missing)} not set: run this under `wiretape check -- COMMAND`")
        command = [environment["WIRETAPE_CODEX_BIN"], "app-server"]
        return cls(
            connect=lambda: StdioWire(command),
            steps=json.loads(environment["WIRETAPE_CLIENT_STEPS"]),
            tools=json.loads(environment["WIRETAPE_TOOLS"]),
            results=json.loads(environment["WIRETAPE_TOOL_RESULTS"]),
            hooks=hooks,
        )

    def run(self) -> None:
        self.open()
        try:
            for step in self.steps:
                [(what, value)] = step.items()
                self.play(what, value)
        except LeftError:
            return
        finally:
            self.wire.close()

    def play(self, what: str, value: Any) -> None:
        if what == "login":
            self.result("account/login/start", value["start"])
            self.refreshed = value["refresh"]
        elif what == "resume":
            self.wire.close()
            self.open()
            self.result("thread/resume", {"threadId": self.thread_id})
        else:
            self.interrupting = what == "interrupt"
            self.turn(value)

    def open(self) -> None:
        self.wire = self.connect()
        self.ids = itertools.count(1)
        self.answers, self.over = {}, set()
        try:
            self.hooks.opens(self)
            self.hooks.initialized(self)
        except ClientError:
            self.wire.close()
            raise

    def initialize(self) -> None:
        """Ask to be let in. Raises ClientError."""
        self.result("initialize", self.introduction())

    def introduction(self) -> Message:
        """The params of initialize."""
        me = {"name": "reference_client", "title": "Reference", "version": "1.0.0"}
        params: Message = {"clientInfo": me, "capabilities": {"experimentalApi": True}}
        self.hooks.initialize(params)
        return params

    def start_thread(self) -> str:
        params: Message = {"dynamicTools": deepcopy(list(self.tools))}
        self.hooks.thread_start(params)
        return str(self.result("thread/start", params)["thread"]["id"])

    def turn(self, text: str) -> None:
        """Send a user's message and read until its turn is over."""
        self.thread_id = self.thread_id or self.hooks.starts(self)
        said = [{"type": "text", "text": text}]
        turn = self.result("turn/start", {"threadId": self.thread_id, "input": said})["turn"]
        self.read_to_end(turn["id"])

    def read_to_end(self, turn_id: str) -> None:
        while turn_id not in self.over:
            self.take()

    def interrupt(self, call: Message) -> None:
        """Interrupt the turn that a call belongs to."""
        turn = {key: call["params"][key] for key in ("threadId", "turnId")}
        self.send({"id": next(self.ids), "method": "turn/interrupt", "params": turn})

    def leave(self) -> None:
        """Hang up at once."""
        raise LeftError

    # --- messages -------------------------------------------------------------------------------------------

    def ask(self, method: str, params: Message) -> Message:
        """Send a request; gives its answer, a result or an error."""
        number = next(self.ids)
        self.send({"id": number, "method": method, "params": params})
        self.asking = True
        while number not in self.answers:
            self.take()
        self.asking = False
        return self.answers.pop(number)

    def result(self, method: str, params: Message) -> Any:
        """Send a request that has to succeed. Raises ClientError."""
        answered = self.ask(method, params)
        if "result" not in answered:
            raise ClientError(f"{method} -> {answered.get('error')}")
        return answered["result"]

    def send(self, message: object) -> None:
        self.wire.send(json.dumps(message).encode())

    def take(self) -> None:
        """Take one message of the server's, and do what is to be done about it."""
        try:
            message = json.loads(self.wire.receive())
        except json.JSONDecodeError:
            self.hooks.garbled(self)
            return
        if "method" not in message:
            self.answers[message["id"]] = message
        elif "id" in message:
            self.reply(message)
        else:
            self.hooks.notified(self, message)

    def note(self, notice: Message) -> None:
        """Note that a turn is over."""
        if notice["method"] == "turn/completed":
            self.over.add(notice["params"]["turn"]["id"])

    def reply(self, request: Message) -> None:
        right = {"id": request["id"], "result": self.refreshed}
        if request["method"] == REFRESH:
            self.hooks.refresh(self, request, right)
        elif request["method"] != CALL:
            raise ClientError(f"the server asks for {request['method']}, which no cassette holds")
        elif self.interrupting:
            self.interrupt(request)
        else:
            self.hooks.call(self, request, right | {"result": self.tool_result(request["params"])})

    def tool_result(self, call: Mapping[str, Any]) -> Message:
        """The whole answer that a tool has to give."""
        text = call["arguments"].get("text", "")
        echo = {"contentItems": [{"type": "inputText", "text": text}], "success": True}
        return deepcopy(self.results.get(call["tool"], echo))


class StdioWire:
    """An app-server as a process of its own."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(data + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise ClientError(f"the app-server reads no more: {error.strerror}") from None

    def receive(self) -> bytes:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.close()
            raise ClientError(f"the app-server ended with exit code {self.process.returncode}")
        return line.removesuffix(b"\n")

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def close(self) -> None:
        """End the process, which may have ended before."""
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self.process.wait(ENDS_WITHIN)
