"""Every scenario, by name: the modules register theirs when they are imported."""

from __future__ import annotations

from tests.differential.scenario import SCENARIOS
from tests.differential.scenarios import (
    answers,
    calls,
    commands,
    declarations,
    handshake,
    history,
    interrupts,
    login,
    turns,
    websocket,
)

MODULES = (answers, declarations, handshake, turns, calls, interrupts, history, websocket, login, commands)
ALL = tuple(SCENARIOS.values())
