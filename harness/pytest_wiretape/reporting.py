"""Reports of a whole test run: every verdict that a test ended with, in the files that were asked for."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_wiretape.playing import fine
from pytest_wiretape.settings import PLAYING, resolve, switch
from wiretape import __version__, strictjson
from wiretape.reporting import shell
from wiretape.reporting.files import Target, TargetError, write
from wiretape.reporting.model import Judged, document, verdict
from wiretape.reporting.run import Hashed, Run, cassette_file, hidden, short, sources

if TYPE_CHECKING:
    from pytest_wiretape.playing import Play
    from wiretape.contract import Report

PARTS = "wiretape_report"
"""The attribute of a test's teardown report that holds its verdicts; xdist carries it to the main process."""


def targets(config: pytest.Config) -> tuple[Target, ...]:
    """What was asked for: on the command line, else by the environment, else in the ini file."""
    said: Sequence[str] = config.getoption("wiretape_report") or ()
    folder = config.invocation_params.dir
    if not said:
        said = os.environ.get("WIRETAPE_REPORT", "").split()
    if not said:
        said, folder = config.getini("wiretape_report").split(), config.rootpath
    try:
        return tuple(Target.parse(text, folder) for text in said)
    except TargetError as error:
        raise pytest.UsageError(f"--wiretape-report: {error}") from None


class Reporter:
    """A plugin of its own, registered where a report is asked for."""

    def __init__(self, config: pytest.Config, targets: Sequence[Target]) -> None:
        self._config = config
        self._targets = targets
        self._began = time.monotonic()
        self._parts: list[tuple[str, dict[str, Any], Hashed]] = []
        self._running: pytest.Item | None = None
        self._noted: dict[str, Judged] = {}
        """What the running test's plays on the session's server came to, by cassette."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Know which test it is that plays on the session's server."""
        self._running = item

    def note(self, play: Play) -> None:
        """Keep a play that no test's own fixture keeps: there may be thousands, so one for each cassette.

        It is the last one that went wrong: Hypothesis ends with the smallest.
        """
        if self._running is None or play.report is None:
            return
        before = self._noted.get(play.cassette.name)
        if before is None or fine(before.report) or not fine(play.report):
            self._noted[play.cassette.name] = self._judged(play, play.report, self._running)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note the test's verdicts, when the last of them has been made."""
        from pytest_wiretape.plugin import PLAYER

        report = yield
        if call.when == "teardown":
            plays = item.stash[PLAYER].plays if PLAYER in item.stash else ()
            judged = [self._judged(play, play.report, item) for play in plays if play.report is not None]
            judged += self._noted.values()
            self._noted = {}
            setattr(report, PARTS, strictjson.dumps([*map(_part, judged)]))
        return report

    def _judged(self, play: Play, report: Report, item: pytest.Item) -> Judged:
        return Judged(
            report=report,
            transcript=play.transcript,
            cassette=play.cassette,
            source=_inside(play.cassette.source, self._config.rootpath),
            reproduce=shell.line(["pytest", *self._options(), item.nodeid]),
            test=item.nodeid,
            line=(item.location[1] or 0) + 1,
        )

    def _options(self) -> Iterator[str]:
        for name in PLAYING:
            said = os.environ.get(f"WIRETAPE_{name.upper()}")
            given = self._config.getoption(f"wiretape_{name}", None) or said or ()
            for value in given if isinstance(given, (list, tuple)) else (given,):
                yield f"--wiretape-{name}={value}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what tests noted, in this process or in another one."""
        for part, name, sha256 in strictjson.loads(getattr(report, PARTS, "[]")):
            self._parts.append((report.nodeid, part, Hashed(name=name, sha256=sha256)))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the reports, in the main process; where one can't be written, the run has failed."""
        if hasattr(self._config, "workerinput"):
            return
        self._parts.sort(key=lambda each: each[0])  # xdist brings them in any order
        try:
            write(self._targets, [document((part for _, part, _ in self._parts), self._run())], self._put)
        except OSError as error:
            self._put(f"wiretape: no report was written: {error.filename}: {error.strerror}")
            session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR

    def _run(self) -> Run:
        return Run(
            version=__version__,
            command=("pytest", *hidden(tuple(map(str, self._config.invocation_params.args)))),
            sources=sources(part["protocol"] for _, part, _ in self._parts),
            cassettes=tuple(dict.fromkeys(file for *_, file in self._parts)),
            seconds=round(time.monotonic() - self._began, 3),
            **self._playing(),
        )

    def _playing(self) -> dict[str, Any]:
        """How cassettes are played where a test says nothing else."""
        given = {name: value for name in PLAYING if (value := resolve(self._config, name)) is not None}
        if "faults" in given:
            given["faults"] = tuple(str(given["faults"]).split())
        if "strict" in given:
            given["strict"] = switch(given["strict"])
        return given

    def _put(self, text: str) -> None:
        """Show a text on a line of its own; not in a run that was told to show nothing."""
        if terminal := self._config.pluginmanager.get_plugin("terminalreporter"):
            terminal.write(f"\n{text}\n")  # behind the dots there is no line end yet


def _part(judged: Judged) -> list[Any]:
    assert judged.cassette is not None  # what a test plays is one
    file = cassette_file(judged.cassette)
    return [verdict(judged), file.name, file.sha256]


def _inside(source: str, root: Path) -> str:
    """A cassette's file as the repository knows it, else its folder and name."""
    path = Path(source)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else short(source)
