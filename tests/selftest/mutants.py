"""What the self-test counts: broken clients, each with the one rule that must catch it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wiretape.contract import Verifier
from wiretape.transcript import Entry, Response, Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A client that is wrong in one point, or in two.

    ``rules``: the ids that must fail, without the protocol; ``also``: those that can't help failing with
    them. ``play`` gives the transcript of the client's session.
    """

    name: str
    rules: tuple[str, ...]
    play: Callable[[], Transcript]
    also: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The first word of the rule's id, and ``pairs`` for two rules."""
        return self.rules[0].partition(".")[0] if len(self.rules) == 1 else "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What became of a mutant."""

    mutant: Mutant
    survived: tuple[str, ...]
    """Its rules that let it live."""
    blamed: tuple[str, ...]
    """Rules that it did not break, and that failed."""
    adrift: tuple[str, ...]
    """Rules that were not judged because of another one, which did not fail."""

    @property
    def killed(self) -> bool:
        return not self.survived

    @property
    def clean(self) -> bool:
        """Whether everything that was said about it is right."""
        return not (self.survived or self.blamed or self.adrift)

    def __str__(self) -> str:
        told = (("survives", self.survived), ("blamed by", self.blamed), ("adrift", self.adrift))
        return f"{self.mutant.name}: " + "; ".join(f"{what} {', '.join(ids)}" for what, ids in told if ids)


def fate(mutant: Mutant, verifier: Verifier) -> Fate:
    """Judge a mutant.

    It is killed when each of its rules fails, or can't be judged because of one that failed, and says so.
    """
    findings = [(each, _short(each.rule)) for each in verifier.verify(mutant.play()).findings]
    known = {rule.id for rule in verifier.rules}
    failed = {rule for each, rule in findings if each.failed}
    because = {
        rule: _short(each.because)
        for each, rule in findings
        if each.outcome == "not_applicable" and each.because in known
    }
    survived = (rule for rule in mutant.rules if rule not in failed and because.get(rule) not in failed)
    return Fate(
        mutant=mutant,
        survived=tuple(survived),
        blamed=tuple(sorted(failed - {*mutant.rules, *mutant.also})),
        adrift=tuple(sorted(rule for rule, other in because.items() if other not in failed)),
    )


def _short(rule: str) -> str:
    """A rule's id without its protocol."""
    return rule.partition(".")[2]


def trace(transcript: Transcript) -> str:
    """What happened, without its times: two mutants of the same trace are one."""
    return "\n".join(_line(entry) for entry in transcript.entries) + repr(transcript.expect)


def _line(entry: Entry) -> str:
    if isinstance(entry, Response):
        return f"{entry.number} {entry.status}"
    return repr(replace(entry, at=0.0))
