"""A request's body, read as a JSON object, with what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from wiretape import strictjson
from wiretape.redaction import Redactor
from wiretape.strictjson import ABSENT, StrictJSONError

_SHOWN: Final = 80
"""Bytes of an unreadable body that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonBody:
    """A body that only repeats a key is read the way most readers do, the last one wins; the fault stays in
    ``error``. One that is no JSON object has the value ``{}`` and is not ``readable``."""

    at: str
    value: dict[str, Any]
    readable: bool
    error: StrictJSONError | None = None
    got: object = ABSENT
    """What came in place of an object."""


def read_json(raw: bytes, at: str) -> JsonBody:
    """Read a body. Never raises."""
    error: StrictJSONError | None = None
    try:
        value = strictjson.loads(raw)
    except StrictJSONError as problem:
        value, error = _despite(problem, raw)
        if error.kind != "duplicate_key":
            return JsonBody(at=at, value={}, readable=False, error=error, got=_excerpt(raw))
    if not isinstance(value, dict):
        return JsonBody(at=at, value={}, readable=False, error=error, got=value)
    return JsonBody(at=at, value=value, readable=True, error=error)


def _despite(problem: StrictJSONError, raw: bytes) -> tuple[Any, StrictJSONError]:
    """Read on where only a key is repeated; with a graver fault behind it, that one is what is wrong."""
    if problem.kind != "duplicate_key":
        return ABSENT, problem
    try:
        return strictjson.loads(raw, last_wins=True), problem
    except StrictJSONError as graver:
        return ABSENT, graver


def _excerpt(raw: bytes) -> str:
    if not raw:
        return "an empty body"
    shown = Redactor().body(raw)[:_SHOWN]  # a report is a file too: no challenge or token gets there
    return shown.decode("utf-8", "backslashreplace") + ("…" if len(raw) > _SHOWN else "")
