"""P13 to P16: what a turn of the app-server takes beside the real one, and what the stand-in costs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.measure import Child, Line, Variant, at_most, compare, run_child
from tests.differential import program
from tests.differential.stage import Asked, real_side
from tests.server.codex_wires import OK, Process, Program, Speaker, Websocket, completes_the_call
from wiretape import load_cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import CodexPlayback, ServerThread

GOALS = ("P13", "P14", "P15", "P16")

THREADS = 200
IMAGE = 50_000_000
"""Characters of the image that P15 hands over."""
ROUNDS = 15
_PIECE = "data:image/png;base64,"


def run() -> Iterator[Line]:
    with ServerThread() as server, TemporaryDirectory() as folder:
        yield _turn(server, Path(folder))
        yield _waiting()
        yield from _images(server)
        yield _bridge(server)


def _play(server: ServerThread) -> CodexPlayback:
    playback = server.play(load_cassette("codex/dynamic_tool_text"), PlayOptions(pace="instant"))
    assert isinstance(playback, CodexPlayback)
    return playback


# --- P13: a turn with one tool call ---


def _turn(server: ServerThread, folder: Path) -> Line:
    what = "initialize to turn/completed over stdio"
    binary = program.binary()
    if binary is None:
        times = [_played(server).cpu for _ in range(ROUNDS)]
        note = f"{median(times) * 1000:.1f} ms; {program.missing()}"
        return Line(goal="P13", what=what, figure=0.0, target=0.2, note=note)
    numbers = iter(range(1_000_000))

    def real() -> Child:
        return _real(server, folder / str(next(numbers)), binary)

    times_of = compare({"wiretape": lambda: _played(server), "codex": real}, rounds=ROUNDS)
    return times_of.at_most("P13", what, 0.2, of="wiretape", to="codex")


def _played(server: ServerThread) -> Child:
    playback = _play(server)
    try:
        with Process(playback) as client:
            return _session(client, playback)
    finally:
        playback.close()


def _real(server: ServerThread, folder: Path, binary: Path) -> Child:
    playback = _play(server)
    side = real_side(playback, Asked(), folder, binary)
    try:
        with Program([str(binary), "app-server"], env=side.environment, cwd=side.folder) as client:
            return _session(client, playback)
    finally:
        playback.close()


def _session(client: Speaker, playback: CodexPlayback) -> Child:
    """Play a turn. What counts is the time on the wall, from a process that is up and answers."""
    client.ask("model/list", {})
    began = time.perf_counter()
    _, call = client.call(playback)
    client.answer(call)
    status = client.until("turn/completed")["params"]["turn"]["status"]
    return Child(cpu=time.perf_counter() - began, content=status)


# --- P14: many threads that wait ---

_SERVE = """
import resource, sys
from wiretape import load_cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread
with ServerThread() as server:
    print(server.play(load_cassette("codex/dynamic_tool_text")).ws_url, flush=True)
    sys.stdin.readline()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def _waiting() -> Line:
    tools = load_cassette("codex/dynamic_tool_text").expect.tools
    command = [sys.executable, "-c", _SERVE]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="ascii") as server:
        assert server.stdout is not None
        with Websocket(server.stdout.readline().strip()) as client:
            client.initialize()
            for _ in range(THREADS):
                client.start_turn(client.start_thread(tools))
                client.until("item/tool/call")
            peak = int(server.communicate("\n")[0])
    return at_most(
        "P14", f"{THREADS} threads with a pending call", peak / 1e6, 200, unit="MB", note="peak RSS"
    )


# --- P15: a big answer ---


def _images(server: ServerThread) -> Iterator[Line]:
    for name, connect in (("stdio", Process), ("websocket", lambda playback: Websocket(playback.ws_url))):
        playback = _play(server)
        with connect(playback) as client:
            _, call = client.call(playback)
            began = time.perf_counter()
            items = [{"type": "inputImage", "imageUrl": _PIECE + "A" * IMAGE}]
            client.answer(call, {**OK, "contentItems": items})
            item = client.until(completes_the_call)["params"]["item"]
            seconds = time.perf_counter() - began
        playback.close()
        passed = len(item["contentItems"][0]["imageUrl"]) - len(_PIECE)
        what = f"characters of an image that did not pass over {name}"
        note = f"of {IMAGE / 1e6:g} million; there and back in {seconds:.1f} s"
        yield at_most("P15", what, IMAGE - passed, 0, unit="", note=note)


# --- P16: the program that stands in for codex ---


def _bridge(server: ServerThread) -> Line:
    playback = _play(server)

    def python(*arguments: str) -> Variant:
        return lambda: run_child([sys.executable, *arguments])

    ratios = compare(
        {
            "bridge": lambda: run_child(playback.command),
            "python": python("-c", "pass"),
        },
        rounds=ROUNDS,
    )
    playback.close()
    return ratios.at_most("P16", "CPU of the program in place of codex", 3, of="bridge", to="python")
