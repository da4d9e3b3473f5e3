"""``check``: play each cassette to a fresh run of the client, judge, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from wiretape import verify
from wiretape.cassette import Cassette
from wiretape.codex.reader import read as read_codex
from wiretape.contract import Report
from wiretape.faults import silence
from wiretape.flow_a.reader import read as read_flow_a
from wiretape.reporting.files import Target, write
from wiretape.reporting.model import document
from wiretape.reporting.run import short
from wiretape.scenario.adaptive import Adaptive
from wiretape.transcript import Transcript, is_from_client
from wiretape_cli import baseline, reports
from wiretape_cli.baseline import Accepted
from wiretape_cli.client import ClientRun, StartError, run_client
from wiretape_cli.exits import Exit, of_all
from wiretape_cli.made_up import keep
from wiretape_cli.progress import Display
from wiretape_cli.screen import end_of, put, say, say_report
from wiretape_cli.serving import play_key
from wiretape_cli.signals import wait_for_signal
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

SETTLE = 2.0
"""Seconds that streams get to end after the client has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One cassette: the verdict, and how the client's run went."""

    report: Report
    transcript: Transcript
    cassette: Cassette
    source: str
    """The cassette's file, as findings name it: its folder and name."""
    client: ClientRun
    asked: bool
    """Whether the client sent any request or message."""
    open_calls: tuple[str, ...] = ()
    """Calls that the client owes something, one description each."""
    pauses: float = 0.0
    """Seconds that it had on top of the time limit."""

    @property
    def exit(self) -> Exit:
        if self.client.crashed and not self.asked:
            return Exit.SETUP
        if not self.report.ok:
            return Exit.VIOLATIONS
        return Exit.FINE if self.report.played else Exit.UNPLAYED


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A client command, and what it is to be checked against."""

    cassettes: Sequence[Cassette]
    command: Sequence[str]
    options: Mapping[str, PlayOptions]
    """By protocol."""
    timeout: float
    targets: Sequence[Target] = ()
    baseline: Path | None = None
    update_baseline: bool = False
    """Whether its file takes over what is violated now."""
    save_auto: Path | None = None
    """Where the session goes that is made up for the client."""
    inspect: bool = False
    """Whether a browser can look on, and afterwards until Ctrl-C."""

    def run(self) -> Exit:
        """Check all cassettes, show and write the reports, and say how it went. Raises SetupError."""
        with ServerThread() as server:
            if self.inspect:
                say(f"inspector: {server.inspector_url}")
            how = self._run(server)
            if self.inspect:
                say(f"inspector: {server.inspector_url} stays until Ctrl-C")
                wait_for_signal()
        return how

    def _run(self, server: ServerThread) -> Exit:
        accepted = self._accepted()
        began = time.monotonic()
        raw: list[Checked] = []
        try:
            for checked in self._each(server):
                raw.append(checked)
                self._show(_accepting(checked, accepted, self.baseline))
        except StartError as error:
            results = [_accepting(each, accepted, self.baseline) for each in raw]
            self._report(results, (), time.monotonic() - began, unplayed=error.why)
            raise
        verdicts = [each.report for each in raw]
        stale = [] if self.update_baseline else baseline.stale(accepted, verdicts)
        if self.baseline and self.update_baseline:
            accepted = baseline.renew(self.baseline, accepted, verdicts)
        results = [_accepting(each, accepted, self.baseline) for each in raw]
        self._report(results, [*map(str, stale)], time.monotonic() - began)
        for entry in stale:
            say(f"FAIL {self.baseline}: {entry} accepts nothing any more; remove the entry")
        return of_all([*(each.exit for each in results), *(Exit.VIOLATIONS for _ in stale)])

    def _pauses(self, cassette: Cassette) -> float:
        """Seconds that come on top of a client's time: who waits for an answer must not be ended for it."""
        options = self.options[cassette.protocol]
        faults = () if isinstance(cassette, Adaptive) else options.faults
        return round(cassette.pauses * options.scale + silence(faults, cassette), 3)

    def _show(self, checked: Checked) -> None:
        show(checked, self.timeout)
        if checked.exit is not Exit.FINE:
            say(f"again: {reports.again(checked, self)}\n")

    def _accepted(self) -> frozenset[Accepted]:
        if self.baseline is None or (self.update_baseline and not self.baseline.exists()):
            return frozenset()
        return baseline.read(self.baseline)

    def _each(self, server: ServerThread) -> Generator[Checked]:
        """Check one cassette after the other, on one server. Raises StartError."""
        display = Display(len(self.cassettes))
        for cassette in self.cassettes:
            yield self._check(server, cassette, display)

    def _report(
        self, results: Sequence[Checked], stale: Sequence[str], seconds: float, *, unplayed: str = ""
    ) -> None:
        """Write the reports. ``unplayed`` says why the cassettes after these results were not played."""
        if self.targets:
            run = reports.of_check(results, self, seconds)
            parts = [reports.of_checked(each, self) for each in results]
            parts += [reports.of_unplayed(each, unplayed, self) for each in self.cassettes[len(results) :]]
            write(self.targets, [document(parts, run, stale)], put)

    def _check(self, server: ServerThread, cassette: Cassette, display: Display) -> Checked:
        key = play_key(cassette) if self.inspect else None
        play = server.play(cassette, self.options[cassette.protocol], key=key)
        try:
            pauses = self._pauses(cassette)
            with display.at_work(cassette.name):
                client = run_client(self.command, play.variables(), timeout=self.timeout + pauses)
                play.wait_idle(SETTLE)
            transcript = play.transcript()
            if self.save_auto is not None and isinstance(cassette, Adaptive):
                keep(play.cassette, self.save_auto)
        finally:
            if not self.inspect:
                play.close()
        source = short(cassette.source)
        return judged(transcript, client, cassette=play.cassette, source=source, pauses=pauses)


