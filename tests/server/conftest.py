"""The plays of one test, and a server whose time stands still."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.server.clockwork import Clockwork
from wiretape import load_cassette
from wiretape.cassette.model import Cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import CodexPlayback, Playback, ServerThread


@pytest.fixture
def play(server: ServerThread) -> Iterator[Callable[..., Playback]]:
    """Plays cassettes at instant pace; options are those of PlayOptions."""
    playbacks = []

    def play(cassette: Cassette, **options: object) -> Playback:
        playbacks.append(server.play(cassette, PlayOptions(**{"pace": "instant", **options})))  # type: ignore[arg-type]
        return playbacks[-1]

    yield play
    for playback in playbacks:
        playback.close()


@pytest.fixture
def codex(server: ServerThread) -> Iterator[Callable[..., CodexPlayback]]:
    """Plays codex cassettes, given by name or whole, at instant pace."""
    playbacks = []

    def play(
        cassette: Cassette | str = "codex/dynamic_tool_text",
        *app_server: str,
        key: str | None = None,
        own_port: bool = False,
        pace: str = "instant",
    ) -> CodexPlayback:
        loaded = load_cassette(cassette) if isinstance(cassette, str) else cassette
        options = PlayOptions(pace=pace, app_server=app_server)
        playback = server.play(loaded, options, key=key, own_port=own_port)
        assert isinstance(playback, CodexPlayback)
        playbacks.append(playback)
        return playback

    yield play
    for playback in playbacks:
        playback.close()


@pytest.fixture
def clockwork() -> Clockwork:
    return Clockwork()


@pytest.fixture
def still_server(clockwork: Clockwork) -> Iterator[ServerThread]:
    """A server whose streams move only when the clockwork does."""
    with ServerThread(wheel=clockwork.wheel(), clock=clockwork.now) as server:
        yield server
