"""Cassettes out of what other tools recorded. What a source does not hold is named in the cassette's gaps.

Nothing is redacted here: whoever saves does that, and calls ``complete`` then.
"""

from __future__ import annotations

from wiretape.codex.foreign import LogKeys
from wiretape.imports.codex_jsonl import read_codex_log
from wiretape.imports.event_stream import read_event_stream
from wiretape.imports.exchange import Exchange, SocketMessage, Source, SourceError
from wiretape.imports.har import read_har
from wiretape.imports.played import read_play
from wiretape.imports.sessions import cassette_of, complete, is_of_flow_a

__all__ = [
    "Exchange",
    "LogKeys",
    "SocketMessage",
    "Source",
    "SourceError",
    "cassette_of",
    "complete",
    "is_of_flow_a",
    "read_codex_log",
    "read_event_stream",
    "read_har",
    "read_play",
]
