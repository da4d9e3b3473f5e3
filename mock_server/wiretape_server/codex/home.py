"""What the app-server keeps on disk: threads with their turns, shared by all processes of one home."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from wiretape_server.codex.profile import TurnStatus
from wiretape_server.codex.specs import Declaration


@dataclass(slots=True, kw_only=True)
class Item:
    """One item of a turn. ``wire`` has all members that any version has; ``ordinal`` counts per thread."""

    wire: dict[str, Any]
    ordinal: int = 0
    """0 until it is complete."""

    @property
    def kind(self) -> str:
        return str(self.wire["type"])


@dataclass(slots=True, kw_only=True)
class Turn:
    """One turn. Times are seconds since 1970."""

    id: str
    number: int
    """Counted from 1 over the thread's turns."""
    ordinal: int
    status: TurnStatus = "inProgress"
    started_at: float | None = None
    completed_at: float | None = None
    error: dict[str, Any] | None = None
    items: list[Item] = field(default_factory=list)
    """Those that are complete, in the order in which they became so."""
    open: list[Item] = field(default_factory=list)
    """Calls that wait for the client."""


@dataclass(slots=True, kw_only=True)
class Thread:
    """One thread: its tools, its turns, and what the model will be told of them."""

    id: str
    created_at: float
    updated_at: float
    path: str | None
    """None for an ephemeral thread, which is not kept."""
    tools: Declaration
    paginated: bool
    keeps_calls: bool
    """Calls stand in its history."""
    originator: str
    cwd: str
    model: str
    declared: Sequence[Any] = ()
    """Its tools as the client declared them."""
    forked_from: str | None = None
    inherited: int = 0
    """How many of its turns are those of the thread that it was forked from."""
    preview: str = ""
    turns: list[Turn] = field(default_factory=list)
    context: list[dict[str, Any]] = field(default_factory=list)
    """The ``input`` of the next request to the model's provider, without its prompts."""
    requests: int = 0
    """How many requests its model has had."""
    ordinals: int = 0
    """How many turns and items are counted."""
    unread: str | None = None
    """The first turn that ended since the thread began."""
    revision: str = ""

    def next_ordinal(self) -> int:
        self.ordinals += 1
        return self.ordinals

    def items(self) -> Iterator[tuple[Turn, Item]]:
        """Every complete item with its turn, oldest first."""
        return ((turn, item) for turn in self.turns for item in turn.items)

    @property
    def ephemeral(self) -> bool:
        return self.path is None

    @property
    def recent_at(self) -> float:
        """When its last turn began, else the thread itself."""
        begun = self.turns[-1].started_at if self.turns else None
        return self.created_at if begun is None else begun


@dataclass(slots=True, kw_only=True)
class Home:
    """The place that several processes of one app-server share: CODEX_HOME, and where they run."""

    path: str = "/home/user/.codex"
    cwd: str = "/home/user/project"
    model: str = "mock-model"
    provider: str = "mock"
    provider_url: str = "http://127.0.0.1/v1/responses"
    threads: dict[str, Thread] = field(default_factory=dict)
    """The threads that have had a turn, by id, in the order of their first."""
