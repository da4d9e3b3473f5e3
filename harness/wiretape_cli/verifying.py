"""``verify``: judge saved transcripts and cassettes, offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wiretape import strictjson, verify
from wiretape.cassette import Cassette
from wiretape.contract import Report
from wiretape.reporting.files import Target, write
from wiretape.reporting.model import document
from wiretape.transcript import Transcript
from wiretape.verdict import transcript_of
from wiretape_cli import reports
from wiretape_cli.exits import Exit
from wiretape_cli.options import demanded
from wiretape_cli.screen import put, say_report
from wiretape_cli.sources import read_session


def run(paths: Sequence[Path], *, as_json: bool, targets: Sequence[Target], profiles: Sequence[str]) -> Exit:
    """Judge every file; show or print the verdicts. Raises SetupError or CassetteError."""
    judged = [(path, *judge(path, profiles)) for path in paths]
    if not as_json:
        for path, transcript, report in judged:
            say_report(report, source=str(path), transcript=transcript)
    if as_json or targets:
        parts = [reports.of_verified(*each, profiles) for each in judged]
        whole = document(parts, reports.of_verify(paths, [report for *_, report in judged], profiles))
        if as_json:
            put(strictjson.dumps(whole))
        write(targets, [whole], put)
    return Exit.FINE if all(report.ok for *_, report in judged) else Exit.VIOLATIONS


def judge(path: Path, profiles: Sequence[str]) -> tuple[Transcript, Report]:
    """What one file holds, and the verdict on it. Raises SetupError or CassetteError."""
    subject = read_session(path)
    transcript = transcript_of(subject) if isinstance(subject, Cassette) else subject
    return transcript, verify(transcript, profile=demanded(profiles, subject.protocol))
