"""Faults on the connections of a codex play: an overlay between the app-server and its transports.

The app-server knows nothing of it. What it says goes through ``hear``, what the client says through ``take``;
the overlay notes both in the transcript as they really are on the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from wiretape import strictjson
from wiretape.faults import Fault
from wiretape.faults.codex import ENDING_KINDS, Aim
from wiretape.jsonrpc import Answer, Call, Failure, Notice, read
from wiretape.transcript import Side
from wiretape_server.codex.process import CallLater

LATE: Final = 0.5
"""Seconds that an answer waits, at the recorded pace or a faster one."""
OVERLOADED: Final = {"code": -32001, "message": "Server overloaded; retry later."}
"""What the app-server's documentation says that it answers when too much is asked of it."""
CRASHED: Final = 101
CRASH: Final = "thread 'main' panicked: wiretape ends this app-server by a fault, child-exit"
"""The exit code, and the last line of stderr, of a process that a fault ends."""
MALFORMED: Final = b'{"method":"configWarning","params":{"summary":"this line was cut'
WARNING: Final = {"method": "configWarning", "params": {"summary": "first of all", "details": None}}
"""A notification that real servers send at any time."""


class Outlet(Protocol):
    """Where a connection's messages go, and how it ends."""

    def send(self, data: bytes) -> None:
        """Write one message, which comes without its newline."""

    def end_by(self, kind: str) -> None:
        """End as this kind of fault does: ``child-exit``, ``eof`` or ``reconnect``."""

    def drop(self) -> None:
        """Break off: the process has died."""


class Notes(Protocol):
    """The play's transcript."""

    def frame(self, direction: Side, data: bytes, connection: str) -> None: ...

    def struck(self, connection: str, fault: str) -> None: ...


class Unnoted:
    """The app-server's recorder where an overlay notes what is on the wire."""

    def frame(self, direction: Side, data: bytes, connection: str) -> None: ...


@dataclass(slots=True, kw_only=True, eq=False)
class Held:
    """An answer that waits for something else to come first."""

    data: bytes
    fault: Fault
    copies: int


class Overlay:
    """The faults of one connection. An answer waits ``patience`` seconds at most."""

    def __init__(
        self,
        name: str,
        aim: Aim,
        notes: Notes,
        outlet: Outlet,
        call_later: CallLater,
        *,
        patience: float = LATE,
    ) -> None:
        self.ended = ""
        """The kind of the fault after which nothing more is said."""
        self._name = name
        self._aim = aim
        self._notes = notes
        self._outlet = outlet
        self._call_later = call_later
        self._patience = patience
        self._plans: dict[str, list[Fault]] = {}
        """What is to happen to an answer, by the id of the client's request as it is written."""
        self._held: list[Held] = []

    # --- what the client says

    def take(self, data: bytes, receive: Callable[[bytes], None]) -> None:
        """Note a message of the client's. The app-server ``receive``s it, unless a fault is in the way."""
        if self.ended not in ("", "eof"):
            return  # nobody is there to read it
        self._notes.frame("client", data, self._name)
        message = read(data)
        faults = self._aim.request(message.method) if isinstance(message, Call) else ()
        if not isinstance(message, Call) or self._lets_pass(message, faults):
            receive(data)
            self._warn()

    def _lets_pass(self, request: Call, faults: Sequence[Fault]) -> bool:
        """Do what is due as a request arrives; whether the app-server gets it."""
        passes = True
        for fault in faults:
            if fault.kind in ENDING_KINDS:
                self._end(fault)
                passes &= fault.kind == "eof"
            elif fault.kind == "malformed-line":
                self._malform(fault)
            elif fault.kind == "rpc-error":
                self._note(fault)
                self._write(strictjson.dumps({"error": OVERLOADED, "id": request.id}).encode())
                passes = False
            else:
                self._plan(request, fault)
        return passes

    def _plan(self, request: Call, fault: Fault) -> None:
        self._plans.setdefault(repr(request.id), []).append(fault)
        if fault.kind not in _OVERTAKING:
            self._note(fault)  # now, so that the transcript shows of which request

    def _warn(self) -> None:
        """Make a notification up where none follows an answer."""
        for held in [each for each in self._held if each.fault.kind == "notification-first"]:
            self._note(held.fault)
            self._write(strictjson.dumps(WARNING).encode())
            self._release(held)

    # --- what the server says

    def hear(self, data: bytes) -> None:
        """Take a message of the app-server's, and write what becomes of it."""
        if self.ended:
            return
        message = read(data)
        faults = self._aim.event(getattr(message, "method", ""))
        for fault in faults:
            if fault.kind == "malformed-line":
                self._malform(fault)
        planned = self._plans.pop(repr(message.id), ()) if isinstance(message, (Answer, Failure)) else ()
        if planned:
            self._answer(data, planned)
        else:
            self._overtake(data, [each for each in self._held if _goes_first(message, each.fault)])
        for fault in faults:
            if fault.kind in ENDING_KINDS:
                self._end(fault)

    def _answer(self, data: bytes, faults: Sequence[Fault]) -> None:
        """Write an answer, once or twice, unless it has to wait."""
        kinds = {fault.kind: fault for fault in faults}
        copies = 2 if kinds.pop("duplicate-answer", None) else 1
        if not kinds:
            self._write(data, copies)
            return
        held = Held(data=data, fault=next(iter(kinds.values())), copies=copies)
        self._held.append(held)
        self._call_later(self._patience, lambda: self._release(held))

    def _overtake(self, data: bytes, held: Sequence[Held]) -> None:
        """Write a message, and then the answers that had to wait for one like it."""
        for each in held:
            self._note(each.fault)
        self._write(data)
        for each in held:
            self._release(each)

    def _release(self, held: Held) -> None:
        """Write an answer that had to wait, if it still does."""
        if held in self._held:
            self._held.remove(held)
            self._write(held.data, held.copies)

    # --- what becomes of it

    def _malform(self, fault: Fault) -> None:
        self._note(fault)
        self._write(MALFORMED)

    def _end(self, fault: Fault) -> None:
        """Say nothing more; the end itself comes when the app-server has come to the end of what it does."""
        if not self.ended:
            self._note(fault)
            self.ended = fault.kind
            self._call_later(0, lambda: self._outlet.end_by(fault.kind))

    def _note(self, fault: Fault) -> None:
        self._notes.struck(self._name, str(fault))

    def _write(self, data: bytes, copies: int = 1) -> None:
        for _ in range(0 if self.ended else copies):
            self._notes.frame("server", data, self._name)
            self._outlet.send(data)


_OVERTAKING: Final[dict[str, type[Notice] | type[Call]]] = {
    "notification-first": Notice,
    "server-request-first": Call,
}
"""The kinds that let another message come before an answer, and which."""


def _goes_first(message: object, fault: Fault) -> bool:
    return isinstance(message, _OVERTAKING.get(fault.kind, ()))
