"""Accepted findings: those in the file do not fail, and an entry that nothing matches does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from wiretape import strictjson
from wiretape.contract import Finding, Report
from wiretape.reporting.files import replace_file
from wiretape_cli.errors import SetupError
from wiretape_cli.screen import say

FIELDS = ("rule", "cassette", "path")


@dataclass(frozen=True, slots=True, order=True)
class Accepted:
    """One accepted failure: this rule, in this cassette, at this path."""

    rule: str
    cassette: str
    path: str

    def __str__(self) -> str:
        return f"{self.rule} at {self.path or 'no path'} in {self.cassette}"


def read(file: Path) -> frozenset[Accepted]:
    """Read a baseline: a JSON list of ``{"rule", "cassette", "path"}``. Raises SetupError."""
    try:
        entries = strictjson.loads(file.read_bytes())
    except strictjson.StrictJSONError as error:
        raise SetupError(f"{file}: a baseline is a JSON list, but this is no JSON: {error}") from None
    if not isinstance(entries, list):
        raise SetupError(f"{file}: a baseline is a JSON list, but this is {type(entries).__name__}")
    return frozenset(_entry(entry, f"{file}: entry {number}") for number, entry in enumerate(entries, 1))


def _entry(entry: object, where: str) -> Accepted:
    if (
        not isinstance(entry, dict)
        or set(entry) != set(FIELDS)
        or not all(isinstance(v, str) for v in entry.values())
    ):
        shape = '{"rule": "…", "cassette": "…", "path": "…"}'
        raise SetupError(f"{where}: expected {shape}, got {strictjson.dumps(entry)}")
    return Accepted(entry["rule"], bare(entry["cassette"]), entry["path"])


def bare(cassette: str) -> str:
    """A cassette's name as baselines compare it: however it was asked for, its last part."""
    return PurePath(cassette).name.removesuffix(".yaml")


def apply(baseline: Iterable[Accepted], report: Report, file: str) -> Report:
    """The report with its accepted failures set aside, and told so."""
    accepted = frozenset(baseline)

    def judged(finding: Finding) -> Finding:
        if not finding.failed or key(finding, report.name) not in accepted:
            return finding
        return replace(finding, outcome="not_applicable", because=f"accepted in {file}")

    return replace(report, findings=tuple(judged(finding) for finding in report.findings))


def key(finding: Finding, cassette: str) -> Accepted:
    """The entry that would accept this finding."""
    return Accepted(finding.rule, bare(cassette), finding.path)


def stale(baseline: Iterable[Accepted], reports: Sequence[Report]) -> list[Accepted]:
    """The entries of the cassettes that were played which no failure matched any more."""
    played = {bare(report.name) for report in reports}
    found = {key(finding, report.name) for report in reports for finding in report.findings if finding.failed}
    return sorted(entry for entry in set(baseline) - found if entry.cassette in played)


def updated(baseline: Iterable[Accepted], reports: Sequence[Report]) -> frozenset[Accepted]:
    """The baseline that accepts every violation of these reports, without its stale entries.

    A session that was not played to its end makes no entry stale: what it did not reach may be as it was.
    """
    violated = {key(finding, report.name) for report in reports for finding in report.violations}
    gone = stale(baseline, [report for report in reports if report.played])
    return frozenset(violated | {*baseline} - {*gone})


def changes(old: Iterable[Accepted], new: Iterable[Accepted]) -> list[str]:
    """What becomes of a baseline, as the lines of a difference."""
    before, after = frozenset(old), frozenset(new)
    return [f"{'+' if entry in after else '-'} {entry}" for entry in sorted(before ^ after)]


def renew(file: Path, old: frozenset[Accepted], reports: Sequence[Report]) -> frozenset[Accepted]:
    """Bring a baseline's file up to date, and say what changes in it."""
    new = updated(old, reports)
    for line in changes(old, new):
        say(line)
    if new == old and file.exists():
        say(f"{file}: nothing to change")
    else:
        write(file, new)
        say(f"{file}: accepts {len(new)} findings, {len(new - old)} of them new; {len(old - new)} are gone")
    return new


def write(file: Path, baseline: Iterable[Accepted]) -> None:
    """Write a baseline, one entry a line, in an order that does not change from run to run."""
    entries = [
        strictjson.dumps({name: getattr(entry, name) for name in FIELDS}) for entry in sorted(baseline)
    ]
    replace_file(file, ("[\n" + ",\n".join(entries) + "\n]\n").encode() if entries else b"[]\n")
