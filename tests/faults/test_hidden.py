"""What the verdict is where a fault left nobody to know what the stream would have said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conformance.in_trouble import TROUBLE
from tests.conformance.playing import client_of, failures, reference, verdict
from tests.conformance.reference_client import Hooks
from tests.faults.strict import StrictClient
from wiretape import load_cassette
from wiretape.contract import Report
from wiretape.delta import DeltaError
from wiretape.faults import hits, parse
from wiretape_server.thread import Playback

Play = Callable[..., Playback]


def strict(playback: Playback) -> StrictClient:
    return client_of(StrictClient, playback)


def ends(client: StrictClient) -> bool:
    """Whether a client came to the end of its session, and did not give up."""
    try:
        client.run()
    except (*TROUBLE, DeltaError, ValueError):
        return False
    return True


def given(playback: Playback, hooks: Hooks) -> Report:
    reference(playback, hooks).run()
    return verdict(playback)


REFUSED = {"drop": 6, "reorder": 7}
"""An event of interleaved_channels after which a delta names a place that is not there."""


@pytest.mark.parametrize("kind", REFUSED)
def test_a_client_may_refuse_what_nobody_can_know(play: Play, kind: str) -> None:
    cassette = load_cassette("interleaved_channels")
    refused = []
    for number in range(1, 30):
        fault = f"{kind}@event:{number}"
        if not hits([parse(fault)], cassette):
            continue
        playback = play(cassette.name, fault, ids="fresh")
        if not ends(strict(playback)):
            refused.append(number)
        report = verdict(playback)
        assert (fault, failures(report), report.unplayed, report.errors) == (fault, [], (), ())
    assert REFUSED[kind] in refused


@pytest.mark.parametrize("kind", REFUSED)
def test_nobody_says_what_a_tool_has_to_give_after_arguments_that_nobody_can_know(
    play: Play, kind: str
) -> None:
    playback = play("interleaved_channels", f"{kind}@event:{REFUSED[kind]}")
    report = given(playback, Hooks(result=lambda _result, _arguments: {"message": "what I could make out"}))
    assert (failures(report), report.played) == ([], True)
    because = {each.rule: each.because for each in report.findings if each.outcome == "not_applicable"}
    for rule in ("return.result-as-expected", "behavior.arguments-intact"):
        assert because[f"flow_a.{rule}"] == f"the fault {kind}@event:{REFUSED[kind]}"


@pytest.mark.parametrize("kind", REFUSED)
def test_a_return_is_judged_in_all_else_after_arguments_that_nobody_can_know(play: Play, kind: str) -> None:
    playback = play("interleaved_channels", f"{kind}@event:{REFUSED[kind]}")
    report = given(playback, Hooks(returned=lambda message, _: message.update(recipient="alefita_way")))
    assert {each.rule for each in failures(report)} == {"flow_a.return.recipient-is-all"}


def test_the_client_that_refuses_takes_what_was_recorded(play: Play) -> None:
    playback = play("interleaved_channels", ids="fresh")
    assert ends(strict(playback))
    assert verdict(playback).played
