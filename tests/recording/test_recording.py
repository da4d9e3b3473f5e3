"""A recording of a real session: what the client gets, what the file holds, and that it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.playing import failures, reference, verdict
from tests.recording.stage import recorder
from wiretape import load_cassette, verify
from wiretape.cassette import bundled
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread


@pytest.mark.parametrize("name", bundled("flow_a"))
def test_a_recorded_session_loads_plays_and_verifies(name: str, server: ServerThread, tmp_path: Path) -> None:
    played = server.play(load_cassette(name), PlayOptions(pace="instant"))
    with recorder(played.base_url, tmp_path) as stage:
        client = reference(played)
        client.base_url = stage.base_url
        client.run()
        assert failures(verdict(played)) == []
        cassette = stage.finish()
    played.close()
    assert failures(verify(cassette)) == []
    again = server.play(cassette, PlayOptions(pace="instant"))
    reference(again).run()
    report = verdict(again)
    again.close()
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)
