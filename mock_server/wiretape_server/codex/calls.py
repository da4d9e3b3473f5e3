"""The calls in one answer of the model: opened, asked of the client, and closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wiretape.cassette.model import ModelCall
from wiretape.jsonrpc import Failure
from wiretape_server.codex import answers, items, specs
from wiretape_server.codex.answers import Outcome
from wiretape_server.codex.home import Item
from wiretape_server.codex.items import TurnStage
from wiretape_server.codex.outbox import Asked, Hearer
from wiretape_server.codex.serde import UnreadableError
from wiretape_server.codex.serde_syntax import parse_arguments
from wiretape_server.codex.shapes import shaped

_ROUTER = "ERROR codex_core::tools::router: error="
_DYNAMIC_TOOLS = "ERROR codex_app_server::dynamic_tools: "


class OpenCall:
    """A call that waits for the client's answer."""

    __slots__ = ("asked", "batch", "index", "item")

    asked: Asked

    def __init__(self, batch: CallBatch, index: int, item: Item) -> None:
        self.batch = batch
        self.index = index
        self.item = item

    def answered(self, result: Any) -> None:
        try:
            ended = answers.outcome(result, self.batch.profile)
        except UnreadableError as complaint:
            self.batch.complain(f"{_DYNAMIC_TOOLS}failed to deserialize DynamicToolCallResponse: {complaint}")
            ended = answers.failure(answers.INVALID, self.batch.profile)
        if ended.complaint:
            self.batch.complain(f"{_DYNAMIC_TOOLS}{ended.complaint}")
        self.batch.end(self, ended)

    def failed(self, failure: Failure) -> None:
        log = self.batch.profile.client_error_log.format(code=failure.code, message=failure.message)
        self.batch.complain(f"{_DYNAMIC_TOOLS}{log}")
        self.batch.end(self, answers.failure(answers.FAILED, self.batch.profile))


class CallBatch:
    """All calls in one answer of the model. ``on_done`` is called when every one has its output."""

    def __init__(self, stage: TurnStage, on_done: Callable[[], None]) -> None:
        self.stage = stage
        self.profile = stage.process.profile
        self.complain = stage.process.complain
        self.calls: list[ModelCall] = []
        self.outputs: dict[int, Any] = {}
        """What the model will get, by the index of the call."""
        self._on_done = on_done
        self._waiting: list[int] = []
        """Calls whose turn has not come: older servers open one at a time."""
        self._open: list[OpenCall] = []

    def run(self, calls: list[ModelCall]) -> None:
        """Take all calls of the answer."""
        self.calls = calls
        self._waiting = list(range(len(calls)))
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting and (self.profile.parallel or not self._open):
            self._begin(self._waiting.pop(0))
        if not self._open and not self._waiting:
            self._on_done()

    def _begin(self, index: int) -> None:
        """Open a call, or say why it can't be: then the client hears nothing of it."""
        call = self.calls[index]
        if specs.find(self.stage.loaded.thread.tools, call.namespace, call.tool) is None:
            self._spoil(index, f"unsupported call: {call.namespace or ''}{call.tool}")
            return
        try:
            arguments = parse_arguments(call.arguments)
        except UnreadableError as complaint:
            self._spoil(index, f"failed to parse function arguments: {complaint}")
            return
        self._ask(OpenCall(self, index, items.tool_call(call, arguments)))

    def _spoil(self, index: int, why: str) -> None:
        self._log(why)
        self.outputs[index] = why

    def _log(self, why: str) -> None:
        if self.profile.logs_router:
            self.complain(f"{_ROUTER}{why}")

    def _ask(self, opened: OpenCall) -> None:
        stage, wire = self.stage, opened.item.wire
        stage.start(opened.item)
        stage.turn.open.append(opened.item)
        self._open.append(opened)
        if self.profile.call_items:
            stage.announce_start(opened.item)
        params = {
            "threadId": stage.loaded.thread.id,
            "turnId": stage.turn.id,
            "callId": wire["id"],
            "namespace": wire["namespace"],
            "tool": wire["tool"],
            "arguments": wire["arguments"],
        }
        shown = shaped(self.profile, "call", params)
        opened.asked = stage.process.outbox.ask(stage.loaded.subscribers, "item/tool/call", shown, opened)

    def ask_again(self, hearer: Hearer) -> None:
        """Ask one more connection for every open call."""
        for opened in self._open:
            self.stage.process.outbox.ask_again(hearer, opened.asked)

    def end(self, opened: OpenCall, ended: Outcome) -> None:
        """Close a call that has its outcome, and go on."""
        self.stage.loaded.told += 1
        self._close(opened, ended, kept=True)
        if self.profile.call_items:
            self.stage.announce_completion(opened.item)
        self._go_on()

    def _close(self, opened: OpenCall, ended: Outcome, *, kept: bool) -> None:
        self._open.remove(opened)
        self.stage.turn.open.remove(opened.item)
        self.outputs[opened.index] = ended.output
        self.stage.complete(opened.item, kept=kept and self.stage.loaded.thread.keeps_calls)
        wire = opened.item.wire
        wire.update(status=ended.status, contentItems=ended.content, success=ended.success)
        wire["durationMs"] = wire["completedAtMs"] - wire["startedAtMs"]

    def interrupt(self, output: str) -> None:
        """Close every call without an answer; the client hears of it."""
        for opened in self._abandon(output, kept=True):
            if self.profile.call_items:
                self.stage.announce_completion(opened.item)

    def lose(self, output: str, *, kept: bool) -> None:
        """Close every call, since the process ends; nobody hears of it."""
        self._abandon(output, kept=kept)

    def _abandon(self, output: str, *, kept: bool) -> list[OpenCall]:
        self.outputs.update((index, output) for index in self._waiting)
        self._waiting = []
        abandoned = list(self._open)
        for opened in abandoned:
            self.stage.process.outbox.forget(opened.asked)
            self._close(opened, Outcome(success=False, content=[], output=output), kept=kept)
            self._log(output)
        return abandoned
