"""The words and counts of a verdict, the same in every format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from wiretape.contract import Finding, Report
from wiretape.report import printable, printable_lines


def word(report: Report) -> str:
    """PASS, FAIL or UNPLAYED."""
    if not report.ok:
        return "FAIL"
    return "PASS" if report.played else "UNPLAYED"


def counts(report: Report) -> dict[str, int]:
    """How many findings there are of each sort, in the order of a table's columns."""
    outcomes = Counter(finding.outcome for finding in report.findings)
    return {
        "passed": outcomes["pass"],
        "failed": len(report.violations),
        "warnings": len(report.warnings),
        "notes": len(report.notes),
        "not observed": outcomes["not_observed"],
        "not applicable": outcomes["not_applicable"],
    }


def by_rule(report: Report) -> dict[str, list[Finding]]:
    """The findings of each rule, in the report's order."""
    grouped: dict[str, list[Finding]] = {}
    for finding in report.findings:
        grouped.setdefault(finding.rule, []).append(finding)
    return grouped


def failures(report: Report) -> Sequence[Finding]:
    """Everything that failed, what makes the client wrong first."""
    return (*report.violations, *report.warnings, *report.notes)


def not_played(report: Report) -> Sequence[str]:
    """Why the session was not played to its end, one explanation each."""
    return tuple(map(printable_lines, (*report.unplayed, *report.errors)))


def title(report: Report) -> str:
    """The cassette's name, whatever a file may be called."""
    return printable(report.name)


def command(run: Mapping[str, Any]) -> str:
    """The client's command as a line; empty where none was run."""
    return printable(" ".join(run.get("command", ())))
