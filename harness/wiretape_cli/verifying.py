"""``verify``: judge saved transcripts and cassettes, offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wiretape import __version__, strictjson, verify
from wiretape.contract import Report
from wiretape.report import to_json
from wiretape_cli.exits import Exit
from wiretape_cli.options import demanded
from wiretape_cli.reports import files
from wiretape_cli.screen import put, say_report
from wiretape_cli.sources import read_session


def run(
    paths: Sequence[Path], *, as_json: bool, targets: Sequence[files.Target], profiles: Sequence[str]
) -> Exit:
    """Judge every file; show or print the verdicts. Raises SetupError or CassetteError."""
    reports = [judge(path, profiles) for path in paths]
    about = {"version": __version__, "files": [str(path) for path in paths]}
    if as_json:
        put(strictjson.dumps(to_json(reports, about)))
    else:
        for path, report in zip(paths, reports, strict=True):
            say_report(report, source=str(path))
    files.write(targets, reports, about)
    return Exit.FINE if all(report.ok for report in reports) else Exit.VIOLATIONS


def judge(path: Path, profiles: Sequence[str]) -> Report:
    """The verdict on one file. Raises SetupError or CassetteError."""
    subject = read_session(path)
    return verify(subject, profile=demanded(profiles, subject.protocol))
