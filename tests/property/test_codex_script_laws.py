"""Whatever frames a recording holds, there is a script, and a cassette with it can be written and read."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.property.test_codex_hostile import STEPS
from tests.server.codex_replay import lines, names
from tests.server.test_codex_scenario import frames as frames_of
from wiretape.cassette import Cassette, Provenance, RecordedFrame, dumps, loads
from wiretape.codex.script import script_of, scripted, unscripted

RECORDED = [frame for name in names()[::4] for frame in frames_of(lines(name))]
ANY_FRAMES = STEPS.map(
    lambda steps: [
        RecordedFrame(
            direction=side,
            delay=0,
            data=message if isinstance(message, bytes) else json.dumps(message).encode(),
        )
        for side, message in steps
    ]
)
SHUFFLED = st.lists(st.sampled_from(RECORDED), max_size=25)
"""Real messages in no order, of several sessions."""


def cassette(frames: list[RecordedFrame]) -> Cassette:
    return Cassette(
        protocol="codex", provenance=Provenance(kind="recorded"), title="any", frames=tuple(frames)
    )


@given(ANY_FRAMES | SHUFFLED)
def test_any_frames_have_a_script_that_can_be_saved(frames: list[RecordedFrame]) -> None:
    made = scripted(cassette(frames))
    assert made.model
    assert loads(dumps(made)) == made


@given(ANY_FRAMES | SHUFFLED)
def test_a_script_depends_on_the_frames_alone(frames: list[RecordedFrame]) -> None:
    made = scripted(cassette(frames))
    assert scripted(unscripted(made)) == made


@given(st.lists(st.sampled_from(RECORDED), max_size=25), st.integers(0, 25))
def test_a_message_that_is_no_json_changes_nothing(frames: list[RecordedFrame], place: int) -> None:
    noise: Any = RecordedFrame(direction="server", delay=0, data=b"no json")
    assert script_of([*frames[:place], noise, *frames[place:]]) == script_of(frames)
