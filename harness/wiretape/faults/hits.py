"""What faults would hit in a cassette, before anything is played."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wiretape.faults.codex import codex_hits
from wiretape.faults.delivery import PAUSES
from wiretape.faults.flow_a_hits import beyond_the_end, flow_a_hits
from wiretape.faults.kinds import KINDS
from wiretape.faults.model import Fault, FaultError, Hit

if TYPE_CHECKING:
    from wiretape.cassette.model import Cassette


def hits(faults: Iterable[Fault], cassette: Cassette) -> list[Hit]:
    """Every place that these faults strike in this cassette, fault by fault."""
    return [hit for fault in faults for hit in _hits(fault, cassette)]


def demand_hits(faults: Iterable[Fault], cassette: Cassette) -> list[Hit]:
    """Give what ``hits`` gives. Raises FaultError for a fault that hits nothing: it would be no test."""
    found = []
    for fault in faults:
        struck = _hits(fault, cassette)
        if not struck:
            raise FaultError(_why_not(fault, cassette))
        found += struck
    return found


def silence(faults: Iterable[Fault], cassette: Cassette) -> float:
    """Seconds, at most, for which these faults let a client of this cassette wait."""
    kinds = (hit.fault.kind for hit in hits(faults, cassette))
    return sum(PAUSES[kind](1.0) for kind in kinds if kind in PAUSES)


def _hits(fault: Fault, cassette: Cassette) -> list[Hit]:
    if KINDS[fault.kind].protocol != cassette.protocol:
        return []
    return (flow_a_hits if cassette.protocol == "flow_a" else codex_hits)(fault, cassette)


def _why_not(fault: Fault, cassette: Cassette) -> str:
    kind = KINDS[fault.kind]
    if kind.protocol != cassette.protocol:
        is_of = f"{kind.name} is a fault of {kind.protocol}"
        return f"fault {fault}: {is_of}, and {cassette.name} is {cassette.protocol}"
    beyond = beyond_the_end(fault, cassette) if cassette.protocol == "flow_a" else ""
    nothing = f"fault {fault} hits nothing in {cassette.name}{beyond}"
    return f"{nothing}. Choose another place; --dry-run lists what is hit"
