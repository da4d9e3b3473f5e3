"""Pairs what the client answers with what the server asked: exactly where the id is, leniently where not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wiretape.codex.messages import REFRESH
from wiretape.codex.session import CallStep
from wiretape.codex.unreadable import ONE_MESSAGE, rule_about
from wiretape.codex.view import Ask, CodexView, Connection, RefreshReply, Reply, ToolReply
from wiretape.jsonrpc import Answer, Call, Failure, Message, Unreadable
from wiretape.strictjson import ABSENT

_ANSWERS: Final = frozenset(("id", "neither", "error"))
"""Kinds of messages that can't be read and yet are answers."""


class Replies:
    """The server's requests of a transcript, and the answers to them."""

    def __init__(self, view: CodexView, results: Mapping[str, Any]) -> None:
        self.view = view
        self.results = results
        self.asks: list[Ask] = []
        self.by_id: dict[tuple[str, str], Ask] = {}
        """By process and id as it is written: ``0`` and ``"0"`` are two."""

    def take(self, order: int, at: str, message: Message, connection: Connection) -> None:
        """Note a message of the client's if it is an answer, or if an answer may be lost in it."""
        if isinstance(message, (Answer, Failure)):
            self.answer(self.reply(order, at, message.value, connection))
        elif isinstance(message, Unreadable) and message.kind in _ANSWERS:
            reply = self.reply(order, at, message.value, connection)
            self.spoil([reply.ask or reply.meant], rule_about(message))
        elif isinstance(message, Unreadable):
            self.spoil(self.waiting(connection), rule_about(message))
        elif isinstance(message, Call) and message.value.keys() & {"result", "error"}:
            # Its method makes it a request, so the request with its id stays open.
            self.spoil([self.by_id.get((connection.process, repr(message.id)))], ONE_MESSAGE)

    def reply(self, order: int, at: str, value: dict[str, Any], connection: Connection) -> Reply:
        reply = Reply(at=at, order=order, value=value, connection=connection)
        reply.ask = self.by_id.get((connection.process, repr(value.get("id"))))
        if reply.ask is None:
            reply.meant = self.meant(value.get("id"), connection)
        self.view.replies.append(reply)
        return reply

    def answer(self, reply: Reply) -> None:
        ask = reply.ask
        if ask is None:
            rule = "codex.call.id-exact" if reply.meant else "codex.call.known-id"
            waiting = self.waiting(reply.connection)
            self.spoil([reply.meant] if reply.meant else waiting if len(waiting) == 1 else [], rule)
            return
        ask.replies.append(reply)
        if ask.call is not None:
            ask.call.step(CallStep.ANSWERED)
        self.note(reply, ask)

    def note(self, reply: Reply, ask: Ask) -> None:
        """Note what the answer holds, if it is the first: only that one counts."""
        if len(ask.replies) > 1:
            return
        dialect = reply.connection.dialect
        if ask.call is not None:
            expected = self.results.get(ask.call.tool, ABSENT)
            self.view.tool_replies.append(
                ToolReply(at=reply.at, ask=ask, value=reply.value, dialect=dialect, expected=expected)
            )
        elif ask.method == REFRESH and "result" in reply.value:
            result = reply.value["result"]
            self.view.refresh_replies.append(RefreshReply(at=reply.at, result=result, dialect=dialect))

    @staticmethod
    def spoil(asks: list[Ask | None] | list[Ask], rule: str) -> None:
        for ask in asks:
            if ask is not None and not ask.replies:
                ask.spoilt = ask.spoilt or rule

    def waiting(self, connection: Connection) -> list[Ask]:
        """What this connection's process has asked and nobody has answered, oldest first."""
        return [
            ask
            for ask in self.asks
            if not ask.replies and self.by_id.get((connection.process, repr(ask.id))) is ask
        ]

    def meant(self, wrong: object, connection: Connection) -> Ask | None:
        """The request that an answer with a wrong id seems to answer: one whose id looks like it.

        An id of no usable type is taken to mean the oldest request that waits.
        """
        waiting = self.waiting(connection)
        asked = [ask for (process, _), ask in self.by_id.items() if process == connection.process]
        alike = next((ask for ask in (*waiting, *asked) if _looks_like(wrong, ask.id)), None)
        if alike is None and waiting and not isinstance(wrong, (str, int)):
            return waiting[0]
        return alike


def _looks_like(wrong: object, right: object) -> bool:
    return wrong == right or str(wrong) == str(right)
