"""Where the Flow A rules come from, and the short way to write one down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wiretape.contract import Answer, Evidence, Level, Rule, Spec

SEED: Final = "flow-a-tool-protocol"
"""The source document. Its sections are written ``§3``."""
NOTES: Final = "docs/flow-a.md"
"""This project's notes, for what client code and captures show and the source document does not say."""
STANDARDS: Final = "RFC 8259"


def rule(
    name: str,
    title: str,
    check: Callable[[Any], Answer],
    *,
    scope: str,
    section: str,
    quote: str,
    evidence: Evidence,
    good: str,
    bad: tuple[str, ...],
    level: Level = "must",
    document: str = SEED,
    hint: str = "",
) -> Rule:
    """Make a rule of this protocol; ``name`` is its id without the prefix."""
    return Rule(
        id=f"flow_a.{name}",
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
