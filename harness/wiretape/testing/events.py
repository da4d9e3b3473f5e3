"""Deltas and typed events as the events of a stream, and their JSON as any valid text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st

from wiretape.delta_encoder import ANNOUNCEMENT
from wiretape.sse import ServerSentEvent
from wiretape.strictjson import dumps
from wiretape.testing.changes import Draw
from wiretape.testing.values import json_objects, texts

DONE: Final = ServerSentEvent(data="[DONE]")
_HALF: Final = re.compile("[\ud800-\udfff]")
_TYPES: Final = ["message_marker", "title_generation", "server_ste_metadata", "resume_conversation_token"]
_SEPARATORS: Final = ((",", ":"), (", ", ": "))

_TYPED: Final = st.fixed_dictionaries({"type": st.sampled_from(_TYPES)}, optional={"marker": texts()})
_LOOKS_LIKE_A_DELTA: Final = st.fixed_dictionaries({"v": texts()})
_TYPED_EVENTS: Final = st.one_of(
    (_TYPED | _LOOKS_LIKE_A_DELTA).map(lambda payload: ServerSentEvent(data=dumps(payload))),
    st.tuples(st.sampled_from(["status", "presence"]), json_objects()).map(
        lambda event: ServerSentEvent(event[0], dumps(event[1]))
    ),
)
_BETWEEN: Final = st.none() | st.none() | _TYPED_EVENTS
_STYLES: Final = st.integers(0, 7)


def typed_events() -> st.SearchStrategy[ServerSentEvent]:
    """Events that are no deltas, and must not touch a decoder's state.

    Among them unnamed ones that look like a delta, and events of unknown names.
    """
    return _TYPED_EVENTS


@st.composite
def json_texts(draw: Draw, value: Any) -> str:
    """Texts of one JSON value: spaced or compact, characters escaped or raw.

    Halves of surrogate pairs are always escaped.
    """
    return _written(value, draw(_STYLES))


@st.composite
def delta_texts(draw: Draw, wire_delta: dict[str, Any]) -> str:
    """Texts of one delta, padded with blanks to a multiple of 8 bytes or not at all."""
    return _padded(wire_delta, draw(_STYLES))


@st.composite
def delta_events(
    draw: Draw, deltas: Sequence[dict[str, Any]], *, between: bool = True
) -> tuple[ServerSentEvent, ...]:
    """The events of a whole stream: announcement, deltas, ``[DONE]``, and typed ones where ``between``."""
    events = [ANNOUNCEMENT]
    for delta in deltas:
        if between and (typed := draw(_BETWEEN)):
            events.append(typed)
        events.append(ServerSentEvent("delta", _padded(delta, draw(_STYLES))))
    return (*events, DONE)


def _written(value: Any, style: int) -> str:
    """Three bits of style: raw, spaced, padded."""
    text = json.dumps(value, ensure_ascii=not style & 1, separators=_SEPARATORS[style >> 1 & 1])
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _padded(value: Any, style: int) -> str:
    text = _written(value, style)
    return text + " " * (-len(text.encode()) % 8) if style & 4 else text
