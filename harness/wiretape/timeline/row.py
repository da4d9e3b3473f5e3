"""One row of a timeline, and what is cut and said the same way in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from wiretape import strictjson
from wiretape.strictjson import ABSENT, StrictJSONError
from wiretape.transcript import Side

TAIL: Final = 60
"""Characters of a growing text that are repeated before what is new in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that came. ``at``: seconds since the run began, or, in a cassette, since its request."""

    at: float
    place: str
    """The number of the HTTP request, or the name of the connection."""
    side: Side
    """Who sent it."""
    event: str
    """What came: the event's type, the method, the status."""
    op: str = ""
    """What it does, and where: the delta's op, channel and path; the item's type."""
    before: str = ""
    """The end of the text that ``text`` goes on with."""
    text: str = ""


class GrowingTexts:
    """The ends of the texts that grow in a stream, by any key."""

    def __init__(self) -> None:
        self._ends: dict[object, str] = {}

    def add(self, key: object, piece: str) -> str:
        """Note a piece, and give the end of what was there before it."""
        before = self._ends.get(key, "")
        self._ends[key] = (before + piece)[-TAIL:]
        return before

    def set(self, key: object, text: str) -> None:
        self._ends[key] = text[-TAIL:]

    def knows(self, key: object) -> bool:
        return key in self._ends

    def forget(self) -> None:
        """Something else was done to the texts: what is known of their ends may be wrong."""
        self._ends.clear()


def written(value: Any) -> str:
    """A wire value in one line: a text as it is, all else as JSON; nothing for what is absent."""
    if value is ABSENT:
        return ""
    return value if isinstance(value, str) else strictjson.dumps(value, spaced=True)


def body_text(data: bytes) -> str:
    """A body as text; JSON without its line ends."""
    try:
        return strictjson.dumps(strictjson.loads(data), spaced=True)
    except StrictJSONError:
        return data.decode("utf-8", "backslashreplace")
