"""A return beside the required one, which is what came with everything put right that rules blame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from wiretape.contract import Finding, Outcome
from wiretape.difference import member_path, members
from wiretape.strictjson import ABSENT

_ORDER: Final[Mapping[Outcome, int]] = {"fail": 0, "pass": 1, "not_applicable": 2, "not_observed": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A call, what came back, what had to, and what each rule that was asked about it says."""

    tool: str
    """As it was addressed: ``local.alefita_way``."""
    call_id: str
    asked: str
    """Where the call stands."""
    arguments: object
    """Parsed; the text where it is no JSON."""
    at: str = ""
    """Where the return stands; empty when none came."""
    got: object = ABSENT
    """What came, JSON inside of texts parsed."""
    want: object = ABSENT
    """ABSENT where nothing had to come."""
    findings: tuple[Finding, ...] = ()
    """Failed ones first."""


def blamed(findings: Iterable[Finding]) -> frozenset[str]:
    """The paths that failed findings lead to."""
    return frozenset(finding.path for finding in findings if finding.failed and finding.path)


def required(form: Any, got: Any, wrong: Set[str], path: str = "") -> Any:
    """What came, with the blamed paths as in ``form``, and with its members where they are missing.

    A member that ``form`` does not have goes when it is blamed. What nobody blames stays: a rule that takes
    several values takes the client's.
    """
    if got is ABSENT or path in wrong:
        return form
    kind = next((kind for kind in (dict, list) if isinstance(got, kind)), None)
    below = any(each.startswith((f"{path}.", f"{path}[")) for each in wrong) if path else True
    if kind is None:
        return form if below and form is not ABSENT else got
    if not below and not isinstance(form, dict):
        return got
    forms, came = members(form if isinstance(form, kind) else kind()), members(got)
    whole = {
        key: value
        for key in [*forms, *(each for each in came if each not in forms)]
        if (value := required(forms.get(key, ABSENT), came.get(key, ABSENT), wrong, member_path(path, key)))
        is not ABSENT
    }
    return whole if kind is dict else list(whole.values())


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Failed findings first, those that say nothing last."""
    return tuple(sorted(findings, key=lambda each: _ORDER[each.outcome]))
