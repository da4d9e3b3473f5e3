"""The catalogue of Flow A rules, in the order in which a report shows them."""

from __future__ import annotations

from typing import Final

from wiretape.contract import Rule
from wiretape.flow_a.rules.behavior import BEHAVIOR_RULES
from wiretape.flow_a.rules.preparation import PREPARATION_RULES
from wiretape.flow_a.rules.requests import REQUEST_RULES
from wiretape.flow_a.rules.return_fields import FIELD_RULES
from wiretape.flow_a.rules.return_text import INTACT, TEXT_RULES
from wiretape.flow_a.rules.returns import ENVELOPE_RULES, SESSION_RULES
from wiretape.flow_a.rules.signatures import SIGNATURE_RULES, STILL_DECLARED
from wiretape.flow_a.rules.trouble import FAULT_RULES

BODY_RULES: Final[tuple[Rule, ...]] = (*ENVELOPE_RULES, *FIELD_RULES, *TEXT_RULES)
"""The return rules that need nothing but the request's body and the call."""

RULES: Final[tuple[Rule, ...]] = (
    *REQUEST_RULES,
    *PREPARATION_RULES,
    *SIGNATURE_RULES,
    *SESSION_RULES,
    *BODY_RULES,
    STILL_DECLARED,
    *BEHAVIOR_RULES,
    INTACT,
    *FAULT_RULES,
)
