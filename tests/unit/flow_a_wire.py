"""Writes Flow A transcripts by hand, so that a test can say what was on the wire in a few lines."""

from __future__ import annotations

import json
from typing import Any

from wiretape.contract import Finding, Report
from wiretape.sse import ServerSentEvent, encode
from wiretape.transcript import Body, Chunk, End, EndHow, Request, Response, Transcript
from wiretape.verdict import verify

CONVERSATION = "00000000-0000-4000-8000-0000000000a1"
CALL_ID = "b6d6e3a6-af6f-4a78-a649-8e3935182fcc"
API = "/backend-api"


def event(payload: object, name: str = "") -> bytes:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return encode(ServerSentEvent(name or "message", text, ""))


def message(message_id: str, recipient: str = "all", **fields: Any) -> dict[str, Any]:
    return {
        "id": message_id,
        "author": {"role": "assistant", "name": None, "metadata": {}},
        "recipient": recipient,
        "content": {"content_type": "text", "parts": ["hi"]},
        "status": "finished_successfully",
        "end_turn": None,
        "channel": "final",
        **fields,
    }


def call_message(text: str, call_id: str = CALL_ID, recipient: str = "local.alefita_way") -> dict[str, Any]:
    content = {"content_type": "code", "language": "json", "text": text}
    return message(call_id, recipient, content=content, status="in_progress", channel="commentary")


def opening(first: dict[str, Any], conversation: str = CONVERSATION, channel: int = 0) -> bytes:
    delta = {"p": "", "o": "add", "v": {"message": first, "conversation_id": conversation}, "c": channel}
    return event(delta, "delta")


CLOSING = event(
    {"p": "", "o": "patch", "v": [{"p": "/message/status", "o": "replace", "v": "finished_successfully"}]},
    "delta",
)
HEAD = event('"v1"', "delta_encoding")
DONE = event("[DONE]")


def complete(conversation: str = CONVERSATION) -> bytes:
    return event({"type": "message_stream_complete", "conversation_id": conversation})


def call_stream(text: str = '{"message": "eco"}', **call: Any) -> list[bytes]:
    """The chunks of an answer that brings a call, one event each."""
    return [HEAD, opening(call_message(text, **call)), CLOSING, complete(), DONE]


def answer_stream(conversation: str = CONVERSATION) -> list[bytes]:
    """The chunks of an answer that closes the turn."""
    final = message("5f3f7e9e-2a41-4c0e-8f0e-6b7f2f6f9d77", end_turn=True)
    return [HEAD, opening(final, conversation), complete(conversation), DONE]


def user_turn(**fields: Any) -> dict[str, Any]:
    body = {
        "action": "next",
        "messages": [
            {
                "id": "5f3f7e9e-2a41-4c0e-8f0e-6b7f2f6f9d10",
                "author": {"role": "user", "name": None, "metadata": {}},
                "content": {"content_type": "text", "parts": ["eco, please"]},
            }
        ],
        "model": "gpt-5-6-thinking",
        "thinking_effort": "standard",
        "supported_encodings": ["v1"],
        "timezone": "America/Sao_Paulo",
        "timezone_offset_min": 180,
        "client_prepare_state": "success",
        "local_function_signatures": [signature("handoff"), signature("alefita_way")],
    }
    return body | fields


def signature(name: str) -> dict[str, Any]:
    param = {"name": "message", "required": True, "type": {"description": "", "type": "string"}}
    return {"description": "", "name": name, "params": [param], "type": "kwargs"}


def tool_return(
    result: object = None, *, call_id: str = CALL_ID, tool: str = "alefita_way", **fields: Any
) -> dict[str, Any]:
    """A conforming request with a return; ``fields`` replace members of the request."""
    text = {"call_id": call_id, "result": result or {"message": "eco"}, "tool": tool}
    record = {
        "author": {"metadata": {}, "name": tool, "role": "tool"},
        "channel": "commentary",
        "content": {"content_type": "code", "text": json.dumps(text)},
        "create_time": 1787848294.65,
        "end_turn": None,
        "id": "b65539dc-d45f-4b37-b735-a11ac75aafed",
        "metadata": {},
        "recipient": "all",
        "status": "finished_successfully",
        "update_time": None,
        "weight": 1,
    }
    ids = {"conversation_id": CONVERSATION, "parent_message_id": call_id}
    return user_turn(messages=[record]) | ids | fields


