"""The engine says what the real app-server said: every handed transcript, message by message."""

from __future__ import annotations

import pytest

from tests.server.codex_normal import Normal, shown
from tests.server.codex_replay import Replay, names


@pytest.mark.parametrize("name", names())
def test_the_engine_says_what_the_real_server_said(name: str) -> None:
    replay = Replay(name).run()
    theirs, ours = Normal(), Normal()
    assert replay.played.keys() == replay.recorded.keys()
    for connection, recorded in replay.recorded.items():
        want = [shown(theirs.of(message)) for message in replay.compared(recorded)]
        got = [shown(ours.of(message)) for message in replay.compared(replay.played[connection])]
        assert got == want
