"""Notes what a client does after faults: the subjects of the rules about them.

A transcript without faults has none of these subjects.
"""

from __future__ import annotations

from collections.abc import Container

from wiretape.codex.messages import fields
from wiretape.codex.view import After, CodexView, Connection, Strike, TurnStart
from wiretape.jsonrpc import Answer, Call, Failure, Message, Notice, same_id
from wiretape.strictjson import ABSENT
from wiretape.transcript import Struck


class Strikes:
    """The faults of a transcript so far."""

    def __init__(self, view: CodexView) -> None:
        self._view = view
        self._announced: set[tuple[str, str]] = set()
        """Connection and id of the threads that notifications named."""

    def strike(self, entry: Struck, connection: Connection) -> None:
        """A fault strikes."""
        _, request = connection.requests[-1] if connection.requests else ("", None)
        strike = Strike(
            at=f"{entry.fault} on {connection.at}",
            fault=entry.fault,
            connection=connection,
            since=entry.at,
            request=request,
        )
        connection.strikes.append(strike)
        self._view.strikes.append(strike)

    def sent(self, at: str, time: float, message: Message, connection: Connection) -> None:
        """The client sends a message."""
        for strike in connection.strikes:
            strike.sent.append(After(at=at, seconds=time - strike.since, message=message))

    def turn_start(self, at: str, request: Call, connection: Connection, openers: Container[str]) -> None:
        """The client begins a turn; ``openers`` are the connections that started or resumed its thread."""
        if not self._view.strikes:
            return
        thread = fields(request.params).get("threadId", ABSENT)
        known = connection.name in openers or (connection.name, str(thread)) in self._announced
        self._view.turn_starts.append(TurnStart(at=at, thread=thread, known=known))

    def heard(self, time: float, message: Message, connection: Connection) -> None:
        """The client is told something."""
        if isinstance(message, Notice) and message.method == "thread/started":
            thread = fields(fields(message.params).get("thread"))
            self._announced.add((connection.name, str(thread.get("id"))))
        for strike in connection.strikes:
            strike.told = time - strike.since
            _note(message, strike)

    @staticmethod
    def closed(connection: Connection, time: float) -> None:
        """The client closes a connection."""
        for strike in connection.strikes:
            strike.closed = time - strike.since


def _note(message: Message, strike: Strike) -> None:
    """Note the first answer to the request that was struck, and the first end of a turn."""
    if isinstance(message, (Answer, Failure)):
        mine = strike.request is not None and same_id(message.id, strike.request.id)
        strike.answered = len(strike.sent) if mine and strike.answered is None else strike.answered
    elif getattr(message, "method", "") == "turn/completed" and strike.over is None:
        strike.over = len(strike.sent)
