"""The report as one JSON document, which every face is made from. Schema: ``schemas/report.schema.json``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from wiretape.cassette import Cassette
from wiretape.contract import Finding, Report, Rule
from wiretape.report import finding_json, report_json
from wiretape.reporting.contrast import contrast
from wiretape.reporting.exhibit import Exhibits
from wiretape.reporting.run import Run
from wiretape.reporting.streams import endings, timelines
from wiretape.transcript import Transcript
from wiretape.verdict import VERIFIERS

Document: TypeAlias = Mapping[str, Any]
"""A report, as its schema says."""

RULES: Final[Mapping[str, Rule]] = {rule.id: rule for each in VERIFIERS.values() for rule in each.rules}
_ABOUT_THE_END: Final = ("flow_a.behavior.reads-to-end", "codex.behavior.keeps-reading")
"""The rules that judge how the streams ended; all others judge behaviour."""
_STRONGEST: Final = ("fail", "pass", "not_applicable", "not_observed")
"""Of a rule's outcomes, the first of these stands in a matrix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One session with its verdict."""

    report: Report
    transcript: Transcript
    cassette: Cassette | None = None
    """The one that was played."""
    source: str = ""
    """The cassette's file."""
    reproduce: str = ""
    """The command that does it again, in one line."""
    test: str = ""
    """The test that it was played to, by its id."""
    line: int | None = None
    """Where the test stands in its file, from 1."""


def document(verdicts: Iterable[Document], run: Run, stale: Iterable[str] = ()) -> dict[str, Any]:
    """The report of a run. ``stale``: entries of its baseline that accept nothing any more."""
    cassettes = [*verdicts]
    return {
        "ok": all(each["ok"] for each in cassettes),
        "played": all(each["played"] for each in cassettes),
        "run": run.as_json(),
        "cassettes": cassettes,
        "coverage": coverage(cassettes),
        "stale": [*stale],
    }


def verdict(judged: Judged) -> dict[str, Any]:
    """One session's part of the report, without its secrets."""
    exhibits = Exhibits(judged.transcript)
    report = exhibits.report(judged.report)
    record = {
        **report_json(report),
        "findings": [_finding(each) for each in report.findings],
        "behavior": "violated" if _broken(report, about_the_end=False) else "ok",
        "ending": {"verdict": _ending(report), "streams": endings(judged.transcript)},
        "pace": judged.transcript.pace,
        "faults": [*judged.transcript.faults],
        "streams": timelines(judged.transcript, judged.cassette),
        "source": judged.source,
        "reproduce": judged.reproduce,
        "test": judged.test,
        "line": judged.line,
    }
    hidden: dict[str, Any] = exhibits.hide(record)
    for finding, said in zip(report.findings, hidden["findings"], strict=True):
        if finding.failed:
            said["exhibit"] = exhibits.exhibit(finding.at, said["path"])
    return hidden


def _finding(finding: Finding) -> dict[str, Any]:
    rule = RULES.get(finding.rule)
    record = finding_json(finding) | {
        "title": rule.title if rule else finding.rule,
        "document": rule.spec.document if rule else "",
    }
    return record | {"difference": contrast(finding.want, finding.got)} if finding.failed else record


def _broken(report: Report, *, about_the_end: bool) -> bool:
    return any((each.rule in _ABOUT_THE_END) == about_the_end for each in report.violations)


def _ending(report: Report) -> str:
    """How the session ended: read to its end, left early, not played to its end, or nobody can tell."""
    if _broken(report, about_the_end=True):
        return "violated"
    if not report.played:
        return "unplayed"
    seen = any(each.outcome == "pass" for each in report.findings if each.rule in _ABOUT_THE_END)
    return "ok" if seen else "not_observed"


def coverage(cassettes: Sequence[Document]) -> dict[str, Any]:
    """The matrix of rules and cassettes, and how many of the ``must`` rules any cassette exercised."""
    names = [*dict.fromkeys(each["name"] for each in cassettes)]
    outcomes: dict[str, dict[str, set[str]]] = {}
    for cassette in cassettes:
        for finding in cassette["findings"]:
            of_rule = outcomes.setdefault(finding["rule"], {})
            of_rule.setdefault(cassette["name"], set()).add(finding["outcome"])
    rules = [_row(rule, names, of_cassette) for rule, of_cassette in outcomes.items()]
    must = [row for row in rules if row["level"] == "must"]
    exercised = sum(not {"pass", "fail"}.isdisjoint(row["outcomes"]) for row in must)
    share = round(exercised / len(must), 4) if must else 0.0
    return {
        "cassettes": names,
        "rules": rules,
        "must": {"of": len(must), "exercised": exercised, "share": share},
    }


def _row(rule_id: str, names: Sequence[str], of_cassette: Mapping[str, set[str]]) -> dict[str, Any]:
    rule = RULES.get(rule_id)
    return {
        "rule": rule_id,
        "level": rule.level if rule else "must",
        "title": rule.title if rule else rule_id,
        "outcomes": [strongest(of_cassette.get(name, set())) for name in names],
    }


def strongest(outcomes: Collection[str | None]) -> str | None:
    """Of a rule's outcomes the one that counts; None where it met none: it is of another protocol."""
    return next((each for each in _STRONGEST if each in outcomes), None)
