"""The exit codes that scripts depend on."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """What a verb ends with."""

    FINE = 0
    VIOLATIONS = 1
    SETUP = 2
    UNPLAYED = 3
    LINT = 4
    DRIFT = 5
    INTERRUPTED = 130
    """Ctrl-C, or a signal to the same end: 128 + SIGINT, as shells have it."""


SEVERITY = (Exit.SETUP, Exit.VIOLATIONS, Exit.UNPLAYED)
"""Over several cassettes the first of these that occurred is the answer."""


def of_all(exits: Iterable[Exit]) -> Exit:
    """One exit code for many cassettes."""
    occurred = set(exits)
    return next((code for code in SEVERITY if code in occurred), Exit.FINE)
