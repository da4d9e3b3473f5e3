"""Which of the tools that a client declares are called, and with which arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wiretape.scenario.draw import Draw
from wiretape.scenario.values import UnfitError, fitting

MOST_CALLS: Final = 24
"""In one turn. Of more tools the seed says which are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that can be called. ``schema`` is what its arguments have to fit."""

    name: str
    schema: object
    namespace: str | None = None

    @property
    def title(self) -> str:
        """What a person calls it."""
        return self.name if self.namespace is None else f"{self.namespace}.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A call that is going to be made."""

    tool: Tool
    arguments: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The calls of one turn in order."""

    calls: tuple[PlannedCall, ...] = ()
    unfit: tuple[str, ...] = ()
    """Tools for which no arguments were found, one sentence each."""
    left_out: tuple[str, ...] = ()
    """Tools that are too many, by name."""

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the session does not try, one sentence each."""
        many = f"Not called, since {MOST_CALLS} calls are enough: {', '.join(self.left_out)}."
        return (*self.unfit, *([many] if self.left_out else ()))


def plan(tools: Iterable[Tool], draw: Draw) -> Plan:
    """Plan one call of each tool; the seed says which comes first."""
    ordered = _rotated(list(tools), draw)
    calls, unfit = [], []
    for tool in ordered[:MOST_CALLS]:
        try:
            calls.append(PlannedCall(tool=tool, arguments=_arguments(tool, draw)))
        except UnfitError as error:
            unfit.append(f"{tool.title} was not called, no arguments were found that fit: {error}.")
    left_out = tuple(tool.title for tool in ordered[MOST_CALLS:])
    return Plan(calls=tuple(calls), unfit=tuple(unfit), left_out=left_out)


def _arguments(tool: Tool, draw: Draw) -> Any:
    return fitting(tool.schema, draw.at("arguments", tool.title), kind="object")


def _rotated(tools: Sequence[Tool], draw: Draw) -> list[Tool]:
    """The tools from another one on; the seed 0 begins with the first."""
    start = draw.seed % len(tools) if tools else 0
    return [*tools[start:], *tools[:start]]
