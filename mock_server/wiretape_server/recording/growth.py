"""Puts a text together again that was written piece by piece, some of it for the time being at first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Growth:
    """A body, as far as a sidecar's records go.

    Each record adds to what is final (``body``), and may say what stands until then for the last bytes that
    came (``held``). So at any moment all that came is there, in one form or the other.
    """

    data: bytearray = field(default_factory=bytearray)
    _final: int = 0
    _came: int = 0

    def add(self, record: dict[str, Any], came: int) -> None:
        """Take a record, with which so many bytes more had come."""
        self._came += came
        final, held = bytes_of(record["body"]), bytes_of(record.get("held", ""))
        self.data[self._final : self._final + len(final)] = final
        self._final += len(final)
        begin = self._came - len(held)
        if begin < self._final:
            raise ValueError(f"{len(held)} bytes are held, more than came")
        if held:
            self.data[begin : self._came] = held


def bytes_of(text: str) -> bytes:
    """What ``text_of`` made a text of."""
    return text.encode("utf-8", "surrogateescape")
