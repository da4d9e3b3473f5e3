"""What two recordings are compared by: exchanges, and the parts of each, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from wiretape.strictjson import ABSENT
from wiretape.transcript import Headers

Kind: TypeAlias = Literal["new", "gone", "changed", "moved"]
What: TypeAlias = Literal["exchange", "message type", "message", "header", "field"]

UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A message of any kind: a request, an answer's head, an event, a frame, a message in its last state."""

    label: str
    """What parts are matched by: the type of an event, the method of a frame."""
    at: str
    """Where it stands, for people."""
    value: Any = ABSENT
    """What it says, as JSON; ABSENT where only that it came is compared."""
    headers: Headers = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Parts that belong together: a request with its answer, or all frames of a session."""

    label: str
    at: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One difference. ``count``: in how many messages of this label it is; the places are the first."""

    kind: Kind
    what: What
    message: str
    """The label of the message that it is about."""
    old_at: str = ""
    new_at: str = ""
    path: str = ""
    """The member, or the header's name."""
    was: Any = ABSENT
    now: Any = ABSENT
    count: int = 1
