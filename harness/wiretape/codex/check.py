"""Judges the Codex app-server's clients: whole transcripts by all rules."""

from __future__ import annotations

from typing import Final

from wiretape.codex.reader import read
from wiretape.codex.rules import RULES
from wiretape.contract import Verifier

VERIFIER: Final = Verifier(
    protocol="codex",
    read=read,
    rules=RULES,
    unseen={
        "frames": "the client sent nothing",
        "connections": "no connection was seen",
        "initializes": "no initialize was seen",
        "thread_starts": "no thread was started",
        "turns": "no turn was seen",
        "calls": "no tool call was seen",
        "refreshes": "no request for new tokens was seen",
        "replies": "the client answered nothing",
        "tool_replies": "no answer to a tool call was seen",
        "refresh_replies": "no new tokens were sent",
        "model_outputs": "no real app-server told its model of a call",
        "strikes": "no fault struck",
        "turn_starts": "no turn was begun after a fault",
    },
)
