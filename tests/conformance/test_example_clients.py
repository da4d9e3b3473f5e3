"""The example clients, run as a user runs them: as commands, on every bundled cassette."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.playing import CLIENTS, RUNS_WITHIN, failures, needs_node, reference, run, verdict
from wiretape import load_cassette
from wiretape.cassette import bundled
from wiretape.cassette.model import Cassette
from wiretape.transcript import Request, Transcript
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

CHUNKINGS = ["recorded", "event", "one", "byte", "random:1", "random:2", "random:3"]
COMMANDS = [
    pytest.param([sys.executable, str(CLIENTS / "flow_a_client.py")], id="python"),
    pytest.param(["node", str(CLIENTS / "flow_a_client.mjs")], id="node", marks=needs_node),
]


def returns(transcript: Transcript) -> list[Any]:
    """The returns that were sent, without what differs from run to run."""
    bodies = [
        json.loads(entry.body)
        for entry in transcript.entries
        if isinstance(entry, Request) and entry.path.endswith("/f/conversation")
    ]
    sent = [body for body in bodies if body["messages"][0]["author"]["role"] == "tool"]
    for body in sent:
        del body["app_attest_challenge"], body["messages"][0]["id"], body["messages"][0]["create_time"]
    return sent


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", bundled("flow_a"))
def test_an_example_client_conforms(command: list[str], name: str, server: ServerThread) -> None:
    playback = server.play(load_cassette(name), PlayOptions(pace="instant"))
    done = run(command, playback)
    report = verdict(playback)
    playback.close()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip()
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("chunks", CHUNKINGS[1:])
def test_an_example_client_returns_the_same_however_the_stream_is_cut(
    command: list[str], chunks: str, server: ServerThread
) -> None:
    cassette = load_cassette("alefita_way_split_arguments")
    sent = []
    for each in ("recorded", chunks):
        playback = server.play(cassette, PlayOptions(pace="instant", chunks=each, ids="recorded"))
        run(command, playback)
        sent.append(returns(playback.transcript()))
        playback.close()
    assert len(sent[0]) == 1
    assert sent[1] == sent[0]


@pytest.mark.parametrize("name", bundled("flow_a"))
def test_the_reference_client_returns_the_same_however_the_stream_is_cut(
    name: str, server: ServerThread
) -> None:
    sent = []
    for chunks in CHUNKINGS:
        playback = server.play(
            load_cassette(name), PlayOptions(pace="instant", chunks=chunks, ids="recorded")
        )
        reference(playback).run()
        sent.append(returns(playback.transcript()))
        playback.close()
    assert sent == sent[:1] * len(CHUNKINGS)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_client_says_what_the_server_refused_and_exits_with_1(
    command: list[str], server: ServerThread
) -> None:
    playback = server.play(load_cassette("plain_answer"), PlayOptions(pace="instant"))
    done = run(command, playback, base_url=f"{server.base_url}/play/no-such-play")
    playback.close()
    assert done.returncode == 1
    assert "404" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_client_does_not_take_the_end_of_the_body_for_the_end_of_the_turn(
    command: list[str], server: ServerThread
) -> None:
    playback = server.play(without_done(load_cassette("plain_answer")), PlayOptions(pace="instant"))
    done = run(command, playback)
    playback.close()
    assert done.returncode == 1
    assert "before [DONE]" in done.stderr


def without_done(cassette: Cassette) -> Cassette:
    (only,) = cassette.interactions
    body = only.response.body.replace(b"data: [DONE]\n\n", b"")
    response = replace(only.response, body=body, chunks=None)
    return replace(cassette, interactions=(replace(only, response=response),))


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_client_says_how_to_run_it(command: list[str]) -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("WIRETAPE_")}
    done = subprocess.run(
        command, env=bare, capture_output=True, encoding="utf-8", timeout=RUNS_WITHIN, check=False
    )
    assert done.returncode == 1
    assert "not set; run this under: wiretape check" in done.stderr
    assert "Traceback" not in done.stderr
