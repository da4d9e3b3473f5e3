"""Two plays of one cassette, with ids of their own, are two recordings of one scenario: no drift."""

from __future__ import annotations

import pytest

from tests.conformance.playing import IDLE_WITHIN, reference
from wiretape import load_cassette
from wiretape.cassette import bundled
from wiretape.drift import compare
from wiretape.transcript import Response, Transcript
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread


def played(server: ServerThread, name: str, chunks: str = "recorded") -> Transcript:
    """What went over the wire when the reference client played a cassette."""
    playback = server.play(load_cassette(name), PlayOptions(pace="instant", chunks=chunks))
    try:
        reference(playback).run()
        assert playback.wait_idle(IDLE_WITHIN)
        return playback.transcript()
    finally:
        playback.close()


@pytest.mark.parametrize("name", bundled())
def test_two_plays_of_a_cassette_are_no_drift(name: str, server: ServerThread) -> None:
    first, second = played(server, name), played(server, name, chunks="random:7")
    answers = [
        [entry.body.bytes() for entry in each.entries if isinstance(entry, Response)]
        for each in (first, second)
    ]
    assert answers[0] != answers[1], "both plays had the same ids: the comparison shows nothing"
    assert compare(first, second) == []


def test_plays_of_two_cassettes_drift(server: ServerThread) -> None:
    drifts = compare(played(server, "handoff"), played(server, "handoff_declined"))
    assert any(each.what == "field" and "accepted" in each.path for each in drifts)
