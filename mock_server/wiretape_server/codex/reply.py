"""What a method is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wiretape_server.codex.outbox import Hearer
from wiretape_server.codex.process import Process


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Who asks what of whom."""

    process: Process
    hearer: Hearer
    client: str
    """The name that the client gave itself."""
    experimental: bool
    """It has the experimentalApi capability."""


def nothing() -> None:
    """Nothing follows."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a request, and what the server does once it is sent."""

    result: Any
    then: Callable[[], None] = nothing
