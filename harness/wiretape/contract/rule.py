"""A rule: one demand of a protocol, as data, and how its outcome follows from the answers of its check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wiretape.contract.answers import (
    Answer,
    Evidence,
    Fault,
    Finding,
    Level,
    Note,
    Outcome,
    Skip,
    Spec,
    Subject,
    Unseen,
)

_KEPT: Final = 64
"""Findings that blame nobody, of each rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One demand of the protocol, as data.

    ``scope`` names the kind of subject it is asked about; ``check`` gets one such subject. ``good`` and
    ``bad`` are short examples for people: JSON fragments of the subject, or a sentence about behaviour.
    """

    id: str
    level: Level
    title: str
    spec: Spec
    evidence: Evidence
    scope: str
    check: Callable[[Any], Answer]
    good: str
    bad: tuple[str, ...]
    hint: str = ""
    passed: Finding = field(init=False, compare=False, repr=False)
    """The finding of a plain pass, made once: judging a conforming request allocates next to nothing."""
    said: dict[tuple[Outcome, str], Finding] = field(
        init=False, compare=False, repr=False, default_factory=dict
    )
    """Other findings that blame nobody, made once each; not all, for some name what a client made up."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "passed", self.finding("pass"))

    def finding(self, outcome: Outcome, **details: Any) -> Finding:
        """A finding of this rule; ``details`` are other members of Finding."""
        return Finding(
            rule=self.id,
            level=self.level,
            outcome=outcome,
            evidence=self.evidence,
            spec=str(self.spec),
            **details,
        )

    def unfailed(self, answer: Note | Skip | Unseen | None) -> Finding:
        """The finding of an answer that blames nobody."""
        if answer is None:
            return self.passed
        key = answer.outcome, answer.because
        known = self.said.get(key)
        if known is None:
            known = self.finding(answer.outcome, because=answer.because)
            if len(self.said) < _KEPT:
                self.said[key] = known
        return known

    def found(self, answer: Answer, at: str) -> Finding:
        """The finding of an answer about the only subject."""
        return self.failed(answer, at) if isinstance(answer, Fault) else self.unfailed(answer)

    def failed(self, fault: Fault, at: str) -> Finding:
        """The finding of a fault; ``at`` is where its subject stands."""
        finding = self.finding(
            "fail",
            path=fault.path,
            want=fault.want,
            got=fault.got,
            at=fault.at or at,
            hint=fault.hint or self.hint,
        )
        return replace(finding, level=fault.level) if fault.level else finding

    def conclude(self, answers: Sequence[tuple[Answer, Subject]], unseen: str = "") -> list[Finding]:
        """Conclude from the answers about every subject: each fault, else one pass, else why no verdict."""
        failures = [self.failed(answer, s.at) for answer, s in answers if isinstance(answer, Fault)]
        others = [answer for answer, _ in answers if not isinstance(answer, Fault)]
        return failures or [self.unfailed(min(others, key=_weight, default=Unseen(unseen)))]


def make_rule(
    name: str,
    title: str,
    check: Callable[[Any], Answer],
    *,
    protocol: str,
    document: str,
    section: str,
    quote: str,
    evidence: Evidence,
    scope: str,
    good: str,
    bad: tuple[str, ...],
    level: Level = "must",
    hint: str = "",
) -> Rule:
    """Write a rule down in short: ``name`` is its id without the protocol's prefix."""
    return Rule(
        id=f"{protocol}.{name}",
        level=level,
        title=title,
        spec=Spec(document=document, section=section, quote=quote),
        evidence=evidence,
        scope=scope,
        check=check,
        good=good,
        bad=bad,
        hint=hint,
    )


_WEIGHTS: Final = {Note: 0, type(None): 1, Skip: 2, Unseen: 3}
"""Of several answers that blame nobody, the lightest is the rule's outcome."""


def _weight(answer: Note | Skip | Unseen | None) -> int:
    return _WEIGHTS[type(answer)]
