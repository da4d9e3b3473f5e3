"""A Codex play without a cassette: its model calls the dynamic tools that each thread declares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from wiretape.cassette.model import Cassette, Step
from wiretape.scenario.codex import Scene, cassette_of, scene
from wiretape_server.codex.provider import ProviderRequest
from wiretape_server.codex_play import CodexPlay, describe

NOTHING_ASKED: Final = "nothing was made up: no client began a turn"
NOTHING_TO_CALL: Final = (
    "nothing to call: no thread with a turn declared a tool in dynamicTools of thread/start; "
    "let the client declare its own tools (a real app-server does not pass them on)"
)


@dataclass(slots=True)
class _Turn:
    """A turn that was made up, and how many of its steps were asked for."""

    scene: Scene
    asked: int = 0

    def next_step(self) -> Step:
        """The next step; behind the last one that one again, for a turn that the user steers on."""
        steps = self.scene.steps
        self.asked += 1
        return steps[min(self.asked, len(steps)) - 1]

    def unplayed(self) -> Iterator[str]:
        steps = self.scene.steps
        for number, step in enumerate(steps[self.asked :], self.asked + 1):
            yield f"model step {number} of {len(steps)} ({describe(step)}) was not asked for"


@dataclass(slots=True, kw_only=True)
class AutoModel:
    """Makes each turn up: it calls what the thread declares and no turn of it has called before."""

    seed: int
    profile: str
    overruns: list[str] = field(default_factory=list)
    threads: dict[str, dict[str, _Turn]] = field(default_factory=dict)
    """The turns by id, in order, of each thread."""
    cassettes: dict[str, Cassette] = field(default_factory=dict)
    """What each thread has been played."""

    def next_step(self, request: ProviderRequest) -> Step:
        turns = self.threads.setdefault(request.thread_id, {})
        if request.turn_id not in turns:
            turns[request.turn_id] = self._make_up(request)
            self.cassettes[request.thread_id] = self._cassette(request)
        return turns[request.turn_id].next_step()

    def _make_up(self, request: ProviderRequest) -> _Turn:
        turns = self.threads[request.thread_id].values()
        called = {call.tool.title for turn in turns for call in turn.scene.plan.calls}
        return _Turn(
            scene(
                list(request.declared or ()),
                seed=self.seed,
                profile=self.profile,
                called=called,
                place=str(len(turns)),
            )
        )

    def _cassette(self, request: ProviderRequest) -> Cassette:
        scenes = [turn.scene for turn in self.threads[request.thread_id].values()]
        return cassette_of(scenes, list(request.declared or ()), seed=self.seed, profile=self.profile)


class AutoCodexPlay(CodexPlay):
    """Its cassette is the one of the thread that was played the most."""

    def make_model(self, _cassette: Cassette) -> AutoModel:
        self._auto = AutoModel(seed=self.options.seed, profile=self.profile.name)
        return self._auto

    def next_step(self, request: ProviderRequest) -> Step:
        """What the model does with a request."""
        step = self._auto.next_step(request)
        longest = max(self._auto.cassettes.values(), key=lambda each: len(each.model))
        self.cassette = replace(longest, name=self.cassette.name)
        return step

    @property
    def unplayed(self) -> tuple[str, ...]:
        """What was not reached, and why nothing was called, if so."""
        turns = [turn for turns in list(self._auto.threads.values()) for turn in list(turns.values())]
        if not turns:
            return (NOTHING_ASKED,)
        unfit = dict.fromkeys(each for turn in turns for each in turn.scene.plan.unfit)
        calls = any(turn.scene.plan.calls for turn in turns)
        nothing = () if calls or unfit else (NOTHING_TO_CALL,)
        return (*nothing, *unfit, *(line for turn in turns for line in turn.unplayed()))
