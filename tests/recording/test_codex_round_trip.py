"""Record an app-server, load, replay, record again: the same cassette, but for ids and times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.recording.codex_stage import normal, over_stdio, over_websocket
from wiretape import load_cassette, verify
from wiretape.cassette import Cassette, ModelText, Step, bundled
from wiretape_server.thread import ServerThread

Record = Callable[[ServerThread, Cassette, Path], Cassette]

NAMES = bundled("codex")
WAYS = [
    *(pytest.param(over_websocket, name, id=f"websocket-{name}") for name in NAMES),
    *(
        pytest.param(over_stdio, name, id=f"stdio-{name}")
        for name in ("dynamic_tool_text", "history_resume", "interrupt_during_call")
    ),
]


def without_frames(cassette: Cassette) -> Cassette:
    """A cassette without what differs from one recording to the next."""
    provenance = replace(cassette.provenance, captured_at=None, basis=())
    return replace(cassette, frames=(), provenance=provenance)


@pytest.mark.parametrize(("record", "name"), WAYS)
def test_a_recording_of_a_replay_is_the_recording(
    record: Record, name: str, server: ServerThread, tmp_path: Path
) -> None:
    bundled_one = load_cassette(f"codex/{name}")
    first = record(server, bundled_one, tmp_path / "first")
    assert first.client == bundled_one.client
    assert first.expect.tools == bundled_one.expect.tools
    assert first.expect.user_message == bundled_one.expect.user_message
    second = record(server, first, tmp_path / "second")
    assert without_frames(second) == without_frames(first)
    assert normal(second) == normal(first)
    report = verify(second)
    assert (report.ok, report.warnings) == (True, ())


def test_another_session_is_another_recording(server: ServerThread, tmp_path: Path) -> None:
    one = over_websocket(server, load_cassette("codex/plain_turn"), tmp_path / "one")
    other = over_websocket(server, load_cassette("codex/dynamic_tool_text"), tmp_path / "other")
    assert normal(one) != normal(other)
    assert without_frames(one) != without_frames(other)


def test_a_secret_in_the_models_pieces_is_hidden_and_they_still_add_up(
    server: ServerThread, tmp_path: Path
) -> None:
    secret = "sk-live4711abcdefghij"
    pieces = ("The key is ", secret[:7], secret[7:12], secret[12:], ", keep it.")
    model = (Step(items=(ModelText(text="".join(pieces), deltas=pieces, id="msg_1"),)),)
    recorded = over_websocket(
        server, replace(load_cassette("codex/plain_turn"), model=model), tmp_path / "one"
    )
    (step,) = recorded.model
    (said,) = step.items
    assert isinstance(said, ModelText)
    assert "".join(said.deltas) == said.text
    assert [len(piece) for piece in said.deltas] == [len(piece) for piece in pieces]
    assert (said.deltas[0], said.deltas[-1]) == (pieces[0], pieces[-1])
    written = (tmp_path / "one" / "recorded.yaml").read_text("utf-8")
    assert not [piece for piece in (secret, *pieces[1:4]) if piece in written]
