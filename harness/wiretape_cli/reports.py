"""What the verbs put into their reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wiretape import __version__, verify
from wiretape.cassette import Cassette
from wiretape.contract import Report
from wiretape.reporting.model import Judged, verdict
from wiretape.reporting.run import ClientEnd, Run, cassette_file, hidden, judged_file, short, sources
from wiretape.transcript import Transcript
from wiretape_cli import rerun
from wiretape_server.options import PlayOptions

if TYPE_CHECKING:
    from wiretape_cli.checking import Check, Checked


def of_checked(checked: Checked, check: Check) -> dict[str, Any]:
    """One cassette's part of the report."""
    return verdict(
        Judged(
            report=checked.report,
            transcript=checked.transcript,
            cassette=checked.cassette,
            source=checked.source,
            reproduce=again(checked, check),
        )
    )


def of_unplayed(cassette: Cassette, why: str, check: Check) -> dict[str, Any]:
    """The part of a cassette that no client was there for."""
    options = check.options[cassette.protocol]
    said = Transcript(protocol=cassette.protocol, name=cassette.name, pace=options.pace, errors=(why,))
    line = rerun.check(cassette, options, check.timeout, hidden(check.command))
    source = short(cassette.source)
    return verdict(Judged(report=verify(said), transcript=said, source=source, reproduce=line))


def again(checked: Checked, check: Check) -> str:
    """The line that checks this cassette again."""
    options = check.options[checked.cassette.protocol]
    return rerun.check(checked.cassette, options, check.timeout, hidden(check.command, [checked.transcript]))


def of_check(results: Sequence[Checked], check: Check, seconds: float) -> Run:
    """What the reports say about a ``check``; cassettes without a result were not played."""
    cassettes = [*(each.cassette for each in results), *check.cassettes[len(results) :]]
    return Run(
        command=hidden(check.command, (each.transcript for each in results)),
        sources=sources(each.protocol for each in cassettes),
        cassettes=tuple(map(cassette_file, cassettes)),
        timeout=check.timeout,
        seconds=round(seconds, 3),
        clients=tuple(map(_client_end, results)),
        **_playing(check.options),
    )


def _playing(options: Mapping[str, PlayOptions]) -> dict[str, Any]:
    """How it was played; only the profile may differ from protocol to protocol."""
    first = next(iter(options.values()))
    return {
        "version": __version__,
        "pace": first.pace,
        "chunks": first.chunks,
        "ids": first.ids,
        "strict": first.strict,
        "profile": " ".join(each.profile for each in options.values() if each.profile),
        "seed": first.seed,
        "faults": tuple(map(str, first.faults)),
    }


def _client_end(checked: Checked) -> ClientEnd:
    return ClientEnd(
        cassette=checked.report.name,
        exit_code=checked.client.exit_code,
        timed_out=checked.client.timed_out,
        seconds=round(checked.client.seconds, 3),
    )


def of_verified(path: Path, subject: Transcript, report: Report, profiles: Sequence[str]) -> dict[str, Any]:
    """One judged file's part of the report."""
    line = rerun.verify(path, profiles)
    return verdict(Judged(report=report, transcript=subject, source=str(path), reproduce=line))


def of_verify(paths: Iterable[Path], reports: Sequence[Report], profiles: Sequence[str]) -> Run:
    """What the reports say about a ``verify``."""
    paths = tuple(paths)
    return Run(
        version=__version__,
        files=tuple(map(str, paths)),
        sources=sources(each.protocol for each in reports),
        cassettes=tuple(map(judged_file, paths)),
        profile=" ".join(profiles),
    )
