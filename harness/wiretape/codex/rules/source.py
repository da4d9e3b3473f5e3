"""Where the Codex rules come from, and the short way to write one down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wiretape.contract import Answer, Evidence, Level, Rule, Spec

SEED: Final = "app-server-dynamic-tools"
"""The source document. It has no section numbers: a section is named by its heading."""
NOTES: Final = "docs/codex.md"
"""This project's notes, for what was measured and the source document does not say."""


def rule(
    name: str,
    title: str,
    check: Callable[[Any], Answer],
    *,
    scope: str,
    section: str,
    quote: str,
    good: str,
    bad: tuple[str, ...],
    evidence: Evidence = "wire",
    level: Level = "must",
    document: str = NOTES,
    hint: str = "",
) -> Rule:
    """Make a rule of this protocol; ``name`` is its id without the prefix."""
    return Rule(
        id=f"codex.{name}",
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
