"""P13: a turn with one tool call over stdio, against the real app-server where it is installed.

Wall time: two processes and the server take part in it. The real one has the same server for its model.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import IO, Any

from tests.benchmarks.measure import Line, at_most
from tests.differential import program
from tests.differential.scenario import ECHO, OK, ONE_CALL, Scenario
from tests.differential.stage import Asked, Side, real_side, wiretape_side
from wiretape_server.options import PlayOptions
from wiretape_server.playback import CodexPlayback
from wiretape_server.thread import ServerThread

GOALS = ("P13",)

_ROUNDS = 7
_SETTLED = 0.5
"""Seconds for a process to come up: its start is not what is timed."""


class Conversation:
    """A client that has to wait for each answer before it goes on."""

    def __init__(self, side: Side) -> None:
        self._process = subprocess.Popen(
            [side.program, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(side.environment),
            cwd=side.folder,
        )
        self._ids = itertools.count(1)
        time.sleep(_SETTLED)

    def turn(self) -> float:
        """Do the handshake and one turn with one call; give the seconds that it took."""
        began = time.perf_counter()
        info = {"name": "bench", "version": "1"}
        self._request("initialize", clientInfo=info, capabilities={"experimentalApi": True})
        self._send({"method": "initialized"})
        thread = self._request("thread/start", dynamicTools=[ECHO])["thread"]["id"]
        self._request("turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
        call = self._next(lambda message: message.get("method") == "item/tool/call")
        self._send({"id": call["id"], "result": OK})
        self._next(lambda message: message.get("method") == "turn/completed")
        return time.perf_counter() - began

    def close(self) -> None:
        self._pipe(self._process.stdin).close()
        self._pipe(self._process.stdout).read()
        self._process.wait()
        self._pipe(self._process.stdout).close()

    def _request(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        self._send({"id": number, "method": method, "params": params})
        return self._next(lambda message: message.get("id") == number and "method" not in message)["result"]

    def _send(self, message: Any) -> None:
        stdin = self._pipe(self._process.stdin)
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()

    def _next(self, wanted: Any) -> Any:
        lines = map(json.loads, iter(self._pipe(self._process.stdout).readline, b""))
        return next(message for message in lines if wanted(message))

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


def run() -> Iterator[Line]:
    binary = program.binary()
    if binary is None:
        print(f"P13 is skipped: {program.missing()}", file=sys.stderr)
        return
    scenario = Scenario(name="bench", model=ONE_CALL, script=_nobody)
    seconds: dict[str, list[float]] = {"wiretape": [], "real": []}
    with ServerThread() as server, tempfile.TemporaryDirectory() as folder:
        for number in range(_ROUNDS):
            for name in sorted(seconds, reverse=bool(number % 2)):
                playback = server.play(scenario.cassette(), PlayOptions(pace="instant"))
                seconds[name].append(_timed(_side(name, playback, Path(folder, f"{name}{number}"), binary)))
                playback.close()
    ratio = median(ours / real for ours, real in zip(seconds["wiretape"], seconds["real"], strict=True))
    ours, real = (1000 * median(seconds[name]) for name in ("wiretape", "real"))
    note = f"{ours:.1f} ms; codex {program.VERSION} {real:.0f} ms; wall time, {_ROUNDS} rounds"
    yield at_most("P13", "initialize to turn/completed, one call", ratio, 0.20, unit="×", note=note)


async def _nobody(_stage: object) -> None:
    """Do nothing: the client is in this file."""


def _side(name: str, playback: Any, folder: Path, binary: Path) -> Side:
    assert isinstance(playback, CodexPlayback)
    if name == "real":
        return real_side(playback, Asked(), folder, binary)
    return wiretape_side(playback, Asked(), folder)


def _timed(side: Side) -> float:
    conversation = Conversation(side)
    try:
        return conversation.turn()
    finally:
        conversation.close()