class Wire:
    """A transcript under construction; every method adds what it says, in order."""

    def __init__(self, *, live: bool = True, **about: Any) -> None:
        self.transcript = Transcript(protocol="flow_a", live=live, **about)
        self.number = 0
        self.token: str | None = None

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> int:
        self.number += 1
        pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        entry = Request(number=self.number, method=method, path=path, headers=pairs, body=body, at=0.0)
        self.transcript.entries.append(entry)
        return self.number

    def respond(self, number: int, body: bytes, status: int = 200) -> None:
        entry = Response(number=number, status=status, headers=(), body=Body(body), at=0.0)
        self.transcript.entries.append(entry)

    def challenge(self) -> str:
        number = self.request("GET", f"{API}/ios/attestation_challenge")
        value = f"challenge-{number}"
        self.respond(number, json.dumps({"attestation_challenge": value}).encode())
        return value

    def prepare(self, *, status: int = 200, state: object = "sent", **fields: Any) -> None:
        body = {"action": "next", "client_prepare_state": state} | fields
        number = self.request("POST", f"{API}/f/conversation/prepare", json.dumps(body).encode())
        self.token = f"token-{number}" if status == 200 else None
        answer = {"status": "ok", "conduit_token": self.token} if status == 200 else {"detail": "no"}
        self.respond(number, json.dumps(answer).encode(), status)

    def send(self, body: object, **headers: str) -> int:
        if self.token is not None:
            headers.setdefault("x_conduit_token", self.token)
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", f"{API}/f/conversation", raw, **headers)

    def plan(self, number: int, chunks: list[bytes]) -> None:
        """The head of a streamed answer; ``write`` sends its chunks."""
        self.chunks = chunks
        self.sent = 0
        self.respond(number, b"".join(chunks))

    def write(self, number: int, count: int | None = None) -> None:
        """Send the next ``count`` chunks, or the rest."""
        pending = self.chunks[self.sent :] if count is None else self.chunks[self.sent : self.sent + count]
        for chunk in pending:
            start = sum(map(len, self.chunks[: self.sent]))
            self.transcript.entries.append(Chunk(number=number, start=start, stop=start + len(chunk), at=0.0))
            self.sent += 1

    def end(self, number: int, how: EndHow = "complete") -> None:
        self.transcript.entries.append(End(number=number, how=how, at=0.0))

    def stream(self, number: int, chunks: list[bytes]) -> None:
        """A whole answer, chunk by chunk."""
        self.plan(number, chunks)
        self.write(number)
        self.end(number)

    def ask(self, body: dict[str, Any], chunks: list[bytes], count: int | None = None) -> int:
        """A request with all that goes before it, answered as far as ``count`` chunks; its number."""
        challenge = self.challenge()
        conversation = body.get("conversation_id")
        self.prepare(**({"conversation_id": conversation} if conversation else {}))
        number = self.send(body | {"app_attest_challenge": challenge})
        self.plan(number, chunks)
        self.write(number, count)
        return number

    def turn(self, body: dict[str, Any], chunks: list[bytes]) -> None:
        """A whole exchange: challenge, prepare, request, answer."""
        self.end(self.ask(body, chunks))

    def report(self) -> Report:
        return verify(self.transcript)

    def failed(self) -> dict[str, Finding]:
        """The failed findings by the short name of their rule."""
        return {f.rule.removeprefix("flow_a."): f for f in self.report().findings if f.failed}

    def outcome(self, rule: str) -> Finding:
        """The one finding of a rule."""
        (finding,) = (f for f in self.report().findings if f.rule == f"flow_a.{rule}")
        return finding


def conforming(**about: Any) -> Wire:
    """A session that is right in everything: a call, its return, the answer."""
    wire = Wire(expect={"results": {"alefita_way": "echo"}}, **about)
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return(), answer_stream())
    return wire
