"""The kinds of faults of an app-server's connections, and what they would strike in a recorded session.

Places count over the whole session, whatever connection it is: ``request:N`` is the client's N-th request,
``event:N`` the N-th message that the server says of itself, ``type:METHOD`` every message of that method.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from wiretape.contract import Evidence
from wiretape.faults.model import EVERY, Fault, Hit, Kind, Unit
from wiretape.jsonrpc import Call, Message, Notice, read

if TYPE_CHECKING:
    from wiretape.cassette.model import Cassette

_ANSWER: Final[tuple[Unit, ...]] = ("request", "type")
_LINE: Final[tuple[Unit, ...]] = ("event", "request", "type")

ENDING_KINDS: Final = frozenset(("child-exit", "eof", "reconnect"))
"""Those after which a connection carries nothing more; they strike once, unless at ``*``."""
_MAY_END: Final = frozenset(("rpc-error", "malformed-line", *ENDING_KINDS))

_IDS: Final = "docs/codex.md, Ids"
_JSON_RPC: Final = "JSON-RPC 2.0, 5 Response object"
_PUBLIC: Final = "public clients of the app-server, which do the one or the other"


def _kind(
    name: str,
    title: str,
    right_client: str,
    units: tuple[Unit, ...],
    evidence: Evidence,
    source: str,
    rules: tuple[str, ...],
) -> Kind:
    return Kind(
        name=name,
        protocol="codex",
        title=title,
        units=units,
        right_client=right_client,
        evidence=evidence,
        source=source,
        may_end=name in _MAY_END,
        rules=tuple(f"codex.{rule}" for rule in rules),
    )


CODEX_KINDS: Final = (
    _kind(
        "rpc-error",
        "nothing is done, and the answer is an error: -32001 “Server overloaded; retry later.”",
        "takes the request for failed and uses nothing that it would have given; asks again after a while, "
        "or gives up with the error's code and text",
        _ANSWER,
        "doc",
        _JSON_RPC,
        ("fault.refused-initialize", "fault.thread-known"),
    ),
    _kind(
        "late-answer",
        "the answer comes half a second late, and everything else that is due comes before it",
        "knows the answer by its id; meanwhile it takes notifications and answers requests, and does not ask "
        "again",
        _ANSWER,
        "wire",
        _IDS,
        ("fault.nothing-lost", "fault.not-asked-twice", "fault.thread-known", "call.answered"),
    ),
    _kind(
        "duplicate-answer",
        "the answer comes twice, one right behind the other",
        "takes the first; nobody waits for the second, so it changes nothing and is not answered",
        _ANSWER,
        "inferred",
        _JSON_RPC,
        ("fault.duplicate-ignored", "call.answered", "call.known-id"),
    ),
    _kind(
        "notification-first",
        "a notification comes before the answer: the one that would follow it, else a configWarning",
        "takes it for a notification and goes on waiting; does not lose it",
        _ANSWER,
        "wire",
        _IDS,
        ("fault.nothing-lost", "fault.thread-known"),
    ),
    _kind(
        "server-request-first",
        "the server's next request comes before the answer",
        "answers the request, though its own is not answered yet",
        _ANSWER,
        "inferred",
        _IDS,
        ("fault.nothing-lost", "call.answered", "call.answered-once", "auth-refresh.answered"),
    ),
    _kind(
        "malformed-line",
        "a line, or websocket message, that is no JSON comes before the server's message, or as the request "
        "arrives",
        "leaves the line out and reads on; or fails at once all that it waits for, and ends",
        _LINE,
        "code",
        _PUBLIC,
        ("fault.malformed-skipped", "call.known-id"),
    ),
    _kind(
        "child-exit",
        "behind the server's message, or as the request arrives, the process ends with exit code 101 and a "
        "line on stderr; a websocket breaks without a close frame",
        "fails at once all that it waits for, with the exit code and the end of stderr; a new process knows "
        "the thread after thread/resume",
        _LINE,
        "code",
        _PUBLIC,
        ("fault.thread-known", "call.known-id"),
    ),
    _kind(
        "eof",
        "behind the server's message, or as the request arrives, stdout ends and the process stays; a "
        "websocket's stream ends without a close frame",
        "takes it for the end: within a second it sends nothing more, and closes its side",
        _LINE,
        "inferred",
        "",
        ("fault.eof-noticed",),
    ),
    _kind(
        "reconnect",
        "behind the server's message, or as the request arrives, the websocket is closed with code 1012 and "
        "the app-server goes on; over stdio the process ends with exit code 0",
        "may connect again: initialize, thread/resume, and an open call comes again with its id over a "
        "websocket; or gives up",
        _LINE,
        "wire",
        _IDS,
        ("fault.thread-known", "initialize.first", "call.answered", "call.known-id"),
    ),
)


class Aim:
    """Counts the messages of a session, and says which faults strike at each."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self._faults = faults
        self._spent: set[Fault] = set()
        self.requests = 0
        self.events = 0

    def request(self, method: str) -> list[Fault]:
        """The faults that strike at the client's next request."""
        self.requests += 1
        return self._at("request", self.requests, method)

    def event(self, method: str) -> list[Fault]:
        """The faults that strike at the server's next message; an answer has no method."""
        self.events += 1
        found = self._at("event", self.events, method)
        return [fault for fault in found if "event" in _UNITS[fault.kind]]

    def _at(self, unit: Unit, number: int, method: str) -> list[Fault]:
        values: dict[Unit, int | str] = {unit: number, "type": method}
        found = [
            fault
            for fault in self._faults
            if fault not in self._spent
            and fault.where.unit in values
            and fault.where.holds(values[fault.where.unit])
            and (method or fault.where.unit != "type")
        ]
        ended = (fault for fault in found if fault.kind in ENDING_KINDS)
        self._spent.update(fault for fault in ended if fault.where.value != EVERY)
        return found


