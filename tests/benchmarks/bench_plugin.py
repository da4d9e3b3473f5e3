"""P10 and P11: what the plugin costs where nobody uses it, and what a test pays that does."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pytest_httpserver import HTTPServer

from pytest_wiretape.playing import Play
from tests.benchmarks.exchanges import Conversation
from tests.benchmarks.measure import Line, Ratios, Variant, at_most, compare, run_child
from wiretape.cassette import Cassette, load_cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

GOALS = ("P10", "P11")

_DUMP = """
import sys

def pytest_unconfigure(config):
    print(*sorted({name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names))
"""
_OPTIONS = PlayOptions(pace="instant", ids="recorded")


def run() -> Iterator[Line]:
    with TemporaryDirectory() as folder:
        yield from _installed(Path(folder))
    yield from _used()


# --- P10: installed, unused ---------------------------------------------------------------------------------


def _installed(folder: Path) -> Iterator[Line]:
    (folder / "empty_plugin.py").write_text("", encoding="utf-8")
    (folder / "test_it.py").write_text("def test_it():\n    pass\n", encoding="utf-8")
    (folder / "dump.py").write_text(_DUMP, encoding="utf-8")

    # As installed: compiled once, whatever this machine says about writing bytecode.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": str(folder),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }

    def pytest_with(*plugins: str) -> Variant:
        command = [sys.executable, "-m", "pytest", "-qq", "-p", "no:cacheprovider", "-c", os.devnull]
        command += [f"--rootdir={folder}", str(folder), *(f"-p{plugin}" for plugin in plugins)]
        return lambda: run_child(command, env=environment)

    added = _modules(pytest_with("dump", "pytest_wiretape.plugin")) - _modules(pytest_with("dump"))
    foreign = added - {"pytest_wiretape"}
    yield at_most("P10", "foreign modules that an unused plugin loads", len(foreign), 0, unit="modules")
    ratios = compare(
        {"empty": pytest_with("empty_plugin"), "wiretape": pytest_with("pytest_wiretape.plugin")}, rounds=41
    )
    yield _more_than_empty(ratios)


def _modules(run_pytest: Variant) -> set[str]:
    returned = run_pytest()
    return set(str(getattr(returned, "content", b""), "utf-8").split())


def _more_than_empty(ratios: Ratios) -> Line:
    """A difference of milliseconds between runs of 150 of them: the A/A pair is held against it likewise."""
    empty, twin = ratios.seconds["empty"], ratios.pair[1]
    extra, noise = (_milliseconds(times, empty) for times in (ratios.seconds["wiretape"], twin))
    note = f"A/A {noise:+.1f} ms, {len(twin)} rounds"
    line = at_most("P10", "CPU beside an empty plugin", extra, 3, unit="ms", note=note)
    return line if abs(noise) <= 1 else replace(line, ok=None, note=f"inconclusive, {note}")


def _milliseconds(above: Sequence[float], below: Sequence[float]) -> float:
    return median(a - b for a, b in zip(above, below, strict=True)) * 1000


# --- P11: a test that uses it -------------------------------------------------------------------------------


def _used() -> Iterator[Line]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # neither side writes an access log
    cassette = load_cassette("plain_answer")
    with ServerThread() as shared, HTTPServer(host="127.0.0.1", port=0) as other:
        fixture = compare(
            {
                "wiretape": lambda: _judged(shared, cassette),
                "a server per test": lambda: _on_its_own(_judged, cassette),
            }
        )
        session = compare(
            {
                "wiretape": lambda: _played(shared, cassette),
                "pytest-httpserver": lambda: _expected(other, cassette),
                "a server per test": lambda: _on_its_own(_played, cassette),
            }
        )
    alone, whole = "fixture and verdict, no request", "three requests and verdict"
    yield session.at_most("P11", whole, 0.6, of="wiretape", to="pytest-httpserver")
    yield fixture.at_most("P11", alone, 0.25, of="wiretape", to="a server per test")
    yield session.report("P11", whole, of="wiretape", to="a server per test")


def _judged(server: ServerThread, cassette: Cassette) -> object:
    """What a test pays whose client sends nothing."""
    play = Play(server.play(cassette, _OPTIONS))
    try:
        return play.judge().unplayed
    finally:
        play.close()


def _played(server: ServerThread, cassette: Cassette) -> object:
    """What a test pays whose client plays the session; the client costs the same everywhere."""
    play = Play(server.play(cassette, _OPTIONS))
    try:
        body = Conversation(play.base_url).run()
        play.verify()
        return body
    finally:
        play.close()


def _on_its_own(work: Callable[[ServerThread, Cassette], object], cassette: Cassette) -> object:
    with ServerThread() as server:
        return work(server, cassette)


def _expected(server: HTTPServer, cassette: Cassette) -> object:
    """The same session on pytest-httpserver, as its fixture does it for a test."""
    server.clear()
    api = "/backend-api"
    server.expect_ordered_request(f"{api}/ios/attestation_challenge", method="GET").respond_with_json(
        {"attestation_challenge": "c"}
    )
    server.expect_ordered_request(f"{api}/f/conversation/prepare", method="POST").respond_with_json(
        {"status": "ok", "conduit_token": "t"}
    )
    server.expect_ordered_request(f"{api}/f/conversation", method="POST").respond_with_data(
        cassette.interactions[0].response.body, content_type="text/event-stream; charset=utf-8"
    )
    body = Conversation(server.url_for("")).run()
    server.check()
    return body
