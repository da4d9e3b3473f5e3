"""A made-up answer of the conversation backend, event by event, with the delays of a recorded one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Chunks, RecordedResponse
from wiretape.delta_encoder import ANNOUNCEMENT, delta_event
from wiretape.sse import ServerSentEvent, encode

_PIECE: Final = 20.0
"""Milliseconds between pieces of a text."""
_PAUSE: Final = 120.0
"""Milliseconds before what ends a message or the stream: a client that goes on earlier can be told from one
that waits."""
_HEADERS: Final = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store"}
_FINISHED: Final = {"p": "/message/status", "o": "replace", "v": "finished_successfully"}
_ENDED: Final = {"is_complete": True, "finish_details": {"type": "stop"}}


class Tape:
    """Takes events; each is a chunk of its own."""

    def __init__(self, conversation_id: str) -> None:
        self._conversation = {"conversation_id": conversation_id}
        self._chunks: list[bytes] = []
        self._delays: list[float] = []
        self._delta_channel = 0
        self._put(0, ANNOUNCEMENT)
        self.typed(6, {"type": "resume_conversation_token", "kind": "topic", "token": "<REDACTED_TOKEN>"})

    def typed(self, delay: float, payload: Mapping[str, Any]) -> None:
        """An event of a type of its own."""
        text = strictjson.dumps({**payload, **self._conversation}, spaced=True)
        self._put(delay, ServerSentEvent("message", text))

    def message(self, message: Mapping[str, Any]) -> None:
        """A message begins, on a delta channel of its own."""
        envelope = {"message": dict(message), **self._conversation, "error": None, "error_code": None}
        self._delta(30, {"p": "", "o": "add", "v": envelope, "c": self._delta_channel})
        self._delta_channel += 1

    def grow(self, path: str, pieces: list[str]) -> None:
        """The text at a path of the message goes on."""
        for number, piece in enumerate(pieces):
            self._delta(_PIECE, {"v": piece} if number else {"p": path, "o": "append", "v": piece})

    def close(self, path: str, last: str, *, end_turn: bool | None = None) -> None:
        """The message ends with the last piece of its text."""
        changes: list[dict[str, Any]] = [{"p": path, "o": "append", "v": last}] if last else []
        changes.append(_FINISHED)
        if end_turn is not None:
            changes.append({"p": "/message/end_turn", "o": "replace", "v": end_turn})
        changes.append({"p": "/message/metadata", "o": "append", "v": _ENDED})
        self._delta(_PAUSE, {"p": "", "o": "patch", "v": changes})

    def response(self) -> RecordedResponse:
        """The whole answer; the stream is complete."""
        self.typed(_PAUSE, {"type": "message_stream_complete"})
        self._put(_PAUSE, ServerSentEvent("message", "[DONE]"))
        lengths = tuple(map(len, self._chunks))
        return RecordedResponse(
            status=200,
            headers=_HEADERS,
            body=b"".join(self._chunks),
            chunks=Chunks(delays=tuple(self._delays), lengths=lengths),
        )

    def _delta(self, delay: float, wire_delta: dict[str, Any]) -> None:
        self._put(delay, delta_event(wire_delta, spaced=True))

    def _put(self, delay: float, event: ServerSentEvent) -> None:
        self._delays.append(delay)
        self._chunks.append(encode(event))
