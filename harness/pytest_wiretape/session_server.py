"""The server that all tests of a session play on, each in its own namespace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_wiretape.playing import CodexPlay, Play
from pytest_wiretape.plugin import REPORT
from pytest_wiretape.settings import cassette_directory, play_options, refuse
from wiretape.cassette import Cassette, CassetteError, load_cassette
from wiretape.scenario.adaptive import named
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.thread import CodexPlayback, ServerThread


class SessionServer:
    """The session's server: started at the first play, shared by all tests, each in its own namespace."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._thread: ServerThread | None = None
        self._owners: dict[Path, str] = {}
        """The tests whose own the cassettes are that were played so far, by file."""

    @contextmanager
    def play(
        self, cassette: str | Path | Cassette, *, own_port: bool = False, **options: Any
    ) -> Iterator[Play]:
        """Play a cassette as long as the ``with`` block runs, and judge at its end, unless it raised."""
        __tracebackhide__ = True
        loaded = self.load(cassette)
        said = play_options(self.config, options, protocol=loaded.protocol)
        play = self.start(loaded, said, own_port=own_port)
        try:
            yield play
            if play.report is None:
                play.verify()
        finally:
            if reporter := self.config.pluginmanager.get_plugin(REPORT):
                reporter.note(play)
            play.close()

    def start(self, cassette: Cassette, options: PlayOptions, *, own_port: bool, unasked: str = "") -> Play:
        """Begin a play that the caller closes. ``unasked`` says what may be why, when no request comes."""
        if self._thread is None:
            self._thread = ServerThread()
            self._thread.start()
        try:
            playback = self._thread.play(cassette, options, own_port=own_port)
        except (CassetteError, OptionError) as error:
            refuse(str(error))
        if isinstance(playback, CodexPlayback):
            return CodexPlay(playback, unasked=unasked)
        return Play(playback, unasked=unasked)

    def claim(self, file: Path, test: str) -> None:
        """Note whose own a cassette is. Where two tests would replace each other's, the second one fails."""
        owner = self._owners.setdefault(file, test)
        if owner != test:
            refuse(f"{file} is the own cassette of {owner} too; give one of them another name")

    def stop(self) -> None:
        """Stop the server, if there ever was one."""
        if self._thread is not None:
            self._thread.stop()

    def load(self, cassette: str | Path | Cassette, *, protocol: str = "flow_a") -> Cassette:
        """Look a cassette up; ``auto`` is the adaptive scenario. One that is not there fails the test."""
        if isinstance(cassette, Cassette):
            return cassette
        try:
            return named(str(cassette), protocol) or load_cassette(
                cassette, directory=cassette_directory(self.config)
            )
        except CassetteError as error:
            refuse(str(error))
