"""What all parts of one running app-server share, and the threads that it has loaded."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from wiretape_server.codex.home import Home, Thread
from wiretape_server.codex.outbox import Hearer, Outbox
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.provider import Model
from wiretape_server.codex.shapes import IDLE, milliseconds
from wiretape_server.minting import IdSource

if TYPE_CHECKING:
    from wiretape_server.codex.auth import Login
    from wiretape_server.codex.turns import TurnRun


class Timer(Protocol):
    """What ``call_later`` gives back."""

    def cancel(self) -> object: ...


CallLater = Callable[[float, Callable[[], None]], Timer]
"""Calls a function after that many seconds."""


@dataclass(slots=True, kw_only=True, eq=False)
class LoadedThread:
    """A thread in a running process: who hears of it, and the turn that runs."""

    thread: Thread
    subscribers: list[Hearer] = field(default_factory=list)
    """The connections that started, resumed or forked it."""
    status: Mapping[str, Any] = field(default_factory=lambda: IDLE)
    run: TurnRun | None = None
    told: int = 0
    """How often a client told it something in this process: a turn, an answer, an interrupt."""

    def subscribe(self, hearer: Hearer) -> None:
        if hearer not in self.subscribers:
            self.subscribers.append(hearer)


@dataclass(slots=True, kw_only=True, eq=False)
class Process:
    """One app-server process."""

    profile: Profile
    home: Home
    model: Model
    outbox: Outbox
    wall: Callable[[], float]
    mint: IdSource
    call_later: CallLater
    complain: Callable[[str], None]
    """Takes a line for stderr."""
    thinking: float = 0.0
    """Seconds that the model takes for an answer."""
    connections: list[Hearer] = field(default_factory=list)
    """Those that are initialized."""
    loaded: dict[str, LoadedThread] = field(default_factory=dict)
    login: Login | None = None

    def tell(self, loaded: LoadedThread, method: str, params: Mapping[str, Any]) -> None:
        """Notify the connections that follow a thread."""
        self.outbox.notify(loaded.subscribers, method, {"threadId": loaded.thread.id, **params})

    def set_status(self, loaded: LoadedThread, status: Mapping[str, Any]) -> None:
        """Notify every connection of a thread's new status."""
        loaded.status = status
        if not self.profile.status_changes:
            return
        params = {"threadId": loaded.thread.id, "status": status}
        self.outbox.notify(self.connections, "thread/status/changed", params)

    def leave(self, hearer: Hearer) -> None:
        """A connection is gone. What it was asked stays open: whoever resumes the thread gets it."""
        for hearers in (self.connections, *(each.subscribers for each in self.loaded.values())):
            if hearer in hearers:
                hearers.remove(hearer)

    def exit(self, *, killed: bool) -> None:
        """The process ends: turns that run end without a word."""
        for loaded in self.loaded.values():
            if loaded.run is not None:
                loaded.run.lose(killed=killed)

    def uuid4(self) -> str:
        return str(uuid.UUID(bytes=self.mint(16), version=4))

    def uuid7(self) -> str:
        """A UUID that begins with the time, as the ids of threads and turns do."""
        data = bytearray(milliseconds(self.wall()).to_bytes(6, "big") + self.mint(10))
        data[6] = 0x70 | data[6] & 0x0F
        data[8] = 0x80 | data[8] & 0x3F
        return str(uuid.UUID(bytes=bytes(data)))
