"""Where the value that came differs from the one that was wanted: the members, or the character."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from wiretape.difference import lines
from wiretape.report import printable

_LINES: Final = 60
"""Lines that are kept."""
_WORTH_A_LOOK: Final = 8
"""Characters that two texts begin with before it helps to say where they part."""


def contrast(want: Any, got: Any) -> dict[str, Any] | None:
    """Lay two objects or lists side by side, or say where two texts part.

    ``lines`` are those of ``wiretape.difference``, each with its ``mark``; ``parts_at`` is the first
    character that differs. None where both values fit into a line each and speak for themselves.
    """
    if any(isinstance(want, kind) and isinstance(got, kind) for kind in (dict, list)):
        return {"lines": [_printable(asdict(line)) for line in lines(want, got)[:_LINES]]}
    if isinstance(want, str) and isinstance(got, str) and (at := _parting(want, got)) >= _WORTH_A_LOOK:
        return {"parts_at": at}
    return None


def _printable(line: dict[str, Any]) -> dict[str, Any]:
    return {name: printable(value) if isinstance(value, str) else value for name, value in line.items()}


def _parting(want: str, got: str) -> int:
    pairs = enumerate(zip(want, got, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(want), len(got)))
