"""A report for people (text) and for programs (JSON, see ``schemas/report.schema.json``)."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from wiretape.contract import Finding, Report
from wiretape.strictjson import ABSENT, MAX_DEPTH, depth

_EXCERPT: Final = 240
"""Characters of a value that are shown."""
_DEPTH: Final = MAX_DEPTH // 2
"""Levels of a value that is told as it is: a report is JSON too, and some levels deeper."""
_HINT_WIDTH: Final = 55
_COMMAND: Final = re.compile(r"#(?=#(?:vso)?\[)")
"""Begins a command to a CI service: GitHub's and Azure's runners obey one that stands anywhere in a line."""
_HEADINGS: Final = {"must": "FAIL", "should": "WARN", "observed": "NOTE"}


def printable(text: str) -> str:
    """Escape what could move a cursor, forge a line, command a CI service or not be encoded.

    Wire text is never shown raw.
    """
    if "##" in text:
        text = _COMMAND.sub(r"\\x23", text)
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def shown(value: object) -> str:
    """A wire value as JSON, printable and cut to a line; ``absent`` for what is not there."""
    if value is ABSENT:
        return "absent"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    text = printable(text)
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}… ({len(text)} characters)"


def counted(count: int, name: str) -> str:
    """A number and what it counts: ``1 warning``, ``2 warnings``."""
    return f"{count} {name}" + ("" if count == 1 else "s")


def finding_text(finding: Finding, *, source: str = "") -> str:
    """One failed finding in the layout of the screen: place, want, got, the sentence, what to do."""
    head = f"{_HEADINGS[finding.level]} {finding.rule}"
    lines = [f"{head:<72} {finding.level} · evidence: {finding.evidence}"]
    place = printable(f"{finding.at}   {finding.path}".strip())
    rows = (
        ("at", place),
        ("want", shown(finding.want)),
        ("got", shown(finding.got)),
        ("spec", printable(finding.spec)),
        *_hint(printable(finding.hint), f"cassette: {source}" if source else ""),
    )
    lines += [f"  {label:<5} {text}" for label, text in rows if text]
    return "\n".join(lines)


def _hint(hint: str, source: str) -> tuple[tuple[str, str], ...]:
    """What to do, and beside it the cassette; below it where there is no room."""
    if hint and source and len(hint) < _HINT_WIDTH:
        return (("hint", f"{hint:<{_HINT_WIDTH}} {source}"),)
    return ("hint", hint), ("", source)


def to_text(report: Report, *, source: str = "", passed: bool = False) -> str:
    """The whole report as plain text: a verdict line, every failed finding, what was not played.

    ``source`` is the cassette's file or name for the findings; ``passed`` lists the rules that hold too.
    """
    blocks = [verdict_line(report)]
    failed = [*report.violations, *report.warnings, *report.notes]
    blocks += [finding_text(finding, source=source) for finding in failed]
    blocks += [_section("not played", report.unplayed), _section("could not be answered", report.errors)]
    if passed:
        others = (f for f in report.findings if not f.failed)
        blocks += ["\n".join(f"  {f.outcome:<14} {f.rule}" + _because(f) for f in others)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _because(finding: Finding) -> str:
    return f"   ({printable(finding.because)})" if finding.because else ""


def _section(title: str, lines: Iterable[str]) -> str:
    body = "\n".join(textwrap.indent(printable_lines(line), "  ") for line in lines)
    return f"{title}:\n{body}" if body else ""


def printable_lines(text: str) -> str:
    """Like printable, but keeps line ends."""
    return "\n".join(printable(line) for line in text.split("\n"))


def verdict_line(report: Report) -> str:
    """The verdict in one line: ``ok``, ``violations`` or ``not played``, and the count of each outcome."""
    verdict = "ok" if report.ok and report.played else "not played to its end" if report.ok else "violations"
    counts = Counter(finding.outcome for finding in report.findings)
    parts = [f"{counts['pass']} rules hold", f"{len(report.violations)} violated"]
    if report.warnings:
        parts.append(counted(len(report.warnings), "warning"))
    parts += [
        f"{counts[key]} {key.replace('_', ' ')}" for key in ("not_applicable", "not_observed") if counts[key]
    ]
    return f"{report.name or report.protocol}: {verdict} ({', '.join(parts)})"


ABSENT_JSON: Final[Mapping[str, bool]] = {"$absent": True}
"""Stands for *absent* in JSON reports, which null can't."""


def _machine(value: object) -> object:
    """A wire value as it is; what is too long or is no JSON as its excerpt."""
    if value is ABSENT:
        return dict(ABSENT_JSON)
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return shown(value)
    fits = len(text) <= 8 * _EXCERPT and depth(value) <= _DEPTH
    return value if fits else shown(value)


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding for machines: wire values as they are, ``{"$absent": true}`` for what is not there."""
    return {
        "rule": finding.rule,
        "level": finding.level,
        "outcome": finding.outcome,
        "evidence": finding.evidence,
        "path": finding.path,
        "want": _machine(finding.want) if finding.failed else None,
        "got": _machine(finding.got) if finding.failed else None,
        "at": finding.at,
        "spec": finding.spec,
        "hint": finding.hint,
        "because": finding.because,
    }


def report_json(report: Report) -> dict[str, Any]:
    """One cassette's verdict for machines."""
    return {
        "name": report.name,
        "protocol": report.protocol,
        "ok": report.ok,
        "played": report.played,
        "unplayed": list(report.unplayed),
        "errors": list(report.errors),
        "findings": [finding_json(finding) for finding in report.findings],
    }


def to_json(reports: Iterable[Report], run: Mapping[str, Any]) -> dict[str, Any]:
    """The run's report for machines; ``run`` says what was run."""
    each = [report_json(report) for report in reports]
    return {
        "ok": all(one["ok"] for one in each),
        "played": all(one["played"] for one in each),
        "run": dict(run),
        "cassettes": each,
    }
