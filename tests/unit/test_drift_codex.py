"""Drift between two sessions of an app-server."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.unit.drift_sessions import CODEX, again, drifts, told
from wiretape.cassette import Cassette, RecordedFrame
from wiretape.drift import compare
from wiretape.transcript import Link
from wiretape.verdict import transcript_of


def codex(edit: Callable[[dict[str, Any]], dict[str, Any]], method: str) -> Cassette:
    """Another session in which the messages of this method, or with this member, are edited."""

    def one(frame: RecordedFrame) -> RecordedFrame:
        message = json.loads(frame.data)
        if message.get("method") != method and method not in message:
            return frame
        return replace(frame, data=json.dumps(edit(message)).encode())

    return again(replace(CODEX, frames=tuple(map(one, CODEX.frames))))


def test_a_changed_member_of_a_codex_message_is_told() -> None:
    new = codex(lambda m: m | {"params": m["params"] | {"tool": "other"}}, "item/tool/call")
    assert told(drifts(CODEX, new)) == [("changed", "field", "← item/tool/call", "params.tool")]


def test_an_answer_is_named_after_its_request() -> None:
    def refuse(message: dict[str, Any]) -> dict[str, Any]:
        return (
            message | {"result": message["result"] | {"success": False}}
            if "success" in message["result"]
            else message
        )

    (drift,) = drifts(CODEX, codex(refuse, "result"))
    assert told([drift]) == [("changed", "field", "→ answer to item/tool/call", "result.success")]
    assert (drift.was, drift.now) == (True, False)


def test_an_id_of_another_type_is_drift_and_another_number_is_not() -> None:
    other = codex(lambda m: m | {"id": 7}, "item/tool/call")
    assert told(drifts(CODEX, other)) == [
        ("new", "message type", "→ answer to nothing that was asked", ""),
        ("gone", "message type", "→ answer to item/tool/call", ""),
    ][::-1]  # fmt: skip
    text = codex(lambda m: m | {"id": str(m["id"])}, "initialize")
    assert ("changed", "field", "→ initialize", "id") in told(drifts(CODEX, text))


def without(index: int) -> Cassette:
    return replace(CODEX, frames=CODEX.frames[:index] + CODEX.frames[index + 1 :])


def test_a_frame_more_less_or_elsewhere_is_told() -> None:
    label = "← configWarning"
    index = next(i for i, frame in enumerate(CODEX.frames) if b"configWarning" in frame.data)
    assert told(drifts(CODEX, without(index))) == [("gone", "message type", label, "")]
    assert told(drifts(without(index), CODEX)) == [("new", "message type", label, "")]
    frames = [*without(index).frames]
    frames.insert(index + 4, CODEX.frames[index])
    assert told(drifts(CODEX, replace(CODEX, frames=tuple(frames)))) == [("moved", "message", label, "")]


def growing(*pieces: str) -> Cassette:
    messages = [
        {"method": "item/agentMessage/delta", "params": {"itemId": "m1", "delta": piece}} for piece in pieces
    ]
    frames = [RecordedFrame(direction="server", delay=0, data=json.dumps(each).encode()) for each in messages]
    return replace(CODEX, frames=tuple(frames))


def test_how_an_item_grows_is_no_drift() -> None:
    assert drifts(growing("hello"), growing("hel", "lo")) == []


def test_when_a_connection_begins_is_not_compared() -> None:
    old, new = transcript_of(CODEX), transcript_of(CODEX)
    new.entries.insert(0, Link(connection="", what="opened", transport="stdio", at=0.0))
    assert compare(old, new) == []


def test_an_unreadable_message_is_compared_as_text() -> None:
    def with_line(data: bytes) -> Cassette:
        return replace(CODEX, frames=(*CODEX.frames, RecordedFrame(direction="client", delay=0, data=data)))

    assert told(drifts(CODEX, with_line(b"[1]"))) == [("new", "message type", "→ unreadable: batch", "")]
    assert drifts(with_line(b"[1]"), with_line(b"[1]")) == []
    assert drifts(with_line(b"[1]"), with_line(b"[2]")) != []
