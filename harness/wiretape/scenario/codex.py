"""Makes a model up that calls each of a thread's dynamic tools: the first one alone, the others together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Cassette, ClientStep, ModelCall, ModelText, Step
from wiretape.codex.dialects import dialect_of, version_of
from wiretape.codex.messages import fields
from wiretape.scenario.adaptive import ANSWER_PIECES, NAME, TITLE, USER_MESSAGE, expectation, provenance
from wiretape.scenario.draw import Draw
from wiretape.scenario.plan import Plan, Tool, plan

_PARALLEL: Final = 8
"""Calls in one answer of the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a model does in one turn, and the plan that it follows."""

    plan: Plan
    steps: tuple[Step, ...]


def of_dynamic_tools(declared: object, *, seed: int = 0, profile: str = "") -> Cassette:
    """Make a session up for ``dynamicTools`` as a server of the profile reads them."""
    made = scene(declared, seed=seed, profile=profile)
    return cassette_of([made], declared, seed=seed, profile=profile)


def cassette_of(scenes: Sequence[Scene], declared: object, *, seed: int, profile: str = "") -> Cassette:
    """The cassette of a thread's turns."""
    gaps = dict.fromkeys(gap for each in scenes for gap in each.plan.gaps)
    turns = tuple(ClientStep(do="turn", value=USER_MESSAGE) for _ in scenes)
    return Cassette(
        protocol="codex",
        provenance=provenance(f"Its seed is {seed}.", *gaps),
        model=tuple(step for each in scenes for step in each.steps),
        client=turns if len(turns) > 1 else (),
        title=TITLE,
        expect=expectation(declared),
        profile=profile,
        name=NAME,
    )


def scene(
    declared: object, *, seed: int = 0, profile: str = "", called: Collection[str] = (), place: str = ""
) -> Scene:
    """Make one turn up: a call of each tool, but not of those that were ``called`` before.

    ``place`` tells turns apart whose calls must not have the same ids.
    """
    draw = Draw.about(seed, [declared, place])
    namespaces = dialect_of(version_of(profile)).canonical_tools
    tools = {
        tool.title: tool
        for tool in declared_tools(declared, namespaces=namespaces)
        if tool.title not in called
    }
    planned = plan(tools.values(), draw)
    return Scene(plan=planned, steps=tuple(_steps(planned, draw)))


def _steps(planned: Plan, draw: Draw) -> Iterator[Step]:
    calls = [_call(planned, number, draw) for number in range(len(planned.calls))]
    if calls:
        thought = ModelText(text="I begin with one tool.", deltas=("I begin ", "with one tool."))
        yield Step(items=(thought, calls[0]))
    for start in range(1, len(calls), _PARALLEL):
        yield Step(items=tuple(calls[start : start + _PARALLEL]))
    yield Step(items=(ModelText(text="".join(ANSWER_PIECES), deltas=ANSWER_PIECES),))


def _call(planned: Plan, number: int, draw: Draw) -> ModelCall:
    call = planned.calls[number]
    return ModelCall(
        id=f"call_{draw.at('call', number).uuid().replace('-', '')[:24]}",
        tool=call.tool.name,
        arguments=strictjson.dumps(call.arguments, spaced=True),
        namespace=call.tool.namespace,
    )


def declared_tools(declared: object, *, namespaces: bool) -> Iterator[Tool]:
    """Every function that is declared, those of namespaces too. What can't be read the server refuses."""
    for entry in map(fields, _as_list(declared)):
        if namespaces and entry.get("type") == "namespace":
            for inner in map(fields, _as_list(entry.get("tools"))):
                yield from _tool(inner, entry.get("name"))
        else:
            yield from _tool(entry, entry.get("namespace") if namespaces else None)


def _tool(entry: dict[str, Any], namespace: object) -> Iterator[Tool]:
    if isinstance(entry.get("name"), str):
        around = namespace if isinstance(namespace, str) else None
        yield Tool(name=entry["name"], schema=entry.get("inputSchema", True), namespace=around)


def _as_list(declared: object) -> list[Any]:
    return declared if isinstance(declared, list) else []