def judged(
    transcript: Transcript, client: ClientRun, *, cassette: Cassette, source: str, pauses: float
) -> Checked:
    """Judge what a client's run left on the wire."""
    return Checked(
        report=verify(transcript),
        transcript=transcript,
        cassette=cassette,
        source=source,
        client=client,
        pauses=pauses,
        asked=any(map(is_from_client, transcript.entries)),
        open_calls=OPEN_CALLS[transcript.protocol](transcript),
    )


def _without_return(transcript: Transcript) -> tuple[str, ...]:
    calls = [call.seen for call in read_flow_a(transcript).calls if not call.returns and not call.excused]
    return tuple(f"without a return: call {call.id} ({call.tool})" for call in calls)


def _without_answer(transcript: Transcript) -> tuple[str, ...]:
    view = read_codex(transcript)
    asks = (ask for ask in (*view.calls, *view.refreshes) if not ask.connection.excuse)
    waiting = [ask for ask in asks if not ask.replies and ask.closed is None]
    return tuple(f"without an answer: {ask}" for ask in waiting)


OPEN_CALLS: Final[Mapping[str, Callable[[Transcript], tuple[str, ...]]]] = {
    "flow_a": _without_return,
    "codex": _without_answer,
}
"""How to find what a client still owes, by protocol."""

ADDRESSES: Final[Mapping[str, str]] = {
    "flow_a": "the backend's address in WIRETAPE_BASE_URL",
    "codex": "the program to start in WIRETAPE_CODEX_BIN, its websocket's address in WIRETAPE_CODEX_WS_URL",
}
"""Where a client is told whom to talk to, by protocol."""


def show(checked: Checked, timeout: float) -> None:
    """Say the verdict, and what there is to say about the client."""
    say_report(checked.report, source=checked.source, transcript=checked.transcript)
    client = checked.client
    if client.timed_out:
        calls = "; ".join(checked.open_calls)
        state = f"open, {calls}" if calls else "no call was open"
        pauses = f", on top of {checked.pauses:g} s of pauses" if checked.pauses else ""
        say(f"client: ended at its time limit of {timeout:g} s{pauses}; {state}")
    if checked.open_calls and not client.timed_out:
        say(f"client: ended with a call open, {'; '.join(checked.open_calls)}")
    if client.crashed:
        before = "" if checked.asked else ", without having sent a request"
        say(f"client: ended with exit code {client.exit_code}{before}")
    if not checked.asked:
        say(f"client: sent nothing; it finds {ADDRESSES[checked.report.protocol]}")
    if client.timed_out or client.crashed or checked.open_calls or not checked.report.played:
        for name, text in (("stdout", client.stdout), ("stderr", client.stderr)):
            if written := end_of("client", name, text):
                say(written)


def _accepting(checked: Checked, accepted: frozenset[Accepted], file: Path | None) -> Checked:
    return (
        replace(checked, report=baseline.apply(accepted, checked.report, str(file))) if accepted else checked
    )
