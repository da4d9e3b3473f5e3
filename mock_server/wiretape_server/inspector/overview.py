"""The plays of a server, one line each: what is played, how far it is, what the verdict is so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from wiretape import verify
from wiretape.contract import Finding, Report
from wiretape.report import counted
from wiretape.transcript import Transcript, is_from_client

if TYPE_CHECKING:
    from wiretape_server.server import AnyPlay

State: TypeAlias = Literal["waiting", "running", "open", "ok", "warned", "unplayed", "wrong"]
_OPEN_CALL: Final = ("flow_a.return.exactly-once", "codex.call.answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What can be said of a play without looking closely."""

    report: Report
    asked: int
    """Requests or messages of the client's."""
    last: float
    """Seconds from the play's begin to what happened last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a play stands, as a word for styles and as words for people."""

    state: State
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A play's line in the list."""

    key: str
    title: str
    protocol: str
    asked: int
    last: float
    verdict: Verdict


def summary(transcript: Transcript) -> Summary:
    """Sum a play up."""
    return Summary(
        report=verify(transcript),
        asked=sum(map(is_from_client, transcript.entries)),
        last=transcript.entries[-1].at if transcript.entries else 0.0,
    )


def verdict(report: Report, *, asked: int, running: bool) -> Verdict:
    """How a play stands. A call that nobody has answered yet is no fault, if there is no other."""
    wrong = [each for each in report.violations if not _is_open_call(each)]
    if wrong:
        return Verdict(state="wrong", text=counted(len(wrong), "violation"))
    if not asked:
        return Verdict(state="waiting", text="no client yet")
    if running:
        return Verdict(state="running", text="running")
    if report.violations:
        return Verdict(state="open", text="a call is open")
    if not report.played:
        return Verdict(state="unplayed", text="not played to its end")
    if report.warnings:
        return Verdict(state="warned", text=counted(len(report.warnings), "warning"))
    return Verdict(state="ok", text="ok")


def _is_open_call(finding: Finding) -> bool:
    got = finding.got
    return finding.rule in _OPEN_CALL and isinstance(got, str) and got.startswith("none")


def is_running(play: AnyPlay) -> bool:
    """Whether a stream or a connection of the play is open."""
    return not play.idle.is_set()
