"""Rules for every cassette: what the client did in it conforms, where it comes from is told, no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wiretape.cassette.model import Provenance, ProvenanceKind
from wiretape.contract import Fault
from wiretape.lint.rule import LintRule, Tape
from wiretape.redaction import scan
from wiretape.strictjson import ABSENT
from wiretape.verdict import verify

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9.]+)?(?:Z|[+-][0-9:]+)?)?")
_NEEDED: Final[dict[ProvenanceKind, tuple[str, ...]]] = {
    "recorded": ("tool", "basis"),
    "reconstructed": ("basis", "gaps"),
    "synthetic": ("gaps",),
}
_WHY: Final = {
    "tool": "what recorded it",
    "basis": "what it was made from",
    "gaps": "what in it nobody has captured",
}


def _conforms(tape: Tape) -> Iterator[Fault]:
    report = verify(tape.cassette)
    for finding in (*report.violations, *report.warnings):
        yield Fault(
            path=finding.path,
            want=finding.want,
            got=finding.got,
            at=finding.at,
            hint=f"{finding.rule}: {finding.hint}" if finding.hint else finding.rule,
            level=finding.level,
        )


def _provenance(tape: Tape) -> Iterator[Fault]:
    provenance = tape.cassette.provenance
    for key in _NEEDED[provenance.kind]:
        if not getattr(provenance, key):
            yield _missing(provenance, key)
    if provenance.captured_at is not None and not _DATE.fullmatch(provenance.captured_at):
        want = "a date, or a date and a time: 2026-11-30T12:00:00Z"
        yield Fault("provenance.captured_at", want, provenance.captured_at, "write it as ISO 8601 has it")
    if provenance.kind == "recorded" and provenance.captured_at is None and not provenance.gaps:
        yield Fault("provenance.captured_at", "when it was captured, or a gap that says that nobody knows")


def _missing(provenance: Provenance, key: str) -> Fault:
    hint = f"say {_WHY[key]}; a cassette that is {provenance.kind} needs it"
    return Fault(f"provenance.{key}", _WHY[key], ABSENT, hint)


def _secrets(tape: Tape) -> Iterator[Fault]:
    for hit in scan(tape.data, rules=tape.secrets):
        yield Fault(
            hit.place, "a pseudonym or a placeholder", hit.name, "record it again, or replace the value"
        )


RULES: Final = (
    LintRule(
        id="lint.return-conforms",
        level="must",
        title="What the recorded client sent conforms to the protocol.",
        check=_conforms,
        after=("lint.decodes", "lint.frames-valid"),
    ),
    LintRule(
        id="lint.provenance-complete",
        level="must",
        title="A cassette says where it comes from, and what in it nobody has captured.",
        check=_provenance,
    ),
    LintRule(
        id="lint.no-secrets",
        level="must",
        title="No secret stands in a cassette.",
        check=_secrets,
    ),
)
