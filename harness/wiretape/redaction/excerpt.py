"""What a report shows of bytes that could not be read."""

from __future__ import annotations

from typing import Final

from wiretape.redaction.redactor import Redactor

_SHOWN: Final = 80
"""Bytes."""


def excerpt(raw: bytes) -> str:
    """The beginning of what came, without its secrets: a report is a file too."""
    shown = Redactor().body(raw)[:_SHOWN]
    return shown.decode("utf-8", "backslashreplace") + ("…" if len(raw) > _SHOWN else "")
