"""Redaction: no secret reaches a file. What is hidden, and how, is described in docs/redaction.md."""

from __future__ import annotations

from wiretape.redaction.excerpt import excerpt
from wiretape.redaction.redactor import Redactor
from wiretape.redaction.rules import DEFAULT, Hit, RedactionRules, Shape
from wiretape.redaction.rules_file import RulesError, load_hook, load_rules
from wiretape.redaction.scan import SaveRefused, refuse_secrets, scan

__all__ = [
    "DEFAULT",
    "Hit",
    "RedactionRules",
    "Redactor",
    "RulesError",
    "SaveRefused",
    "Shape",
    "excerpt",
    "load_hook",
    "load_rules",
    "refuse_secrets",
    "scan",
]
