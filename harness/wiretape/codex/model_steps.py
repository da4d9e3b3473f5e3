"""What the model did in a recorded session, thread by thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from wiretape.cassette.model import Step
from wiretape.codex.messages import REFRESH, TOOL_CALL, fields
from wiretape.codex.said import Said
from wiretape.codex.turn_steps import TurnSteps
from wiretape.jsonrpc import Answer, Failure

TOKENS: Final = "thread/tokenUsage/updated"


class ModelSteps:
    """Takes the messages of a session in order; then ``threads`` holds the steps of each thread.

    ``counted``: its server tells of tokens behind each of the provider's answers.
    """

    def __init__(self, *, counted: bool = False) -> None:
        self._counted = counted
        self.threads: dict[str, list[Step]] = {}
        self.forks: set[str] = set()
        """Threads that go on where another one was."""
        self.untold: Counter[str] = Counter()
        """What the model did that no step can hold, by sort."""
        self.turns: dict[tuple[str, str], TurnSteps] = {}
        """The latest turn of each thread and id."""
        self._running: dict[str, TurnSteps] = {}
        self._told: Mapping[str, Callable[[Said, dict[str, Any]], None]] = {
            "turn/started": self._turn_started,
            "turn/completed": self._turn_completed,
            "item/started": lambda said, params: self._turn(said, params).started(
                fields(params.get("item")), said.connection
            ),
            "item/completed": lambda said, params: self._turn(said, params).completed(
                fields(params.get("item"))
            ),
            "item/agentMessage/delta": lambda said, params: self._turn(said, params).grew(
                str(params.get("itemId")), str(params.get("delta")), said.connection
            ),
            TOKENS: self._tokens_counted,
            TOOL_CALL: lambda said, params: self._turn(said, params).called(params),
            REFRESH: self._refresh_asked,
        }
        self._answered: Mapping[str, Callable[[Said, dict[str, Any]], None]] = {
            "turn/start": self._turn_opened,
            "thread/fork": self._forked,
            TOOL_CALL: lambda said, params: self._turn(said, params).answered(str(params.get("callId"))),
            REFRESH: self._refreshed,
        }

    def take(self, said: Said) -> None:
        """Take the next message."""
        if said.request is not None:
            if said.method in self._answered:
                self._answered[said.method](said, said.params)
        elif said.by == "server" and said.method in self._told:
            self._told[said.method](said, said.params)

    def close(self) -> None:
        """The recording has ended."""
        for thread in list(self._running):
            self._leave(thread)

    def is_running(self, thread: str) -> bool:
        """Whether a thread has a turn of whose end nobody was told."""
        return thread in self._running

    # --- turns

    def _turn(self, said: Said, params: dict[str, Any]) -> TurnSteps:
        """The turn that a message is about. One that has ended takes what another connection hears late."""
        thread, turn_id = str(params.get("threadId")), str(params.get("turnId"))
        return self.turns.get((thread, turn_id)) or self._begin(thread, turn_id, said.connection)

    def _begin(self, thread: str, turn_id: str, connection: str) -> TurnSteps:
        self._leave(thread)
        self.threads.setdefault(thread, [])
        turn = self.turns[thread, turn_id] = self._running[thread] = TurnSteps(
            turn_id, connection, counted=self._counted
        )
        return turn

    def _leave(self, thread: str) -> None:
        """A turn of whose end nobody was told: its process ended, or the recording did."""
        if thread in self._running:
            self._running[thread].cut()
            self._write(thread)

    def _write(self, thread: str) -> None:
        turn = self._running.pop(thread)
        self.threads[thread] += turn.steps
        self.untold += turn.untold

    def _turn_opened(self, said: Said, params: dict[str, Any]) -> None:
        """A turn begins, or the client joined the one that runs.

        Up to 0.98 every process counts its turns from 0: such an id can come again.
        """
        thread, turn_id = str(params.get("threadId")), str(fields(said.result.get("turn")).get("id"))
        known = self.turns.get((thread, turn_id))
        again = turn_id.isdecimal() and known is not None and known.connection != said.connection
        if isinstance(said.message, Answer) and (known is None or again):
            self._begin(thread, turn_id, said.connection)

    def _turn_started(self, said: Said, params: dict[str, Any]) -> None:
        self._turn(said, {**params, "turnId": fields(params.get("turn")).get("id")})

    def _turn_completed(self, said: Said, params: dict[str, Any]) -> None:
        told = fields(params.get("turn"))
        turn = self._turn(said, {**params, "turnId": told.get("id")})
        thread = str(params.get("threadId"))
        if self._running.get(thread) is turn:
            turn.ended(told.get("status"), told.get("error"))
            self._write(thread)

    def _tokens_counted(self, _said: Said, params: dict[str, Any]) -> None:
        """A resumed thread tells again of a turn of its past."""
        turn = self.turns.get((str(params.get("threadId")), str(params.get("turnId"))))
        if turn is not None:
            turn.spent()

    def _forked(self, said: Said, params: dict[str, Any]) -> None:
        thread = fields(said.result.get("thread")).get("id")
        parent = self.threads.get(str(params.get("threadId")))
        if isinstance(thread, str) and parent is not None:
            self.forks.add(thread)
            self.threads[thread] = list(parent)

    # --- tokens: the requests for them name no turn, it is the one that began last

    def _refresh_asked(self, _said: Said, _params: dict[str, Any]) -> None:
        for turn in list(self._running.values())[-1:]:
            turn.refused()

    def _refreshed(self, said: Said, _params: dict[str, Any]) -> None:
        for turn in list(self._running.values())[-1:]:
            if not isinstance(said.message, Failure):
                turn.refreshed()
