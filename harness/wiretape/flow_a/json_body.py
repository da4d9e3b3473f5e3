"""A request's body, read as a JSON object, with what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from wiretape import strictjson
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
        error = problem
        if problem.kind != "duplicate_key":
            return JsonBody(at=at, value={}, readable=False, error=error, got=_excerpt(raw))
        value = json.loads(raw)
    if not isinstance(value, dict):
        return JsonBody(at=at, value={}, readable=False, error=error, got=value)
    return JsonBody(at=at, value=value, readable=True, error=error)


def _excerpt(raw: bytes) -> str:
    if not raw:
        return "an empty body"
    return raw[:80].decode("utf-8", "backslashreplace") + ("…" if len(raw) > 80 else "")
