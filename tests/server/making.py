"""Makes small cassettes by hand, and the requests that a client sends to them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from wiretape.cassette.model import (
    Cassette,
    Chunks,
    Expect,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
    StreamEnd,
)

CONVERSATION = "00000000-0000-4000-8000-0000000000a1"
CALL = "b6d6e3a6-af6f-4a78-a649-8e3935182fcc"
USER_MESSAGE = "11111111-1111-4111-8111-111111111111"
RETURN_MESSAGE = "22222222-2222-4222-8222-222222222222"
ANSWER = "33333333-3333-4333-8333-333333333333"
TOKEN = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
CREATED = "1787848267.510629"
PATH = "/backend-api/f/conversation"
DONE = b"data: [DONE]\n\n"


def event(payload: object, name: str = "") -> bytes:
    """One event of a stream."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def message(message_id: str, text: str, **changes: Any) -> dict[str, Any]:
    """A message of the model's; ``changes`` replace members."""
    return {
        "id": message_id,
        "author": {"role": "assistant", "name": None, "metadata": {}},
        "create_time": float(CREATED),
        "update_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "status": "in_progress",
        "end_turn": None,
        "weight": 1,
        "metadata": {},
        "recipient": "all",
        "channel": "final",
        **changes,
    }


def opening(conversation_id: str = CONVERSATION) -> bytes:
    """The two events that a stream starts with."""
    token = {"type": "resume_conversation_token", "token": TOKEN, "conversation_id": conversation_id}
    return event('"v1"', "delta_encoding") + event(token)


def ending(conversation_id: str = CONVERSATION) -> bytes:
    """The two events that a stream ends with."""
    return event({"type": "message_stream_complete", "conversation_id": conversation_id}) + DONE


def root(added: dict[str, Any], conversation_id: str = CONVERSATION) -> bytes:
    """The event that brings a message."""
    envelope = {"message": added, "conversation_id": conversation_id, "error": None}
    return event({"p": "", "o": "add", "v": envelope, "c": 0}, "delta")


def answer_stream(text: str = "Hello.", *, message_id: str = ANSWER, words: Sequence[str] = ()) -> bytes:
    """An answer whose ``words`` come one by one, and its end."""
    patch = [
        {"p": "/message/status", "o": "replace", "v": "finished_successfully"},
        {"p": "/message/end_turn", "o": "replace", "v": True},
    ]
    part = "/message/content/parts/0"
    appends = [event({"p": part, "o": "append", "v": word}, "delta") for word in words]
    closing = event({"p": "", "o": "patch", "v": patch}, "delta")
    return b"".join([opening(), root(message(message_id, text)), *appends, closing, ending()])


def call_message(tool: str = "alefita_way", call_id: str = CALL) -> dict[str, Any]:
    """A call, as it stands when it opens."""
    content = {"content_type": "code", "language": "json", "text": '{"message": "segundo eco do caminho"}'}
    return message(call_id, "", content=content, recipient=f"local.{tool}", channel="commentary")


def call_stream(tool: str = "alefita_way", call_id: str = CALL) -> bytes:
    """A call, its closing patch, the end."""
    patch = [{"p": "/message/status", "o": "replace", "v": "finished_successfully"}]
    closing = event({"p": "", "o": "patch", "v": patch}, "delta")
    return b"".join([opening(), root(call_message(tool, call_id)), closing, ending()])


def user_turn(
    text: str = "Hi", *, conversation_id: str | None = None, message_id: str = "", **more: Any
) -> dict[str, Any]:
    """What a client sends for a user's message; a first turn without ``conversation_id``."""
    author = {"role": "user", "name": None, "metadata": {}}
    sent = message(message_id or str(uuid.uuid4()), text, author=author, create_time=1787848200.25)
    ids = {} if conversation_id is None else {"conversation_id": conversation_id}
    return {"action": "next", "model": "gpt-5-6-thinking", "messages": [sent], **ids, **more}


def tool_return(
    call_id: str = CALL,
    *,
    conversation_id: str = CONVERSATION,
    tool: str = "alefita_way",
    message_id: str = "",
    **changes: Any,
) -> dict[str, Any]:
    """What a client sends for a tool's result; ``changes`` replace members of the message."""
    text = json.dumps({"call_id": call_id, "result": {"message": "segundo eco do caminho"}, "tool": tool})
    sent = message(
        message_id or str(uuid.uuid4()),
        "",
        **{
            "author": {"role": "tool", "name": tool, "metadata": {}},
            "content": {"content_type": "code", "text": text},
            "status": "finished_successfully",
            "channel": "commentary",
            "create_time": 1787848294.65,
            **changes,
        },
    )
    body = {"action": "next", "model": "gpt-5-6-thinking", "messages": [sent]}
    return {**body, "conversation_id": conversation_id, "parent_message_id": call_id}


def interaction(
    request: dict[str, Any],
    body: bytes,
    *,
    chunks: Sequence[tuple[float, int]] | None = None,
    end: StreamEnd = "complete",
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Interaction:
    """One recorded exchange; ``chunks`` are pairs of delay in milliseconds and length."""
    return Interaction(
        request=RecordedRequest(method="POST", path=PATH, body=json.dumps(request).encode()),
        response=RecordedResponse(
            status=status,
            headers=headers or {},
            body=body,
            chunks=None if chunks is None else _table(chunks),
            end=end,
        ),
    )


def _table(chunks: Sequence[tuple[float, int]]) -> Chunks:
    return Chunks(delays=tuple(delay for delay, _ in chunks), lengths=tuple(length for _, length in chunks))


def cassette(
    *interactions: Interaction, name: str = "made", results: dict[str, Any] | None = None
) -> Cassette:
    """A cassette of these interactions."""
    return Cassette(
        protocol="flow_a",
        provenance=Provenance(kind="synthetic"),
        interactions=interactions,
        expect=Expect(user_message="Hi", results=results or {}),
        name=name,
    )


def plain(*, chunks: Sequence[tuple[float, int]] | None = None, end: StreamEnd = "complete") -> Cassette:
    """One user's turn and its answer."""
    turn = user_turn(message_id=USER_MESSAGE)
    return cassette(interaction(turn, answer_stream(), chunks=chunks, end=end), name="plain")


def calling() -> Cassette:
    """A user's turn that brings a call, and the return that brings the answer."""
    return cassette(
        interaction(user_turn(message_id=USER_MESSAGE), call_stream()),
        interaction(tool_return(message_id=RETURN_MESSAGE), answer_stream()),
        name="calling",
        results={"alefita_way": "echo"},
    )


def two_turns() -> Cassette:
    """Two user's turns in one conversation."""
    second = user_turn("And?", conversation_id=CONVERSATION)
    return cassette(
        interaction(user_turn(message_id=USER_MESSAGE), answer_stream("First.")),
        interaction(second, answer_stream("Second.", message_id="44444444-4444-4444-8444-444444444444")),
        name="two_turns",
    )
