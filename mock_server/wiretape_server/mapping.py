"""What reading a conversation gives: the tree of its messages, as far as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from wiretape import strictjson
from wiretape.delta import DeltaError
from wiretape.flow_a.messages import member
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import EventStreamDecoder
from wiretape_server.live import LiveConversation, Turn

_ROOT: Final = "client-created-root"
_INTERRUPTED: Final = {"finish_details": {"type": "interrupted", "reason": "client_stopped"}}
_FIRST_TITLE: Final = "New chat"


class Tree:
    """Nodes by message id. ``current`` is the latest, from which the live branch is walked up."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.current = _ROOT
        self.titles: list[str] = []
        self._add(_ROOT, None, None)

    def grow(self, turn: Turn) -> None:
        """Add what a turn's request and its answer say."""
        request = strictjson.loads(turn.request, last_wins=True)
        parent = turn.call_id or request.get("parent_message_id")
        if isinstance(parent, str) and parent in self.nodes:
            self.current = parent
        for index, message in enumerate(_messages(request)):
            self._put(message, f"{self.current}:{index}")
        for message in self._streamed(turn):
            if member(message, "author", "role") not in ("user", "system", "developer"):
                self._put(message, "")

    def _streamed(self, turn: Turn) -> list[dict[str, Any]]:
        """The answer's messages as far as they were written; a stop marks the last one."""
        if turn.written is None:
            return []
        decoder = StreamDecoder()
        for event in EventStreamDecoder().feed(turn.written.body.bytes(0, turn.written.upto)):
            try:
                decoder.feed(event)
            except DeltaError:
                continue
        self.titles += _titles(decoder)
        messages: list[dict[str, Any]] = decoder.messages
        if turn.written.stopped and messages:
            messages[-1] = {
                **messages[-1],
                "metadata": {**(messages[-1].get("metadata") or {}), **_INTERRUPTED},
            }
        return messages

    def _put(self, message: Any, unnamed: str) -> None:
        message_id = message.get("id") if isinstance(message, dict) else None
        node_id = message_id if isinstance(message_id, str) else unnamed
        if node_id in self.nodes:
            self.nodes[node_id]["message"] = message
        else:
            self._add(node_id, self.current, message)
        self.current = node_id

    def _add(self, node_id: str, parent: str | None, message: Any) -> None:
        self.nodes[node_id] = {"id": node_id, "parent": parent, "children": [], "message": message}
        if parent is not None:
            self.nodes[parent]["children"].append(node_id)


def tree_of(live: LiveConversation) -> Tree:
    """Read all turns of a conversation."""
    tree = Tree()
    for turn in live.turns:
        tree.grow(turn)
    return tree


def read(live: LiveConversation, now: float) -> dict[str, Any]:
    """What ``GET /backend-api/conversation/<id>`` gives."""
    tree = tree_of(live)
    first = strictjson.loads(live.turns[0].request, last_wins=True) if live.turns else {}
    return {
        "title": tree.titles[-1] if tree.titles else _FIRST_TITLE,
        "create_time": live.began,
        "update_time": now,
        "mapping": tree.nodes,
        "current_node": tree.current,
        "moderation_results": [],
        "is_archived": False,
        "safe_urls": [],
        "default_model_slug": first.get("model"),
        "conversation_id": live.id,
    }


def _messages(request: Mapping[str, Any]) -> list[Any]:
    messages = request.get("messages")
    return messages if isinstance(messages, list) else []


def _titles(decoder: StreamDecoder) -> Iterator[str]:
    for event in decoder.events:
        if event.get("type") == "title_generation" and isinstance(event.get("title"), str):
            yield event["title"]
