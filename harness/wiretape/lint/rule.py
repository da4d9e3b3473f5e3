"""A lint rule as data, and what it is asked about: a cassette with the bytes of its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from wiretape.cassette.model import Cassette
from wiretape.contract import Fault, Finding, Level, Skip
from wiretape.redaction import DEFAULT, RedactionRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Tape:
    """A cassette, the bytes of its file, and what counts as a secret in them."""

    cassette: Cassette
    data: bytes
    secrets: RedactionRules = DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRule:
    """One demand on a cassette. ``check`` gives every fault; a Skip says why it can't be judged."""

    id: str
    level: Level
    title: str
    check: Callable[[Tape], Iterable[Fault | Skip]]
    protocol: Literal["", "flow_a", "codex"] = ""
    """Whose cassettes it is about; empty: all."""
    after: tuple[str, ...] = ()
    """Rules without which this one can't be judged: one fault must not be told many times."""

    def findings(self, tape: Tape) -> list[Finding]:
        """A finding for each fault, or the one that says that there is none, or why it is not known."""
        return [*map(self.finding, self.check(tape))] or [self._finding()]

    def finding(self, answer: Fault | Skip) -> Finding:
        if isinstance(answer, Skip):
            return Finding(
                rule=self.id,
                level=self.level,
                outcome=answer.outcome,
                evidence="doc",
                spec=self.title,
                because=answer.because,
            )
        return Finding(
            rule=self.id,
            level=answer.level or self.level,
            outcome="fail",
            evidence="doc",
            spec=self.title,
            path=answer.path,
            want=answer.want,
            got=answer.got,
            at=answer.at,
            hint=answer.hint,
        )

    def _finding(self) -> Finding:
        return Finding(rule=self.id, level=self.level, outcome="pass", evidence="doc", spec=self.title)
