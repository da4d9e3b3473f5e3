"""Whatever was on the wire becomes one transcript, and the rules of its protocol judge that."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.unit.flow_a_wire import (
    CALL_ID,
    CONVERSATION,
    Wire,
    answer_stream,
    call_stream,
    tool_return,
    user_turn,
)
from wiretape import load_cassette, verify
from wiretape.contract import Skip
from wiretape.flow_a import VERIFIER
from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.view import Return
from wiretape.timeline import rows
from wiretape.transcript import Chunk, End, Transcript
from wiretape.verdict import transcript_of


def outcome(rule: str, profile: str = "") -> str:
    report = verify(load_cassette("flow_a/alefita_way"), profile=profile)
    return next(finding.outcome for finding in report.findings if finding.rule == rule)


def test_a_profile_that_is_asked_for_is_demanded() -> None:
    assert outcome("flow_a.return.metadata-profile") == "pass"
    assert outcome("flow_a.return.metadata-profile", "seed-capture") == "pass"
    assert outcome("flow_a.return.metadata-profile", "app") == "fail"


def test_a_transcript_stays_as_it_was_whatever_profile_is_demanded() -> None:
    transcript = transcript_of(load_cassette("flow_a/alefita_way"))
    assert verify(transcript, profile="seed-capture").ok
    assert transcript.profile == ""


def test_a_profile_that_nobody_defined_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"seed-capture or app.*got '0.98'"):
        outcome("flow_a.return.metadata-profile", "0.98")


def test_a_protocol_without_rules_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"flow_a.*got 'http'"):
        verify(Transcript(protocol="http"))


def test_a_cassette_without_cuts_is_one_chunk_an_answer() -> None:
    cassette = load_cassette("flow_a/plain_answer")
    uncut = [
        replace(each, response=replace(each.response, chunks=None, end="hang"))
        for each in cassette.interactions
    ]
    entries = transcript_of(replace(cassette, interactions=tuple(uncut))).entries
    (chunk,) = (entry for entry in entries if isinstance(entry, Chunk))
    assert (chunk.start, chunk.stop) == (0, len(cassette.interactions[0].response.body))
    assert isinstance(entries[-1], End)
    assert entries[-1].how == "hang"


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "Text/Event-Stream"}])
def test_a_cassettes_answers_are_streams_where_nothing_else_was_recorded(headers: dict[str, str]) -> None:
    cassette = load_cassette("plain_answer")
    shown = [row.event for row in rows(transcript_of(cassette))]
    bare = [replace(each, response=replace(each.response, headers=headers)) for each in cassette.interactions]
    assert [row.event for row in rows(transcript_of(replace(cassette, interactions=tuple(bare))))] == shown


def test_an_older_conversation_can_be_resumed_beside_a_newer_one() -> None:
    other = "00000000-0000-4000-8000-0000000000b2"
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    challenge = wire.challenge()
    wire.prepare()
    first = wire.send(user_turn() | {"app_attest_challenge": challenge})
    chunks = call_stream()
    wire.plan(first, chunks)
    wire.write(first, 2)
    wire.end(first, "client-left")
    wire.turn(user_turn(), answer_stream(other))
    body = json.dumps({"conversation_id": CONVERSATION, "offset": 2}).encode()
    again = wire.request("POST", "/backend-api/f/conversation/resume", body)
    wire.plan(again, chunks)
    wire.sent = 2
    wire.write(again)
    wire.end(again)
    wire.turn(tool_return(), answer_stream())
    assert not wire.failed()


def test_a_return_that_is_judged_by_its_body_alone_says_nothing_about_its_prepare() -> None:
    call = SeenCall(id=CALL_ID, tool="alefita_way", recipient="local.alefita_way", text="{}", opened=0)
    alone = Return(at="", order=0, body=tool_return(), call=call, conversation_id=CONVERSATION)
    assert isinstance(VERIFIER.rule("flow_a.return.fresh-prepare").check(alone), Skip)
