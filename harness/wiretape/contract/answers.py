"""What a check answers about one subject, and what a rule finds in the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

from wiretape.strictjson import ABSENT

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
        """Whether the rule is broken here, at whatever level."""
        return self.outcome == "fail"
