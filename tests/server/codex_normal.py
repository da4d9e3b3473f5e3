"""Brings two app-server sessions to one form: what is true of both whatever the ids, times and paths."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.server.codex_replay import LOGIN_FAILED, UUID

_TIMES = frozenset(
    [
        "emittedAtMs",
        "startedAtMs",
        "completedAtMs",
        "startedAt",
        "completedAt",
        "createdAt",
        "updatedAt",
        "recencyAt",
        "durationMs",
    ]
)
_ROLLOUT = re.compile(r"/sessions/\d{4}/\d\d/\d\d/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-")
_ORDINAL = re.compile(r'"rolloutOrdinal":\d+')
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_ABORTED = re.compile(r"aborted by user after \d+\.\ds")
_PORT = re.compile(r"http://127\.0\.0\.1(?::\d+)?/")
_METHODS = re.compile(r"expected one of .*", re.DOTALL)


class Normal:
    """Numbers ids in the order in which a side first says them."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._text(name): self._member(name, member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.of(member) for member in value]
        return self._text(value) if isinstance(value, str) else value

    def _member(self, name: str, value: Any) -> Any:
        if name in _TIMES and type(value) is int:
            return f"<{name}>"
        if name == "params" and isinstance(value, dict) and "onboardingEntrypoint" in value:
            value = {**value, **LOGIN_FAILED}
        return self.of(value)

    def _text(self, text: str) -> str:
        text = _ORDINAL.sub('"rolloutOrdinal":<n>', _ROLLOUT.sub("/sessions/<day>/rollout-<time>-", text))
        text = _ABORTED.sub("aborted by user after <time>", text)
        text = _PORT.sub("http://<provider>/", _INSTANT.sub("<instant>", text))
        text = _METHODS.sub("expected one of <methods>", text) if text.startswith("Invalid") else text
        return UUID.sub(lambda found: self._ids.setdefault(found[0], f"<id {len(self._ids)}>"), text)


def shown(message: Any) -> str:
    """A message as one line, for comparing and for reading."""
    return json.dumps(message, sort_keys=True, ensure_ascii=False)
