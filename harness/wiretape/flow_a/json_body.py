"""A request's body, read as a JSON object, with what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wiretape import strictjson
from wiretape.redaction import excerpt
from wiretape.strictjson import ABSENT, StrictJSONError


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
            return JsonBody(at=at, value={}, readable=False, error=error, got=excerpt(raw) or "an empty body")
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
