"""Holds back what may still be a part of a secret, until it is whole and can be redacted."""

from __future__ import annotations

from wiretape.redaction import Redactor
from wiretape.sse import event_ends


class Hold:
    """Redacts a growing body event by event: a secret that is cut by chunks is whole there."""

    def __init__(self, redactor: Redactor, target: str) -> None:
        self._redactor = redactor
        self._target = target
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Add bytes; those that are safe by now, redacted."""
        self._held += data
        ends = event_ends(self._held) if b"\n" in data or b"\r" in data else []
        return self._release(ends[-1]) if ends else b""

    def close(self) -> bytes:
        """The rest: nothing comes any more that could make more of it."""
        return self._release(len(self._held))

    def _release(self, upto: int) -> bytes:
        safe, self._held = self._held[:upto], self._held[upto:]
        return self._redactor.body(safe, target=self._target)
