"""Writes codex sessions by hand, to see what script follows from them."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.codex_wire import THREAD, TURN, Wire
from wiretape.cassette import ModelCall, ModelText, RecordedFrame, Step
from wiretape.codex.script import Script, script_of
from wiretape.transcript import Frame


class Session(Wire):
    """A session under construction, and its script."""

    def begin(self, *, version: str = "0.171.0") -> Session:
        self.version = version
        self.initialize()
        self.thread()
        return self

    def ask(self, text: str = "go", turn: str = TURN) -> None:
        request = self.request("turn/start", {"threadId": THREAD, "input": [{"type": "text", "text": text}]})
        self.accept(request, {"turn": {"id": turn}})

    def item(self, what: str, turn: str = TURN, **item: Any) -> None:
        self.notify(f"item/{what}", threadId=THREAD, turnId=turn, item=item)

    def say(self, text: str, item_id: str = "msg_1", *deltas: str) -> None:
        self.item("started", type="agentMessage", id=item_id, text="" if deltas else text)
        for delta in deltas:
            self.delta(delta, item_id)
        self.item("completed", type="agentMessage", id=item_id, text=text)

    def delta(self, delta: str, item_id: str = "msg_1") -> None:
        self.notify("item/agentMessage/delta", threadId=THREAD, turnId=TURN, itemId=item_id, delta=delta)

    def spend(self, turn: str = TURN) -> None:
        self.notify("thread/tokenUsage/updated", threadId=THREAD, turnId=turn, tokenUsage={})

    def end(self, status: str = "completed", turn: str = TURN, **error: Any) -> None:
        told = {"id": turn, "status": status, "error": error or None}
        self.notify("turn/completed", threadId=THREAD, turn=told)

    def script(self) -> Script:
        entries = [each for each in self.transcript.entries if isinstance(each, Frame)]
        return script_of(
            RecordedFrame(direction=each.direction, delay=0, data=each.data, connection=each.connection)
            for each in entries
        )


def made(call_id: str = "call_1", text: str = "hi") -> ModelCall:
    return ModelCall(id=call_id, tool="demo_echo", arguments=json.dumps({"text": text}))


def said(text: str, item_id: str = "msg_1", *deltas: str) -> ModelText:
    return ModelText(id=item_id, text=text, deltas=deltas)


def steps(*each: Any) -> tuple[Step, ...]:
    """Steps of items, and others as they are."""
    return tuple(step if isinstance(step, Step) else Step(items=step) for step in each)
