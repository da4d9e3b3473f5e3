"""``lint``: judge cassette files by the rules for cassettes, and report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wiretape import __version__, strictjson
from wiretape.cassette import CassetteError, loads
from wiretape.contract import Fault, Report
from wiretape.lint import RULES, LintRule, Tape, lint
from wiretape.redaction import DEFAULT, RedactionRules, RulesError, load_rules
from wiretape.report import finding_text, to_json
from wiretape_cli import baseline, lint_extras
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import put, say

EVERY: Final = (*lint_extras.RULES, *RULES)
LOADS: Final = LintRule(
    id="lint.loads",
    level="must",
    title="A cassette can be loaded.",
    check=lambda _: (),
)
"""Answered before there is a cassette that the others could be asked about."""
_ROW: Final = re.compile(r"^  (at|want|got|hint) +(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linting:
    """Files and folders, and what they are judged by."""

    paths: Sequence[Path]
    baseline: Path | None = None
    redact: Path | None = None

    def run(self, *, as_json: bool) -> Exit:
        """Lint every cassette; show or print the verdicts. Raises SetupError."""
        files = [*self._files()]
        secrets = self._secrets()
        accepted = baseline.read(self.baseline) if self.baseline else frozenset()
        verdicts = [judge(file, secrets) for file in files]
        stale = baseline.stale(accepted, verdicts)
        reports = [baseline.apply(accepted, each, str(self.baseline)) for each in verdicts]
        if as_json:
            about = {"version": __version__, "files": [str(file) for file in files]}
            put(strictjson.dumps(to_json(reports, about) | {"stale": [str(entry) for entry in stale]}))
        else:
            for file, report in zip(files, reports, strict=True):
                show(file, report)
        for entry in stale:
            say(f"FAIL {self.baseline}: {entry} accepts nothing any more; remove the entry")
        return Exit.FINE if all(each.ok for each in reports) and not stale else Exit.LINT

    def _files(self) -> Iterator[Path]:
        found = [file for path in self.paths for file in cassettes(path)]
        if not found:
            raise SetupError(f"no cassette (*.yaml) in {', '.join(map(str, self.paths))}")
        yield from dict.fromkeys(found)

    def _secrets(self) -> RedactionRules:
        try:
            return load_rules(self.redact) if self.redact else DEFAULT
        except RulesError as error:
            raise SetupError(str(error)) from None


def cassettes(path: Path) -> list[Path]:
    """The file itself, or the cassettes of a folder, at any depth."""
    return sorted(path.rglob("*.yaml")) if path.is_dir() else [path]


def judge(file: Path, secrets: RedactionRules = DEFAULT) -> Report:
    """The verdict on one file; one that can't be loaded has one fault."""
    data = file.read_bytes()
    try:
        cassette = loads(data, name=file.stem, source=str(file))
    except CassetteError as error:
        return Report(name=file.stem, protocol="", findings=(LOADS.finding(_unloadable(error)),))
    return lint(Tape(cassette=cassette, data=data, secrets=secrets), (LOADS, *EVERY))


def _unloadable(error: CassetteError) -> Fault:
    """A loading error as a fault: its text has a row for each part."""
    rows = dict(_ROW.findall(str(error)))
    return Fault(
        rows.get("at", ""), rows.get("want", "a cassette"), rows.get("got", str(error)), rows.get("hint", "")
    )


def show(file: Path, report: Report) -> None:
    """Say a verdict: one line, then every failed finding."""
    say(f"{'ok' if report.ok else 'FAIL'} {file}")
    for finding in (*report.violations, *report.warnings):
        say(finding_text(finding))
