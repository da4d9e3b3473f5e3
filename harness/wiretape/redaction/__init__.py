"""Redaction: no secret reaches a file. What is hidden, and how, is described in docs/redaction.md."""

from __future__ import annotations

from wiretape.redaction.redactor import Redactor
from wiretape.redaction.rules import DEFAULT, RedactionRules, Shape
from wiretape.redaction.scan import Hit, SaveRefused, scan

__all__ = ["DEFAULT", "Hit", "RedactionRules", "Redactor", "SaveRefused", "Shape", "scan"]
