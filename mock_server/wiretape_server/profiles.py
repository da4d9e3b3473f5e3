"""Which profile a verdict demands, from the texts of an option that can be given for each protocol."""

from __future__ import annotations

from collections.abc import Iterable

from wiretape.profiles import PROFILES
from wiretape_server.options import OptionError


def demanded(texts: Iterable[str], protocol: str) -> str:
    """The profile that ``PROTOCOL=NAME`` or ``NAME`` demands of this protocol, the last one; empty when none.

    Raises OptionError for a name that nobody defined.
    """
    chosen = ""
    for text in texts:
        prefix, _, name = text.strip().rpartition("=")
        owner = prefix or protocol
        if name not in PROFILES.get(owner, ()):
            known = ", ".join(f"{each}={name}" for each, names in PROFILES.items() for name in names)
            raise OptionError(f"profile is {text!r}; give one of {known}")
        if owner == protocol:
            chosen = name
    return chosen
