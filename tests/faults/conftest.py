"""The plays of one test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from wiretape import load_cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread


@pytest.fixture
def play(server: ServerThread) -> Iterator[Callable[..., Playback]]:
    """Plays a cassette with faults; at instant pace and with the recorded ids unless said otherwise."""
    playbacks = []

    def play(cassette: str, *faults: str, **options: Any) -> Playback:
        said = {"pace": "instant", "ids": "recorded", **options}
        playbacks.append(server.play(load_cassette(cassette), PlayOptions.parse(faults=faults, **said)))
        return playbacks[-1]

    yield play
    for playback in playbacks:
        playback.close()


@pytest.fixture
def codex(play: Callable[..., Playback]) -> Callable[..., Playback]:
    """Plays a codex cassette with these faults."""
    return lambda *faults, cassette="dynamic_tool_text", **options: play(
        f"codex/{cassette}", *faults, **options
    )
