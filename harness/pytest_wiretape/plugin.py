"""Hooks, options and fixtures. Whatever costs an import is imported by the fixture that needs it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_wiretape.playing import Play, Wiretape
    from pytest_wiretape.session_server import SessionServer

OPTIONS = {
    "pace": "how fast cassettes play: recorded, instant, or a factor as x0.5",
    "chunks": "how bodies are cut: recorded, event, byte, one, or random:SEED",
    "ids": "fresh: re-mint server-made ids in each play; recorded: the very bytes",
    "strict": "answer a wrong return with 422 and the findings",
    "profile": "the protocol profile that the verdict demands, as flow_a=app or codex=0.110",
    "faults": "what goes wrong on purpose: cut@event:12, 429@request:3 and the like, or a YAML file of them",
    "seed": "what made-up sessions (auto) are drawn from, a whole number",
    "cassette_dir": "where cassettes are looked up by name, before the bundled ones, and tests' own are",
    "record": "which of tests' own cassettes are recorded: none, once, new_episodes, all, rewrite",
    "upstream": "the real backend to record from, a URL",
    "redact": "your own redaction rules for recordings, a YAML file",
    "report": "a report to write: KIND:FILE, of json, junit, html, md, github, badge, text; repeatable",
}
"""Each is --wiretape-NAME, the ini setting wiretape_NAME and the environment variable WIRETAPE_NAME."""

MORE: Mapping[str, Mapping[str, Any]] = {
    "strict": {"nargs": "?", "const": "true"},  # without a value --wiretape-strict means yes
    "report": {"action": "append"},
}
"""What options of this kind need besides."""

MARKER = (
    "wiretape(name, *, pace, chunks, ids, strict, faults, profile, seed, own_port): the cassette "
    "that wiretape_playback plays, and how; the fixture wiretape takes its options from here too"
)
REPORT = "wiretape_report"
PASSED = pytest.StashKey[bool]()
PLAYER = pytest.StashKey["Wiretape"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare --wiretape-… and wiretape_…"""
    group = parser.getgroup("wiretape", "plays recorded sessions to clients and judges what they send")
    for name, text in OPTIONS.items():
        more = MORE.get(name, {})
        option = f"--wiretape-{name.replace('_', '-')}"
        group.addoption(option, dest=f"wiretape_{name}", metavar=name.upper(), help=text, **more)
        parser.addini(f"wiretape_{name}", text, default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, so that --strict-markers knows it, and what writes the reports, if any."""
    config.addinivalue_line("markers", MARKER)
    if any((config.getoption(REPORT), os.environ.get(REPORT.upper()), config.getini(REPORT))):
        from pytest_wiretape.reporting import Reporter, targets

        config.pluginmanager.register(Reporter(config, targets(config)), REPORT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let go of a test's plays, which hold transcripts, once it is over: pytest keeps tests to the end."""
    try:
        return (yield)
    finally:
        if PLAYER in item.stash:
            del item.stash[PLAYER]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether the test passed; beside a failure of its own or its fixtures show what wiretape saw."""
    report = yield
    if report.when == "call":
        item.stash[PASSED] = call.excinfo is None
    if report.failed and report.when != "teardown" and PLAYER in item.stash:
        report.sections += item.stash[PLAYER].seen_until_failure()
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which cassettes were recorded, and what is different in those that were replaced."""
    said = [
        text
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "teardown"
        for name, text in report.user_properties
        if name == "wiretape.recorded"
    ]
    if said:
        terminalreporter.section("wiretape recordings")
        terminalreporter.line("\n".join(said))


@pytest.fixture(scope="session")
def wiretape_server(pytestconfig: pytest.Config) -> Iterator[SessionServer]:
    """The session's server: ``with wiretape_server.play("alefita_way") as play:`` judges when the block ends.

    For what a function-scoped fixture can't do, as one play for each example of a Hypothesis test.
    """
    from pytest_wiretape.session_server import SessionServer

    server = SessionServer(pytestconfig)
    yield server
    server.stop()


@pytest.fixture
def wiretape(request: pytest.FixtureRequest, wiretape_server: SessionServer) -> Iterator[Wiretape]:
    """Play cassettes to this test, ``play = wiretape.play("alefita_way")``; they are judged at its end."""
    from pytest_wiretape.playing import Wiretape

    item = request.node
    player = item.stash[PLAYER] = Wiretape(wiretape_server, item)
    yield player
    player.finish(passed=item.stash.get(PASSED, False))


@pytest.fixture
def wiretape_playback(wiretape: Wiretape) -> Play:
    """The play of the cassette that ``@pytest.mark.wiretape("NAME")`` names; without name, the test's own."""
    return wiretape.play_marked()
