"""What a client sent in a session, as far as two runs of the session can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from wiretape import strictjson
from wiretape.codex.reader import read as read_codex
from wiretape.endpoints import is_conversation
from wiretape.transcript import Request, Transcript


def returns(transcript: Transcript) -> Any:
    """The client's messages of Flow A, in order; its answers to the calls of codex, by call."""
    return _READ[transcript.protocol](transcript)


def _flow_a(transcript: Transcript) -> list[Any]:
    return [
        strictjson.loads_or(entry.body, repr(entry.body))
        for entry in transcript.entries
        if isinstance(entry, Request) and is_conversation(entry.path)
    ]


def _codex(transcript: Transcript) -> dict[str, Any]:
    answers = read_codex(transcript).tool_replies
    return {
        f"{each.ask.call.id}": {key: member for key, member in each.value.items() if key != "id"}
        for each in answers
        if each.ask.call is not None
    }


_READ: Final[Mapping[str, Callable[[Transcript], Any]]] = {"flow_a": _flow_a, "codex": _codex}
