"""Asks every rule about every subject of a transcript, and sums up the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wiretape.contract.answers import Finding, Level, Subject
from wiretape.contract.rule import Rule
from wiretape.transcript import Transcript


class View(Protocol):
    """A transcript, digested for one protocol's rules."""

    def subjects(self, scope: str) -> Sequence[Subject]:
        """Everything that a rule of this scope is asked about, in the order of the transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The verdict on one transcript."""

    name: str
    protocol: str
    findings: tuple[Finding, ...]
    unplayed: tuple[str, ...] = ()
    """What the cassette holds and the client never asked for, one line each."""
    errors: tuple[str, ...] = ()
    """Requests that the server could not answer from the cassette, one explanation each."""

    @property
    def violations(self) -> tuple[Finding, ...]:
        """Failed ``must`` findings: what makes a client wrong."""
        return self._failed("must")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Failed ``should`` findings."""
        return self._failed("should")

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Failed ``observed`` findings."""
        return self._failed("observed")

    @property
    def ok(self) -> bool:
        """Whether no ``must`` failed."""
        return not self.violations

    @property
    def played(self) -> bool:
        """Whether the whole cassette was played and every request found its answer."""
        return not self.unplayed and not self.errors

    def _failed(self, level: Level) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.failed and finding.level == level)


class Verifier:
    """Judges transcripts of one protocol by its rules, scope by scope.

    ``read`` digests a transcript into a view; ``unseen`` says of each scope why a rule of it had nothing to
    judge. Raises KeyError for a rule whose scope has no such sentence.
    """

    def __init__(
        self,
        *,
        protocol: str,
        read: Callable[[Transcript], View],
        rules: Iterable[Rule],
        unseen: Mapping[str, str],
    ) -> None:
        self.protocol = protocol
        self.read = read
        self.rules = tuple(rules)
        self.unseen = {rule.scope: unseen[rule.scope] for rule in self.rules}
        self.by_scope = {
            scope: tuple(rule for rule in self.rules if rule.scope == scope) for scope in self.unseen
        }

    def verify(self, transcript: Transcript) -> Report:
        """Judge a transcript of this protocol."""
        view = self.read(transcript)
        findings: list[Finding] = []
        for scope, rules in self.by_scope.items():
            findings += judge(rules, view.subjects(scope), self.unseen[scope])
        return Report(
            name=transcript.name,
            protocol=self.protocol,
            findings=tuple(findings),
            unplayed=transcript.unplayed,
            errors=transcript.errors,
        )

    def rule(self, rule_id: str) -> Rule:
        """The rule of this id. Raises KeyError."""
        return {rule.id: rule for rule in self.rules}[rule_id]


def judge(rules: Sequence[Rule], subjects: Sequence[Subject], unseen: str = "") -> list[Finding]:
    """Ask every rule about every subject; each rule gives one finding, or one for each of its faults."""
    if len(subjects) != 1:
        every = [(rule, [(rule.check(subject), subject) for subject in subjects]) for rule in rules]
        return [finding for rule, answers in every for finding in rule.conclude(answers, unseen)]
    (subject,) = subjects  # the usual case, and nearly always a pass: nothing is made or called for it
    return [
        rule.passed if (answer := rule.check(subject)) is None else rule.found(answer, subject.at)
        for rule in rules
    ]
