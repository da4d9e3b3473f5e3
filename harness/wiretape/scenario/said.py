"""The messages of a made-up conversation, in the shape of captured ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import RecordedRequest
from wiretape.endpoints import CONVERSATION
from wiretape.flow_a.messages import HIDDEN_FLAG

BEGAN: Final = 1787848400.5
"""Unix seconds; a replay moves them to its own time."""
_MODEL: Final = "gpt-5-6-thinking"


def from_client(role: str, name: str | None, content: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A message that the client sends; ``more`` are id, create_time and the message channel."""
    return {
        "author": {"metadata": {}, "name": name, "role": role},
        "channel": None,
        "content": dict(content),
        "end_turn": None,
        "metadata": {},
        "recipient": "all",
        "status": "finished_successfully",
        "update_time": None,
        "weight": 1,
        **more,
    }


def from_model(
    message_id: str, content: Mapping[str, Any], create_time: float, **more: Any
) -> dict[str, Any]:
    """A message of the model's that has just begun."""
    return {
        "id": message_id,
        "author": {"role": "assistant", "name": None, "metadata": {}},
        "create_time": create_time,
        "update_time": None,
        "content": dict(content),
        "status": "in_progress",
        "end_turn": None,
        "weight": 1.0,
        "metadata": {"model_slug": _MODEL, "resolved_model_slug": _MODEL},
        "recipient": "all",
        "channel": "commentary",
        **more,
    }


def thought(message_id: str, create_time: float) -> dict[str, Any]:
    """What the model thinks, which nobody reads and nobody answers."""
    content = {"content_type": "thoughts", "thoughts": []}
    hidden = {HIDDEN_FLAG: True, "reasoning_status": "is_reasoning"}
    message = from_model(message_id, content, create_time, channel="analysis", metadata=hidden)
    return message | {"status": "finished_successfully"}


def search_result(message_id: str, create_time: float) -> dict[str, Any]:
    """What a tool gave that the server runs itself."""
    content = {"content_type": "text", "parts": ["Nothing was found."]}
    author = {"role": "tool", "name": "web.run", "metadata": {}}
    message = from_model(message_id, content, create_time, author=author, metadata={HIDDEN_FLAG: True})
    return message | {"status": "finished_successfully"}


def request_body(message: Mapping[str, Any], declared: object, **ids: str) -> bytes:
    """The body of the conversation request that carries a message."""
    body = {
        "action": "next",
        **ids,
        "messages": [message],
        "model": _MODEL,
        "thinking_effort": "standard",
        "supported_encodings": ["v1"],
        "timezone": "Etc/UTC",
        "timezone_offset_min": 0,
        "client_prepare_state": "success",
        "local_function_signatures": declared,
        "app_attest_challenge": f"<challenge of {message['id']}>",
    }
    return strictjson.dumps(body).encode()


def request(message: Mapping[str, Any], declared: object, **ids: str) -> RecordedRequest:
    """The conversation request that carries a message."""
    return RecordedRequest(
        method="POST",
        path=CONVERSATION,
        headers={"content-type": "application/json", "x-conduit-token": "<REDACTED_TOKEN>"},
        body=request_body(message, declared, **ids),
    )
