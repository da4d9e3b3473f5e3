from __future__ import annotations

import dataclasses

import pytest

from tests.server.making import (
    CALL,
    CONVERSATION,
    answer_stream,
    calling,
    cassette,
    event,
    interaction,
    opening,
    plain,
    two_turns,
    user_turn,
)
from wiretape.cassette.model import CassetteError
from wiretape_server.script import Scripts, build


def test_a_cassette_is_one_conversation_where_later_requests_name_the_id_of_the_first_answer() -> None:
    assert [len(each.parts) for each in build(two_turns()).conversations] == [2]
    assert [part.is_return for part in build(calling()).parts] == [False, True]


def test_requests_that_name_no_conversation_are_conversations_of_their_own() -> None:
    other = answer_stream().replace(CONVERSATION.encode(), CONVERSATION.replace("a1", "b2").encode())
    script = build(cassette(interaction(user_turn(), answer_stream()), interaction(user_turn(), other)))
    assert [len(each.parts) for each in script.conversations] == [1, 1]


def test_a_return_that_names_no_conversation_goes_on_with_the_latest() -> None:
    made = calling()
    bare = dataclasses.replace(
        made.interactions[1],
        request=dataclasses.replace(
            made.interactions[1].request,
            body=made.interactions[1].request.body.replace(b'"conversation_id"', b'"no_conversation_id"'),
        ),
    )
    script = build(dataclasses.replace(made, interactions=(made.interactions[0], bare)))
    assert [len(each.parts) for each in script.conversations] == [2]


def test_the_call_of_an_answer_is_known_before_it_is_played() -> None:
    facts = build(calling()).parts[0].facts
    assert [call.id for call in facts.calls] == [CALL]


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "Text/Event-Stream"}])
def test_a_stream_that_does_not_decode_is_refused_with_the_interaction_and_the_event(
    headers: dict[str, str],
) -> None:
    broken = opening() + event({"p": "/message/x", "o": "explode", "v": 1}, "delta")
    with pytest.raises(CassetteError, match=r"made: .* interaction 1 does not decode: event 3: op"):
        build(cassette(interaction(user_turn(), broken, headers=headers)))


def test_an_answer_that_is_no_event_stream_needs_no_decoding() -> None:
    refused = interaction(
        user_turn(), b'{"detail": "no"}', status=429, headers={"content-type": "application/json"}
    )
    assert build(cassette(refused)).parts[0].facts.calls == ()


@pytest.mark.parametrize("status", [100, 101, 204, 304])
def test_a_status_that_has_no_body_in_http_is_refused(status: int) -> None:
    with pytest.raises(CassetteError, match=f"interaction 1: an answer of status {status} has no body"):
        build(cassette(interaction(user_turn(), answer_stream(), status=status)))


def test_a_cassette_without_interactions_is_refused() -> None:
    with pytest.raises(CassetteError, match="no interactions; there is nothing to play"):
        build(cassette())


def test_a_codex_cassette_is_refused() -> None:
    with pytest.raises(CassetteError, match="a codex cassette is not played over HTTP"):
        build(dataclasses.replace(plain(), protocol="codex"))


def test_the_script_of_an_equal_cassette_is_built_once() -> None:
    scripts = Scripts()
    first = scripts.of(plain(), "recorded")
    same = dataclasses.replace(first.cassette)
    assert scripts.of(same, "recorded") is first
    assert scripts.of(same, "byte") is not first


def test_a_changed_cassette_of_the_same_name_is_built_anew() -> None:
    scripts = Scripts()
    first = scripts.of(two_turns(), "recorded")
    changed = dataclasses.replace(first.cassette, interactions=first.cassette.interactions[:1])
    assert len(scripts.of(changed, "recorded").parts) == 1
