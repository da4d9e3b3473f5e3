"""Plays a scenario on both sides at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.differential.scenario import Scenario
from tests.differential.stage import Asked, Side, Stage, real_side, wiretape_side
from tests.differential.transcripts import transcript
from wiretape.cassette.model import Step
from wiretape_server.codex.provider import ProviderRequest
from wiretape_server.codex_play import CodexPlay
from wiretape_server.options import PlayOptions
from wiretape_server.playback import CodexPlayback
from wiretape_server.thread import ServerThread


class Theatre:
    """One wiretape server for all scenarios: one side's app-server, and the other's model provider."""

    def __init__(self, server: ServerThread, program: Path) -> None:
        self._server = server
        self._program = program
        self._asked: dict[str, Asked] = {}

    def play(self, scenario: Scenario, folder: Path) -> tuple[list[str], list[str]]:
        """Give the transcripts of the real app-server and of wiretape's."""
        real = real_side(
            *self._playing(scenario, f"real/{scenario.name}"),
            folder / "real",
            self._program,
            login=scenario.login,
        )
        ours = wiretape_side(*self._playing(scenario, f"wiretape/{scenario.name}"), folder / "wiretape")
        try:
            return asyncio.run(_perform_both(scenario, real, ours))
        finally:
            real.play.close()
            ours.play.close()

    def note(self, play: CodexPlay, request: ProviderRequest) -> None:
        """Keep what a play's model is asked."""
        self._asked[play.key].note(request)

    def _playing(self, scenario: Scenario, key: str) -> tuple[CodexPlayback, Asked]:
        self._asked[key] = Asked()
        playback = self._server.play(scenario.cassette(), PlayOptions(pace="instant"), key=key)
        assert isinstance(playback, CodexPlayback)
        return playback, self._asked[key]


@contextmanager
def theatre(program: Path) -> Iterator[Theatre]:
    """Open a theatre whose server notes what models are asked."""
    next_step = CodexPlay.next_step
    with ServerThread() as server:
        opened = Theatre(server, program)

        def noting(play: CodexPlay, request: ProviderRequest) -> Step:
            opened.note(play, request)
            return next_step(play, request)

        CodexPlay.next_step = noting  # type: ignore[method-assign, assignment]
        try:
            yield opened
        finally:
            CodexPlay.next_step = next_step  # type: ignore[method-assign]


async def _perform_both(scenario: Scenario, real: Side, ours: Side) -> tuple[list[str], list[str]]:
    theirs, own = await asyncio.gather(_perform(scenario, real), _perform(scenario, ours))
    return theirs, own


async def _perform(scenario: Scenario, side: Side) -> list[str]:
    stage = Stage(side=side)
    try:
        await scenario.script(stage)
    except Exception as error:
        error.add_note(f"on the side of {side.name}")
        raise
    finally:
        await stage.close()
    return transcript(stage)
