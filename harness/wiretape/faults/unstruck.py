"""Faults that never came about: the client did not get as far as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wiretape.faults.kinds import kind_of
from wiretape.faults.model import Fault
from wiretape.transcript import Entry, Struck

_WHY: Final = {"request": "the client did not come to that place, or sent there what is not struck"}
"""By unit, where there is more to say."""


def unstruck(faults: Iterable[Fault], entries: Iterable[Entry]) -> tuple[str, ...]:
    """What to say of each fault that struck nothing; nothing after one that may end a session."""
    struck = {entry.fault for entry in entries if isinstance(entry, Struck)}
    if any(kind_of(text).may_end for text in struck):
        return ()
    return tuple(
        f"fault {fault} struck nothing: {_WHY.get(fault.where.unit, 'the client did not come to that place')}"
        for fault in faults
        if str(fault) not in struck
    )
