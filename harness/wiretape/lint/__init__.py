"""What is wrong with a cassette: rules of its own, judged into a Report as those of the protocols are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wiretape.contract import Finding, Report, Skip
from wiretape.lint import codex, flow_a, recording
from wiretape.lint.rule import LintRule, Tape

__all__ = ["RULES", "LintRule", "Tape", "lint"]

RULES: Final[tuple[LintRule, ...]] = (*flow_a.RULES, *codex.RULES, *recording.RULES)


def lint(tape: Tape, rules: Iterable[LintRule] = RULES) -> Report:
    """Judge a cassette by every rule of its protocol: each fault is a finding, else one pass a rule.

    A rule comes behind those that it needs.
    """
    cassette = tape.cassette
    findings: list[Finding] = []
    for rule in rules:
        if rule.protocol in ("", cassette.protocol):
            broken = next((each.rule for each in findings if each.failed and each.rule in rule.after), None)
            findings += [rule.finding(Skip(broken))] if broken else rule.findings(tape)
    return Report(name=cassette.name, protocol=cassette.protocol, findings=tuple(findings))
