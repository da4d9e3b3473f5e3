"""One server for the conformance tests, and the way to play a cassette to a client in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest
from reference_client import Hooks, ReferenceClient

from wiretape import load_cassette, verify
from wiretape.contract import Report
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

Judge: TypeAlias = Callable[..., Report]
IDLE_WITHIN = 10.0
"""Seconds within which the streams of a client that has ended must have ended too."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread() as server:
        yield server


@pytest.fixture(scope="module")
def judge(server: ServerThread) -> Judge:
    """Play a cassette to the reference client, broken by ``hooks``, and give the verdict."""

    def play(cassette: str, hooks: Hooks = Hooks(), *, pace: str = "instant") -> Report:
        playback = server.play(load_cassette(cassette), PlayOptions(pace=pace))
        try:
            reference(playback, hooks).run()
            assert playback.wait_idle(IDLE_WITHIN)
            return verify(playback.transcript())
        finally:
            playback.close()

    return play


def reference(playback: Playback, hooks: Hooks = Hooks()) -> ReferenceClient:
    return ReferenceClient(
        base_url=playback.base_url,
        user_message=playback.user_message,
        tools=playback.tools,
        results=playback.results,
        hooks=hooks,
    )
