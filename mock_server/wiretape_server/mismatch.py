"""Says why the cassette has no answer: what came, the closest recorded request, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from wiretape import strictjson
from wiretape.flow_a.messages import member
from wiretape.report import shown
from wiretape.strictjson import ABSENT
from wiretape_server.exchange import RefusedError
from wiretape_server.live import LiveConversation
from wiretape_server.play import Play
from wiretape_server.script import Part, kind, roles

_NEVER_EQUAL: Final = frozenset(
    {
        *("id", "conversation_id", "parent_message_id", "create_time", "app_attest_challenge"),
        *("text", "local_function_signatures"),
    }
)
"""What differs in every run is no reason for a mismatch."""
_MAX_DIFFERENCES: Final = 12


def nothing_recorded(
    play: Play, live: LiveConversation, request: Mapping[str, Any], *, is_return: bool
) -> RefusedError:
    """Explain a conversation request for which nothing (more) is recorded."""
    parts = live.recorded.parts
    closest = _closest(live, is_return=is_return)
    played = sum(turn.part is not None for turn in live.turns)
    same_kind = sum(part.is_return == is_return for part in parts)
    differences = list(islice(_differences(closest.request, request, ""), _MAX_DIFFERENCES))
    cassette = play.cassette.source or play.cassette.name
    lines = [
        f"{_came(request)} came in conversation {live.id}, and {cassette} has no further answer to "
        f"{kind(is_return)}: it holds {same_kind} of {len(parts)} interactions of that kind, "
        f"{played} were played and one more was asked for.",
        f"closest recorded: {closest.title}",
        *(
            f"  {path}: recorded {shown(recorded)}, came {shown(came)}"
            for path, recorded, came in differences
        ),
        "To play the cassette from its start, begin a conversation: send no conversation_id. "
        "To go on, record what is missing.",
    ]
    return RefusedError(
        409,
        "no_recorded_answer",
        "\n".join(lines),
        unmatched=True,
        details={
            "came": _came(request),
            "closest": closest.title,
            "difference": [
                {"path": path, "recorded": _json(recorded), "came": _json(came)}
                for path, recorded, came in differences
            ],
        },
    )


def _closest(live: LiveConversation, *, is_return: bool) -> Part:
    """The next part that is due; when all were played, the last of this kind."""
    parts = live.recorded.parts
    if live.place < len(parts):
        return parts[live.place]
    return next((part for part in reversed(parts) if part.is_return == is_return), parts[-1])


def _came(request: Mapping[str, Any]) -> str:
    messages = request.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else ABSENT
    content = member(first, "content")
    says = member(content, "text") if member(content, "parts") is ABSENT else member(content, "parts")
    return f"a message of role {shown(roles(request)[0] if roles(request) else ABSENT)} ({shown(says)})"


def _differences(recorded: Any, came: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Every place where two requests differ, leaf by leaf."""
    if isinstance(recorded, dict) and isinstance(came, dict):
        for key in [*recorded, *(key for key in came if key not in recorded)]:
            if key not in _NEVER_EQUAL:
                below = f"{path}.{key}" if path else key
                yield from _differences(recorded.get(key, ABSENT), came.get(key, ABSENT), below)
    elif isinstance(recorded, list) and isinstance(came, list):
        for index in range(max(len(recorded), len(came))):
            yield from _differences(_at(recorded, index), _at(came, index), f"{path}[{index}]")
    elif not strictjson.equal(recorded, came):
        yield path, recorded, came


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else ABSENT


def _json(value: object) -> object:
    return None if value is ABSENT else value
