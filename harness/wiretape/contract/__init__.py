"""What a rule is, what it finds, and who asks it: Rule, Finding, Verifier, Report.

This module knows no protocol. A protocol supplies a *reader*, which digests a transcript once into subjects
(every request, every return, …), and a table of rules; the verifier asks every rule about every subject of
its scope.
"""

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
from wiretape.contract.rule import Rule, make_rule
from wiretape.contract.verifier import Report, Verifier, View, judge

__all__ = [
    "Answer",
    "Evidence",
    "Fault",
    "Finding",
    "Level",
    "Note",
    "Outcome",
    "Report",
    "Rule",
    "Skip",
    "Spec",
    "Subject",
    "Unseen",
    "Verifier",
    "View",
    "judge",
    "make_rule",
]