_UNITS: Final = {kind.name: kind.units for kind in CODEX_KINDS}


def codex_hits(fault: Fault, cassette: Cassette) -> list[Hit]:
    """What a fault would strike if a client did what the recorded one did; a play leaves noise out.

    Where nothing is recorded, or the recorded client did not do it, one hit says when it would strike.
    """
    aim = Aim((fault,))
    said = [(each.direction, read(each.data)) for each in cassette.frames]
    asks = any(by == "server" and isinstance(message, Call) for by, message in said)
    if said and not asks and fault.kind == "server-request-first":
        return []
    found = []
    for by, message in said:
        if by == "server" and aim.event(_method(message)):
            at = f"the server's message {aim.events}: {_named(message)}"
            found.append(Hit(fault=fault, at=at, event=aim.events))
        elif by == "client" and isinstance(message, Call) and aim.request(message.method):
            at = f"request {aim.requests}: {_named(message)}"
            found.append(Hit(fault=fault, at=at, request=aim.requests))
    return found or list(_later(fault, aim, recorded=bool(said)))


def _later(fault: Fault, aim: Aim, *, recorded: bool) -> Iterator[Hit]:
    """The hit of a fault that no recorded message shows."""
    where = fault.where
    if where.unit == "event" and recorded:
        return  # the server's own messages are known: there is none of that number
    what = {
        "request": f"its request number {where.value}",
        "type": f"{where.value}, or hears it",
        "event": f"what brings the server's message number {where.value}",
    }
    seen = f"; the recorded one sent {aim.requests} requests" if recorded else ""
    yield Hit(fault=fault, at=f"when the client sends {what[where.unit]}{seen}")


def _method(message: Message) -> str:
    return message.method if isinstance(message, (Call, Notice)) else ""


def _named(message: Message) -> str:
    method, number = _method(message), getattr(message, "id", None)
    return f"{method or 'an answer'}" + ("" if number is None else f" (id {number!r})")
