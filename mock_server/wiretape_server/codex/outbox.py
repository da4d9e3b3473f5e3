"""Everything that the server says: answers, notifications, and requests of its own with their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from wiretape import strictjson
from wiretape.jsonrpc import Answer, Failure, Id
from wiretape_server.codex.shapes import milliseconds


class Hearer(Protocol):
    """A connection, as far as messages to it go."""

    def wants(self, method: str) -> bool:
        """Whether it did not opt out of these notifications."""

    def hear(self, data: bytes) -> None:
        """Send one message, recorded."""


class Asker(Protocol):
    """Whoever waits for the client's answer to a request."""

    def answered(self, result: Any) -> None: ...

    def failed(self, failure: Failure) -> None: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of the server that waits for its answer."""

    id: int
    data: bytes
    asker: Asker


class Outbox:
    """Writes messages as the app-server does: compact, never with a ``jsonrpc`` member.

    Ids of its requests count up from 0 over all threads and methods of the process.
    """

    __slots__ = ("_asked", "_emitted_at", "_next_id", "_wall")

    def __init__(self, *, wall: Callable[[], float], emitted_at: bool) -> None:
        self._wall = wall
        self._emitted_at = emitted_at
        self._next_id = 0
        self._asked: dict[int, Asked] = {}

    def answer(self, hearer: Hearer, request_id: Id, result: Any) -> None:
        hearer.hear(_bytes({"id": request_id, "result": result}))

    def refuse(self, hearer: Hearer, request_id: Id, error: Mapping[str, Any]) -> None:
        hearer.hear(_bytes({"error": error, "id": request_id}))

    def notify(self, hearers: Iterable[Hearer], method: str, params: Mapping[str, Any]) -> None:
        """Tell everyone of these who did not opt out."""
        message: dict[str, Any] = {"method": method, "params": params}
        if self._emitted_at:
            message["emittedAtMs"] = milliseconds(self._wall())
        hearing = [hearer for hearer in hearers if hearer.wants(method)]
        data = _bytes(message) if hearing else b""
        for hearer in hearing:
            hearer.hear(data)

    def ask(self, hearers: Iterable[Hearer], method: str, params: Mapping[str, Any], asker: Asker) -> Asked:
        """Ask everyone of these. The first answer counts, whoever gives it."""
        data = _bytes({"method": method, "id": self._next_id, "params": params})
        asked = Asked(self._next_id, data, asker)
        self._asked[asked.id] = asked
        self._next_id += 1
        for hearer in list(hearers):
            self.ask_again(hearer, asked)
        return asked

    def ask_again(self, hearer: Hearer, asked: Asked) -> None:
        """Send a request that still waits to one more connection, with the same id."""
        hearer.hear(asked.data)

    def forget(self, asked: Asked) -> None:
        """No longer wait: an answer that comes now is ignored."""
        self._asked.pop(asked.id, None)

    def settle(self, message: Answer | Failure) -> None:
        """Hand an answer to who waits for it. One that nobody waits for is ignored: ``"0"`` is not ``0``."""
        asked = self._asked.pop(message.id, None) if isinstance(message.id, int) else None
        if asked is None:
            return
        if isinstance(message, Answer):
            asked.asker.answered(message.result)
        else:
            asked.asker.failed(message)


def _bytes(message: Mapping[str, Any]) -> bytes:
    return strictjson.dumps(message).encode()
