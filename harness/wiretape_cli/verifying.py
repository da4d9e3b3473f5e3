"""``verify``: judge saved transcripts and cassettes, offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wiretape import __version__, strictjson, verify
from wiretape.cassette import Cassette, loads
from wiretape.codex.foreign import read as read_log
from wiretape.contract import Report
from wiretape.report import to_json
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import Transcript
from wiretape.transcript_file import TranscriptError, load
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.options import demanded
from wiretape_cli.reports import files
from wiretape_cli.screen import put, say_report
from wiretape_server.options import PROFILES

CASSETTE_ENDINGS = (".yaml", ".yml")


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
    data = path.read_bytes()
    if path.suffix in CASSETTE_ENDINGS:
        cassette = loads(data, name=path.stem, source=str(path))
        _demand_known(cassette, path)
        return verify(cassette, profile=demanded(profiles, cassette.protocol))
    read = read_log if is_codex_log(data) else load
    try:
        transcript = read(data, path.stem)
    except TranscriptError as error:
        raise SetupError(f"{path}: {error}") from None
    _demand_known(transcript, path)
    return verify(transcript, profile=demanded(profiles, transcript.protocol))


def _demand_known(subject: Transcript | Cassette, path: Path) -> None:
    """Refuse a file that asks for what has no rules."""
    known = PROFILES.get(subject.protocol)
    if known is None:
        names = " or ".join(PROFILES)
        raise SetupError(f"{path}: protocol: expected {names}, got {subject.protocol!r}")
    if subject.profile not in ("", *known):
        raise SetupError(f"{path}: profile: expected one of {', '.join(known)}, got {subject.profile!r}")


def is_codex_log(data: bytes) -> bool:
    """Whether the first line is that of an app-server log: an object with ``dir`` and ``msg``."""
    try:
        first = strictjson.loads(data.partition(b"\n")[0])
    except StrictJSONError:
        return False
    return isinstance(first, dict) and {"dir", "msg"} <= first.keys()
