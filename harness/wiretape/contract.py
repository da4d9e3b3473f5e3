"""What a rule is, what it finds, and who asks it: Rule, Finding, Verifier, Report.

This module knows no protocol. A protocol supplies a *reader*, which digests a transcript once into subjects
(every request, every return, …), and a table of rules; the verifier asks every rule about every subject of
its scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias

from wiretape.strictjson import ABSENT
from wiretape.transcript import Transcript

Level: TypeAlias = Literal["must", "should", "observed"]
Evidence: TypeAlias = Literal["wire", "code", "doc", "inferred"]
Outcome: TypeAlias = Literal["pass", "fail", "not_observed", "not_applicable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """Where a rule comes from: a source document, its section, and the sentence itself."""

    document: str
    section: str
    quote: str

    def __str__(self) -> str:
        return f"{self.section} «{self.quote}»"


@dataclass(frozen=True, slots=True)
class Fault:
    """A check's answer: the subject breaks the rule. ``path`` leads to the value inside the subject."""

    path: str
    want: object
    got: object = ABSENT
    hint: str = ""
    at: str = ""
    """Where it happened, when that is another place than the subject's own."""
    level: Level | None = None
    """How grave it is, where that is not the rule's own level."""


@dataclass(frozen=True, slots=True)
class Note:
    """A check's answer: passed, and one line is worth saying."""

    because: str
    outcome: ClassVar[Outcome] = "pass"


@dataclass(frozen=True, slots=True)
class Skip:
    """A check's answer: this rule can't be judged here. ``because`` is a rule id or a sentence."""

    because: str
    outcome: ClassVar[Outcome] = "not_applicable"


@dataclass(frozen=True, slots=True)
class Unseen:
    """A check's answer: what this rule is about did not happen here, so it says nothing."""

    because: str
    outcome: ClassVar[Outcome] = "not_observed"


Answer: TypeAlias = Fault | Skip | Unseen | Note | None
"""None is a plain pass."""


class Subject(Protocol):
    """Something a rule can be asked about. ``at`` says where in the transcript it stands."""

    @property
    def at(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule's outcome at one place."""

    rule: str
    level: Level
    outcome: Outcome
    evidence: Evidence
    spec: str
    path: str = ""
    want: object = ABSENT
    got: object = ABSENT
    at: str = ""
    hint: str = ""
    because: str = ""
    """Why it was not judged (not_observed, not_applicable), or a note beside a pass."""

    @property
    def failed(self) -> bool:
        return self.outcome == "fail"


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
    """Other findings that blame nobody, made once each."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "passed", self.finding("pass"))

    def finding(self, outcome: Outcome, **details: Any) -> Finding:
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
            known = self.said[key] = self.finding(answer.outcome, because=answer.because)
        return known

    def found(self, answer: Answer, at: str) -> Finding:
        """The finding of an answer about the only subject."""
        return self.failed(answer, at) if isinstance(answer, Fault) else self.unfailed(answer)

    def failed(self, fault: Fault, at: str) -> Finding:
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


class View(Protocol):
    """A transcript, digested for one protocol's rules."""

    def subjects(self, scope: str) -> Sequence[Subject]: ...


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
