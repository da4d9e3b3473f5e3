"""Rules about thread/start: the tools that a client declares."""

from __future__ import annotations

from typing import Final

from wiretape.codex.rules.source import SEED, rule
from wiretape.codex.tool_specs import first_fault
from wiretape.codex.view import ThreadStart
from wiretape.contract import Answer, Fault, Rule, Unseen
from wiretape.strictjson import ABSENT


def _valid(start: ThreadStart) -> Answer:
    if start.tools is ABSENT:
        return Unseen("no tool was declared")
    fault = first_fault(start.tools, start.connection.dialect)
    if fault is None:
        return None
    return Fault(f"params.dynamicTools{fault.path}", fault.want, fault.got)


def _removed(start: ThreadStart) -> Answer:
    known = {"persistExtendedHistory"} if start.connection.dialect.extended_history else set()
    for key in ("persistExtendedHistory", "dynamic_tools"):
        if key in start.params and key not in known:
            return Fault(f"params.{key}", ABSENT, start.params[key])
    return None


DECLARATION_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "thread-start.tool-spec-valid",
        "The declared tools are valid",
        _valid,
        scope="thread_starts",
        document=SEED,
        section="What changed",
        quote="App server validates tool names/schemas",
        good='{"type": "function", "name": "demo_echo", "description": "Echo", "inputSchema": {}}',
        bad=(
            '{"type": "function", "name": "demo.echo", "description": "Echo", "inputSchema": {}}',
            '{"type": "function", "name": "demo_echo", "description": "Echo"}',
            '{"type": "function", "name": "demo_echo", "description": "Echo", "inputSchema": "object"}',
        ),
        hint="the server refuses the whole thread/start with error -32600",
    ),
    rule(
        "thread-start.no-removed-fields",
        "thread/start has no member that the server no longer knows",
        _removed,
        scope="thread_starts",
        level="observed",
        section="Declaring tools",
        quote="Unknown members are ignored without a word; persistExtendedHistory is one from 0.163 on.",
        good='{"dynamicTools": []}',
        bad=('{"persistExtendedHistory": true}', '{"dynamic_tools": []}'),
    ),
)
