"""Writes Codex transcripts by hand, so that a test can say what was on the wire in a few lines."""

from __future__ import annotations

import json
from typing import Any

from wiretape.contract import Finding, Report
from wiretape.transcript import Frame, Link, Request, Side, Struck, Transcript, Transport
from wiretape.verdict import verify

THREAD = "01a22d19-74a1-7492-85cd-ddf786c1dc7c"
TURN = "01a22d19-74bb-73c0-95cc-cefcbe097c91"
CLIENT_INFO = {"name": "demo_client", "title": "Demo", "version": "0.0.1"}
ECHO = {"type": "function", "name": "demo_echo", "description": "Echo", "inputSchema": {"type": "object"}}
OMIT: Any = object()
"""As the value of a member: leave it out."""


def text_result(text: str = "hi", success: object = True) -> dict[str, Any]:
    return {"contentItems": [{"type": "inputText", "text": text}], "success": success}


class Wire:
    """A transcript under construction; every method adds what it says, in order."""

    def __init__(self, *, version: str = "0.171.0", live: bool = True, **about: Any) -> None:
        self.transcript = Transcript(protocol="codex", live=live, **about)
        self.version = version
        self.connection = "c1"
        self.request_ids = 0
        self.at = 0.0
        """When what comes next happens."""

    def frame(self, direction: Side, message: object, *, binary: bool = False) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        entry = Frame(direction=direction, data=data, connection=self.connection, at=self.at, binary=binary)
        self.transcript.entries.append(entry)

    def client(self, message: object) -> None:
        self.frame("client", message)

    def server(self, message: object) -> None:
        self.frame("server", message)

    def opened(self, connection: str = "c1", transport: Transport = "stdio") -> None:
        """Begin a connection; what follows is said on it."""
        self.connection = connection
        link = Link(connection=connection, what="opened", transport=transport, at=0.0)
        self.transcript.entries.append(link)

    def closed(self, by: Side = "client", transport: Transport = "stdio", detail: str = "") -> None:
        link = Link(
            connection=self.connection, what="closed", transport=transport, detail=detail, by=by, at=self.at
        )
        self.transcript.entries.append(link)

    def told(self, *given: Any, thread: str = "t", path: str = "/v1/responses") -> None:
        """A real app-server asks its model's provider, with these items as its input."""
        body = json.dumps({"prompt_cache_key": thread, "input": given}).encode()
        number = len(self.transcript.entries) + 1
        self.transcript.entries.append(
            Request(number=number, method="POST", path=path, headers=(), body=body, at=self.at)
        )

    def struck(self, fault: str, at: float = 0.0) -> None:
        """A fault strikes the connection."""
        self.transcript.entries.append(Struck(connection=self.connection, fault=fault, at=at))

    def request(self, method: str, params: object = OMIT) -> int:
        self.request_ids += 1
        message: dict[str, Any] = {"id": self.request_ids, "method": method}
        self.client(message if params is OMIT else message | {"params": params})
        return self.request_ids

    def accept(self, request_id: object, result: object = OMIT) -> None:
        self.server({"id": request_id, "result": {} if result is OMIT else result})

    def refuse(self, request_id: object, message: str = "no") -> None:
        self.server({"error": {"code": -32600, "message": message}, "id": request_id})

    def notify(self, method: str, **params: Any) -> None:
        self.server({"method": method, "params": params})

    def initialize(self, *, capabilities: object = None, initialized: bool = True) -> None:
        """A whole handshake, with the experimental API unless other capabilities are given."""
        wanted = {"experimentalApi": True} if capabilities is None else capabilities
        params = {"clientInfo": CLIENT_INFO} | ({} if wanted is OMIT else {"capabilities": wanted})
        self.accept(self.request("initialize", params), {"userAgent": f"demo_client/{self.version} (x)"})
        if initialized:
            self.client({"method": "initialized"})

    def thread(self, tools: object = OMIT, **params: Any) -> None:
        declared = [ECHO] if tools is OMIT else tools
        request = self.request("thread/start", {"dynamicTools": declared} | params)
        self.accept(request, {"thread": {"id": THREAD}})

    def turn(self, turn: str = TURN) -> None:
        request = self.request("turn/start", {"threadId": THREAD, "input": [{"type": "text", "text": "go"}]})
        self.accept(request, {"turn": {"id": turn}})
        self.notify("turn/started", threadId=THREAD, turn={"id": turn})

    def call(
        self, request_id: object = 0, *, call_id: str = "call_1", turn: str = TURN, **params: Any
    ) -> None:
        asked = {"threadId": THREAD, "turnId": turn, "callId": call_id, "tool": "demo_echo"}
        asked |= {"arguments": {"text": "hi"}} | params
        self.server({"method": "item/tool/call", "id": request_id, "params": asked})

    def answer(self, result: object = OMIT, request_id: object = 0) -> None:
        self.client({"id": request_id, "result": text_result() if result is OMIT else result})

    def fail(self, error: object, request_id: object = 0) -> None:
        self.client({"id": request_id, "error": error})

    def item_completed(self, call_id: str = "call_1", turn: str = TURN) -> None:
        item = {"type": "dynamicToolCall", "id": call_id}
        self.notify("item/completed", threadId=THREAD, turnId=turn, item=item)

    def turn_completed(self, turn: str = TURN) -> None:
        self.notify("turn/completed", threadId=THREAD, turn={"id": turn, "status": "completed"})

    def interrupt(self) -> int:
        return self.request("turn/interrupt", {"threadId": THREAD, "turnId": TURN})

    def ask_for_tokens(self, request_id: object = 0) -> None:
        params = {"reason": "unauthorized", "previousAccountId": "org-abc"}
        self.server({"method": "account/chatgptAuthTokens/refresh", "id": request_id, "params": params})

    def report(self) -> Report:
        return verify(self.transcript)

    def failed(self) -> dict[str, Finding]:
        """The failed findings by the short name of their rule."""
        return {f.rule.removeprefix("codex."): f for f in self.report().findings if f.failed}

    def observed(self, prefix: str) -> dict[str, str]:
        """The rules of a family that were observed, by short name, each with its outcome."""
        found = (f for f in self.report().findings if f.rule.startswith(f"codex.{prefix}."))
        return {
            f.rule.removeprefix(f"codex.{prefix}."): f.outcome for f in found if f.outcome != "not_observed"
        }

    def outcome(self, rule: str) -> Finding:
        """The one finding of a rule."""
        (finding,) = (f for f in self.report().findings if f.rule == f"codex.{rule}")
        return finding


def started(**about: Any) -> Wire:
    """A connection on which a turn runs."""
    wire = Wire(**about)
    wire.opened()
    wire.initialize()
    wire.thread()
    wire.turn()
    return wire


def called(**about: Any) -> Wire:
    """A session in which a tool call is open."""
    wire = started(**about)
    wire.call()
    return wire


def answered(result: object = OMIT, **about: Any) -> Wire:
    """A whole session with this answer to its one call."""
    wire = called(**about)
    wire.answer(result)
    return ended(wire)


def ended(wire: Wire) -> Wire:
    """Let the call's item and the turn complete, and the client leave."""
    wire.item_completed()
    wire.turn_completed()
    wire.closed()
    return wire
