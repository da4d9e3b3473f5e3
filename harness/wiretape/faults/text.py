"""Reads faults as they are written: ``KIND@UNIT:VALUE``."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from wiretape.faults.kinds import KINDS
from wiretape.faults.model import EVERY, Fault, FaultError, Kind, Where

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,999}")
"""Longer than any place there is, and shorter than what Python refuses to read as a number."""


def parse(text: str) -> Fault:
    """Read ``KIND@UNIT:VALUE``, as in ``cut@event:12``. Raises FaultError."""
    name, _, place = text.strip().partition("@")
    kind = KINDS.get(name)
    if kind is None:
        raise FaultError(f"fault {text!r}: there is no kind {name!r}{_guess(name)}")
    unit, _, value = place.partition(":")
    if unit not in kind.units or not _fits(unit, value):
        raise FaultError(f"fault {text!r}: expected {_forms(kind)}, got {f'{name}@{place}'!r}")
    return Fault(name, Where(unit, int(value) if _NUMBER.fullmatch(value) else value))


def _fits(unit: str, value: str) -> bool:
    if unit == "type":
        return bool(value) and not _NUMBER.fullmatch(value)
    return value == EVERY or _NUMBER.fullmatch(value) is not None


def _guess(name: str) -> str:
    near = get_close_matches(name.lower(), KINDS, n=1)
    if near:
        return f"; did you mean {near[0]}? It takes {_forms(KINDS[near[0]])}"
    return f"; there are: {' '.join(KINDS)}"


def _forms(kind: Kind) -> str:
    """How a kind is written: ``cut@event:N or cut@type:NAME``."""
    forms = (f"{kind.name}@{unit}:{'NAME' if unit == 'type' else 'N'}" for unit in kind.units)
    return f"{' or '.join(forms)} (N from 1, or * for every one)"
