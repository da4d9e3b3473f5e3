"""The catalogue of Codex rules, in the order in which a report shows them."""

from __future__ import annotations

from typing import Final

from wiretape.codex.rules.calls import BEHAVIOR_RULES, CALL_RULES
from wiretape.codex.rules.declarations import DECLARATION_RULES
from wiretape.codex.rules.errors import ERROR_RULES
from wiretape.codex.rules.faults import FAULT_RULES
from wiretape.codex.rules.frames import FRAME_RULES
from wiretape.codex.rules.handshake import HANDSHAKE_RULES
from wiretape.codex.rules.model_side import MODEL_RULES
from wiretape.codex.rules.refresh import REFRESH_RULES
from wiretape.codex.rules.responses import RESPONSE_RULES
from wiretape.contract import Rule

RULES: Final[tuple[Rule, ...]] = (
    *HANDSHAKE_RULES,
    *DECLARATION_RULES,
    *FRAME_RULES,
    *CALL_RULES,
    *RESPONSE_RULES,
    *ERROR_RULES,
    *REFRESH_RULES,
    *MODEL_RULES,
    *BEHAVIOR_RULES,
    *FAULT_RULES,
)
