"""wiretape records, replays and judges the wire between a tool-calling client and its backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wiretape.cassette import load_cassette
    from wiretape.verdict import verify

__version__ = "0.1.0"
__all__ = ["__version__", "load_cassette", "verify"]


def __getattr__(name: str) -> Any:
    """Import what was asked for only then: YAML, decoder and rules are not needed to ask for the version."""
    if name == "load_cassette":
        from wiretape.cassette import load_cassette

        return load_cassette
    if name == "verify":
        from wiretape.verdict import verify

        return verify
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
