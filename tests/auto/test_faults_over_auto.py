"""Faults strike what is made up as they strike what was recorded."""

from __future__ import annotations

from http.client import HTTPException

import pytest

from tests.auto.playing import client, judged
from tests.auto.test_playing_codex import FLAT
from tests.auto.test_playing_codex import client as codex_client
from tests.conformance.codex_reference import ClientError as CodexClientError
from tests.conformance.codex_reference import StdioWire
from tests.conformance.playing import failures, verdict
from tests.conformance.reference_client import ClientError
from wiretape.scenario import adaptive
from wiretape_cli.main import main
from wiretape_server.options import PlayOptions
from wiretape_server.thread import CodexPlayback, ServerThread


def options(fault: str) -> PlayOptions:
    return PlayOptions.parse(pace="instant", faults=[fault])


@pytest.mark.parametrize("fault", ["duplicate@event:2", "delay@event:1", "content-type@request:99"])
def test_a_fault_that_ends_nothing_leaves_the_session_to_be_played(server: ServerThread, fault: str) -> None:
    report, made = judged(server, faults=options(fault).faults)
    assert failures(report) == []
    assert len(made.interactions) == 3
    assert report.unplayed == ()


@pytest.mark.parametrize("fault", ["429@request:3", "cut@event:6"])
def test_a_client_may_give_up_where_a_fault_lets_it(server: ServerThread, fault: str) -> None:
    playback = server.play(adaptive(), options(fault))
    with pytest.raises((ClientError, OSError, HTTPException)):
        client(playback).run()
    report = verdict(playback)
    playback.close()
    assert report.ok
    assert report.played, (report.unplayed, report.errors)


def test_a_fault_that_struck_nothing_is_told(server: ServerThread) -> None:
    report, _ = judged(server, faults=options("cut@event:999").faults)
    assert not report.played
    assert "struck nothing" in report.errors[0]


def test_an_app_server_that_dies_under_a_made_up_session_excuses_its_client(server: ServerThread) -> None:
    playback = server.play(adaptive("codex"), options("child-exit@event:3"))
    assert isinstance(playback, CodexPlayback)
    with pytest.raises((CodexClientError, OSError)):
        codex_client(lambda: StdioWire(playback.command), tools=FLAT).run()
    report = verdict(playback)
    playback.close()
    assert report.ok
    assert report.played, (report.unplayed, report.errors)


def test_a_dry_run_says_that_nobody_knows_yet(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--cassette", "auto", "--fault", "cut@event:3", "--dry-run", "--", "true"]) == 0
    assert "auto: nobody knows yet what it will be" in capfd.readouterr().err
