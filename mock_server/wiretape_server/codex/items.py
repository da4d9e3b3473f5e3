"""The items of a turn: made, announced, and completed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wiretape.cassette.model import ModelCall
from wiretape_server.codex.home import Item, Turn
from wiretape_server.codex.process import LoadedThread, Process
from wiretape_server.codex.shapes import milliseconds, shaped, shaped_item


def user_message(item_id: str, content: Sequence[Mapping[str, Any]]) -> Item:
    """What the user said, with the members that the server adds to a text."""
    parts = [_text(part) if part["type"] == "text" else part for part in content]
    return Item(wire={"type": "userMessage", "id": item_id, "clientId": None, "content": parts})


def _text(part: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": part["text"], "text_elements": part.get("text_elements", [])}


def agent_message(item_id: str, text: str) -> Item:
    """What the model said."""
    wire = {
        "type": "agentMessage",
        "moderation": None,
        "id": item_id,
        "text": text,
        "phase": None,
        "memoryCitation": None,
        "delivery": None,
        "questions": None,
    }
    return Item(wire=wire)


def tool_call(call: ModelCall, arguments: Any) -> Item:
    """A call that waits for the client; its id is the model's."""
    wire = {
        "type": "dynamicToolCall",
        "id": call.id,
        "namespace": call.namespace,
        "tool": call.tool,
        "arguments": arguments,
        "status": "inProgress",
        "contentItems": None,
        "success": None,
        "durationMs": None,
    }
    return Item(wire=wire)


@dataclass(frozen=True, slots=True)
class TurnStage:
    """Where items appear: a turn of a thread in a process."""

    process: Process
    loaded: LoadedThread
    turn: Turn

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Notify the thread's followers of something in this turn."""
        self.process.tell(self.loaded, method, {"turnId": self.turn.id, **params})

    def start(self, item: Item) -> None:
        """Begin an item, silently."""
        item.wire["startedAtMs"] = milliseconds(self.process.wall())
        item.wire["completedAtMs"] = None

    def announce_start(self, item: Item) -> None:
        self._announce("item/started", item, {"startedAtMs": item.wire["startedAtMs"]})

    def complete(self, item: Item, *, kept: bool = True) -> None:
        """End an item; it stands in history when ``kept``."""
        item.wire["completedAtMs"] = milliseconds(self.process.wall())
        if kept:
            item.ordinal = self.loaded.thread.next_ordinal()
            self.turn.items.append(item)

    def announce_completion(self, item: Item) -> None:
        times = {"contentTokenCount": None, "completedAtMs": item.wire["completedAtMs"]}
        self._announce("item/completed", item, times)

    def _announce(self, method: str, item: Item, times: Mapping[str, Any]) -> None:
        profile = self.process.profile
        self.tell(method, {"item": shaped_item(profile, item.wire), **shaped(profile, "item", times)})

    def show(self, item: Item) -> None:
        """Begin and end an item that takes no time."""
        self.start(item)
        self.announce_start(item)
        self.complete(item)
        self.announce_completion(item)
