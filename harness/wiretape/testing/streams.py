"""Whole event streams with the messages that they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from wiretape.testing.changes import Draw
from wiretape.testing.encodings import encodings
from wiretape.testing.events import delta_events
from wiretape.testing.framings import framings
from wiretape.testing.messages import message_lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The body of an answer, and its messages in order of first appearance, in their final state."""

    data: bytes
    messages: tuple[dict[str, Any], ...]


@st.composite
def streams(draw: Draw) -> Stream:
    """Answers of up to three messages: any encoding of them, in any framing, typed events in between."""
    messages = draw(message_lists())
    events = draw(delta_events(draw(encodings(messages))))
    return Stream(data=draw(framings(events)), messages=tuple(messages))
