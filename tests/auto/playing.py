"""Plays what is made up to the reference clients, which bring tools of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.auto.schemas import signature
from tests.conformance.playing import verdict
from tests.conformance.reference_client import CONFORMING, Hooks, ReferenceClient
from wiretape.cassette import Cassette
from wiretape.contract import Report
from wiretape.scenario import adaptive
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

RESULTS = {"handoff": {"accepted": True, "thread_id": "t1"}}
TOOLS = [signature("handoff", "prompt", "reason"), signature("alefita_way", "message")]
"""As clients of the seed have them: the broken clients know these names."""


def client(
    playback: Playback, hooks: Hooks = CONFORMING, tools: Sequence[Mapping[str, Any]] = TOOLS
) -> ReferenceClient:
    """The reference client with tools of its own."""
    assert playback.tools == []
    return ReferenceClient(
        base_url=playback.base_url,
        user_message=playback.user_message,
        tools=tools,
        results=RESULTS,
        hooks=hooks,
    )


def judged(
    server: ServerThread,
    hooks: Hooks = CONFORMING,
    tools: Sequence[Mapping[str, Any]] = TOOLS,
    **options: Any,
) -> tuple[Report, Cassette]:
    """Let the reference client run against ``auto``: the verdict, and what was made up."""
    playback = server.play(adaptive(), PlayOptions(**{"pace": "instant"} | options))
    try:
        client(playback, hooks, tools).run()
        return verdict(playback), playback.cassette
    finally:
        playback.close()
