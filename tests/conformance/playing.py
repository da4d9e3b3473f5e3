"""How the conformance tests play a cassette to a client: in this process, or as a command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from tests.conformance.reference_client import CONFORMING, Hooks, ReferenceClient
from wiretape import load_cassette, verify
from wiretape.contract import Finding, Report
from wiretape.transcript import Transcript
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

Client = TypeVar("Client", bound=ReferenceClient)
CLIENTS = Path(__file__).parents[1] / "examples" / "clients"
NODE_MUST_RUN = os.environ.get("CI", "").lower() == "true"
IDLE_WITHIN = 10.0
"""Seconds within which the streams of a client that has ended must have ended too."""
RUNS_WITHIN = 60.0
"""Seconds that a client may take as a command."""

needs_node = pytest.mark.skipif(
    not NODE_MUST_RUN and shutil.which("node") is None, reason="node is not installed"
)


def client_of(kind: type[Client], playback: Playback, hooks: Hooks = CONFORMING) -> Client:
    """A client of this kind for a playback, broken by ``hooks``."""
    return kind(
        base_url=playback.base_url,
        user_message=playback.user_message,
        tools=playback.tools,
        results=playback.results,
        hooks=hooks,
    )


def reference(playback: Playback, hooks: Hooks = CONFORMING) -> ReferenceClient:
    """The reference client for a playback, broken by ``hooks``."""
    return client_of(ReferenceClient, playback, hooks)


def judged(
    server: ServerThread,
    cassette: str,
    hooks: Hooks = CONFORMING,
    *,
    pace: str = "instant",
    strict: bool = False,
    faults: Sequence[str] = (),
) -> Report:
    """Play a cassette to the reference client and give the verdict."""
    options = PlayOptions.parse(pace=pace, strict=strict, faults=faults)
    return verify(session(server, cassette, options, hooks))


def session(
    server: ServerThread, cassette: str, options: PlayOptions, hooks: Hooks = CONFORMING
) -> Transcript:
    """Play a cassette to the reference client; what went over the wire."""
    playback = server.play(load_cassette(cassette), options)
    try:
        reference(playback, hooks).run()
        assert playback.wait_idle(IDLE_WITHIN)
        return playback.transcript()
    finally:
        playback.close()


def verdict(playback: Playback) -> Report:
    """The verdict on a client that has ended."""
    assert playback.wait_idle(IDLE_WITHIN)
    return verify(playback.transcript())


def failures(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.failed]


def run(
    command: Sequence[str], playback: Playback, *, base_url: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a client command as ``wiretape check`` does."""
    environment = os.environ | {
        "WIRETAPE_BASE_URL": base_url or playback.base_url,
        "WIRETAPE_CASSETTE": playback.cassette.name,
        "WIRETAPE_USER_MESSAGE": playback.user_message,
        "WIRETAPE_TOOLS": json.dumps(playback.tools),
        "WIRETAPE_TOOL_RESULTS": json.dumps(playback.results),
    }
    return subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=RUNS_WITHIN, check=False
    )
