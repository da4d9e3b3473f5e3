"""A JSON message as lines for people: the value that is meant is marked, what lies off its way is folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from wiretape import strictjson
from wiretape.report import shown
from wiretape.reporting.place import Place, Step

_AROUND: Final = 16
"""Lines that are kept before and after the marked ones."""


class Line(NamedTuple):
    """One line of an outline. ``marked``: it is what the finding is about."""

    text: str
    marked: bool


def outline(value: Any, place: Place) -> list[Line]:
    """Write a value down around one place in it."""
    return _near([*_lines(value, place.steps, "", 0, place.missing)])


def _near(lines: list[Line]) -> list[Line]:
    first = next((index for index, line in enumerate(lines) if line.marked), 0)
    low, high = max(0, first - _AROUND), first + _AROUND
    dots = Line("…", False)
    return [dots] * (low > 0) + lines[low:high] + [dots] * (high < len(lines))


def _lines(value: Any, steps: Sequence[Step] | None, label: str, depth: int, missing: str) -> Iterator[Line]:
    """``steps``: the way that is left to the marked value; None: it is not in here."""
    indent = "  " * depth
    if steps is None:
        yield Line(indent + label + _folded(value), False)
    elif steps and steps[0] is None:
        yield Line(f"{indent}{label}a text, which holds", False)
        yield from _lines(strictjson.loads(value), steps[1:], "", depth + 1, missing)
    elif isinstance(value, (dict, list)) and (value or missing):
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        marked = not steps and not missing
        yield Line(indent + label + opening, marked)
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            name = f"{shown(step)}: " if isinstance(step, str) else ""
            yield from _lines(each, _onward(steps, step, marked), name, depth + 1, missing)
        if missing and not steps:
            yield Line(f"{indent}  {shown(missing)}: (is not there)", True)
        yield Line(indent + closing, marked)
    else:
        yield Line(indent + label + shown(value), True)


def _onward(steps: Sequence[Step], step: Step, marked: bool) -> Sequence[Step] | None:
    if marked:
        return ()
    return steps[1:] if steps and steps[0] == step else None


def _folded(value: Any) -> str:
    if isinstance(value, dict) and value:
        return f"{{… {len(value)} members}}" if len(value) > 1 else "{… 1 member}"
    if isinstance(value, list) and value:
        return f"[… {len(value)} items]" if len(value) > 1 else "[… 1 item]"
    return shown(value)
