"""Whose turn it is, what answers it, and that conversations never see each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from tests.server.making import (
    ANSWER,
    CALL,
    CONVERSATION,
    CREATED,
    TOKEN,
    USER_MESSAGE,
    answer_stream,
    call_stream,
    calling,
    cassette,
    ending,
    event,
    interaction,
    opening,
    plain,
    root,
    tool_return,
    two_turns,
    user_turn,
)
from tests.server.making import message as made_message
from tests.server.wire import converse
from wiretape.cassette.model import Cassette
from wiretape.flow_a.stream import decode
from wiretape_server.thread import Playback

Play = Callable[..., Playback]


def _ids(stream: dict[str, Any]) -> tuple[str, str]:
    """The conversation's id and the last message's."""
    return stream["events"][0]["conversation_id"], stream["messages"][-1]["id"]


def _text(stream: dict[str, Any]) -> str:
    return str(stream["messages"][-1]["content"]["parts"][0])


def test_a_return_gets_the_recorded_continuation(play: Play) -> None:
    playback = play(calling())
    conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
    answer = converse(playback.base_url, tool_return(call, conversation_id=conversation)).stream()
    assert _text(answer) == "Hello."
    assert _ids(answer)[0] == conversation
    assert playback.transcript().unplayed == ()
    assert playback.transcript().errors == ()


def test_ids_tokens_and_times_are_new_in_each_conversation_and_the_same_within(
    play: Play,
) -> None:
    playback = play(calling())
    seen = []
    for _ in range(2):
        first = converse(playback.base_url, user_turn())
        conversation, call = _ids(first.stream())
        second = converse(playback.base_url, tool_return(call, conversation_id=conversation))
        seen.append(first.body() + second.body())
        assert len(seen[-1]) == len(call_stream() + answer_stream())
    for recorded in (CONVERSATION, CALL, ANSWER, TOKEN, CREATED):
        assert all(recorded.encode() not in each for each in seen)
    assert seen[0] != seen[1]


def test_recorded_ids_replay_the_very_bytes(play: Play) -> None:
    playback = play(calling(), ids="recorded")
    assert converse(playback.base_url, user_turn()).body() == call_stream()
    assert converse(playback.base_url, tool_return()).body() == answer_stream()


def test_the_clients_own_message_id_takes_the_place_of_the_recorded_one(play: Play) -> None:
    echo = event({"type": "input_message", "input_message": {"id": USER_MESSAGE}})
    made = cassette(interaction(user_turn(message_id=USER_MESSAGE), opening() + echo + ending()))
    own = "99999999-9999-4999-8999-999999999999"
    body = converse(play(made).base_url, user_turn(message_id=own)).body()
    assert own.encode() in body
    assert USER_MESSAGE.encode() not in body


def test_a_client_id_of_another_length_leaves_the_recorded_one(play: Play) -> None:
    echo = event({"type": "input_message", "input_message": {"id": USER_MESSAGE}})
    made = cassette(interaction(user_turn(message_id=USER_MESSAGE), opening() + echo + ending()))
    assert USER_MESSAGE.encode() in converse(play(made).base_url, user_turn(message_id="short")).body()


def test_a_clients_text_never_gets_into_a_stream(play: Play) -> None:
    assert b"SECRET" not in converse(play(plain()).base_url, user_turn("SECRET")).body()


def test_an_invented_conversation_id_of_the_recorded_length_is_taken(play: Play) -> None:
    own = "77777777-7777-4777-8777-777777777777"
    stream = converse(play(plain()).base_url, user_turn(conversation_id=own)).stream()
    assert _ids(stream)[0] == own


@pytest.mark.parametrize("invented", ["short", 7, None, [], 'quo"te----------------------------abcdef'])
def test_another_invented_conversation_id_is_replaced(play: Play, invented: object) -> None:
    answer = converse(play(plain()).base_url, {**user_turn(), "conversation_id": invented})
    conversation = _ids(answer.stream())[0]
    assert conversation != invented
    assert len(conversation) == len(CONVERSATION)


def test_a_second_turn_in_the_same_conversation_gets_the_second_answer(play: Play) -> None:
    playback = play(two_turns())
    first = converse(playback.base_url, user_turn()).stream()
    second = converse(playback.base_url, user_turn(conversation_id=_ids(first)[0])).stream()
    assert (_text(first), _text(second)) == ("First.", "Second.")
    assert _ids(first)[0] == _ids(second)[0]


def test_a_turn_more_than_was_recorded_is_a_409_that_says_what_came_and_what_there_is(play: Play) -> None:
    playback = play(two_turns())
    conversation = _ids(converse(playback.base_url, user_turn()).stream())[0]
    converse(playback.base_url, user_turn(conversation_id=conversation))
    answer = converse(playback.base_url, user_turn("Once more", conversation_id=conversation))
    assert answer.status == 409
    detail = answer.json()["detail"]
    assert detail["code"] == "no_recorded_answer"
    assert "2 were played and one more was asked for" in detail["message"]
    assert "Once more" in detail["came"]
    assert detail["closest"] == "interaction 2, a user's turn"
    assert detail["difference"] == [
        {"path": "messages[0].content.parts[0]", "recorded": "And?", "came": "Once more"}
    ]
    [error] = playback.transcript().errors
    assert error.startswith("request 3: ")


def test_a_new_conversation_starts_the_cassette_again(play: Play) -> None:
    playback = play(two_turns())
    texts = [_text(converse(playback.base_url, user_turn()).stream()) for _ in range(3)]
    assert texts == ["First."] * 3
    [unplayed] = playback.transcript().unplayed
    assert unplayed == "interaction 2, a user's turn (of 2) was not asked for"


def test_a_recorded_second_conversation_is_played_to_the_clients_second(play: Play) -> None:
    other_id = "00000000-0000-4000-8000-0000000000b2"
    other = opening(other_id) + root(made_message(ANSWER, "Other."), other_id) + ending(other_id)
    made = cassette(interaction(user_turn(), answer_stream("One.")), interaction(user_turn(), other))
    playback = play(made)
    texts = [_text(converse(playback.base_url, user_turn()).stream()) for _ in range(3)]
    assert texts == ["One.", "Other.", "One."]
    assert playback.transcript().unplayed == ()


def test_a_return_with_a_wrong_conversation_parent_or_call_id_still_finds_its_call(play: Play) -> None:
    for wrong in (
        {"conversation_id": "nowhere"},
        {"parent_message_id": "nowhere"},
        {"conversation_id": None, "parent_message_id": None},
    ):
        playback = play(calling())
        conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
        body = tool_return(call, conversation_id=conversation) | wrong
        assert _text(converse(playback.base_url, body).stream()) == "Hello."


def test_a_second_return_gets_a_short_finished_stream(play: Play) -> None:
    playback = play(calling())
    conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
    converse(playback.base_url, tool_return(call, conversation_id=conversation))
    answer = converse(playback.base_url, tool_return(call, conversation_id=conversation))
    stream = answer.stream()
    assert answer.status == 200
    assert (stream["done"], stream["messages"], stream["errors"]) == (True, [], [])
    assert [each["conversation_id"] for each in stream["events"]] == [conversation]
    assert playback.transcript().errors == ()


def test_a_return_without_any_call_gets_a_short_finished_stream(play: Play) -> None:
    answer = converse(play(calling()).base_url, tool_return())
    assert answer.status == 200
    assert answer.stream()["done"] is True


def test_a_return_to_a_servers_tool_gets_a_short_finished_stream(play: Play) -> None:
    served = opening() + root(made_message(CALL, "", recipient="web.run", channel="commentary")) + ending()
    playback = play(cassette(interaction(user_turn(), served)))
    conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
    answer = converse(playback.base_url, tool_return(call, conversation_id=conversation, tool="web.run"))
    assert answer.stream()["done"] is True


def test_a_return_whose_continuation_was_not_recorded_is_a_409(play: Play) -> None:
    playback = play(cassette(interaction(user_turn(), call_stream())))
    conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
    answer = converse(playback.base_url, tool_return(call, conversation_id=conversation))
    assert answer.status == 409
    assert "no further answer to a tool's return" in answer.json()["detail"]["message"]


def test_a_turn_that_leaves_a_call_unanswered_goes_on_and_the_return_stays_unplayed(play: Play) -> None:
    made = calling()
    more = interaction(user_turn(conversation_id=CONVERSATION), answer_stream("Never mind."))
    playback = play(cassette(*made.interactions, more))
    conversation, _ = _ids(converse(playback.base_url, user_turn()).stream())
    stream = converse(playback.base_url, user_turn(conversation_id=conversation)).stream()
    assert _text(stream) == "Never mind."
    assert playback.transcript().unplayed == ("interaction 2, a tool's return (of 3) was not asked for",)


def test_strict_answers_a_wrong_return_with_422_and_the_findings(play: Play) -> None:
    playback = play(calling(), strict=True)
    conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
    body = tool_return(call, conversation_id=conversation, recipient="alefita_way")
    answer = converse(playback.base_url, body)
    assert answer.status == 422
    [finding] = [each for each in answer.json()["detail"]["findings"] if each["level"] == "must"]
    assert finding["rule"] == "flow_a.return.recipient-is-all"
    assert (finding["want"], finding["got"]) == ("all", "alefita_way")


def test_strict_answers_a_right_return_as_ever_also_after_a_refused_one(play: Play) -> None:
    playback = play(calling(), strict=True)
    conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
    converse(playback.base_url, tool_return(call, conversation_id=conversation, recipient="alefita_way"))
    right = tool_return(call, conversation_id=conversation)
    assert _text(converse(playback.base_url, right).stream()) == "Hello."


@pytest.mark.parametrize("first", [[], [user_turn()]])
def test_strict_refuses_a_return_that_nobody_waits_for(play: Play, first: list[Any]) -> None:
    playback = play(plain(), strict=True)
    for body in first:
        converse(playback.base_url, body)
    answer = converse(playback.base_url, tool_return())
    assert answer.status == 422
    assert "no call waits for one" in answer.json()["detail"]["message"]


def test_lenient_plays_on_after_the_same_wrong_return(play: Play) -> None:
    playback = play(calling())
    conversation, call = _ids(converse(playback.base_url, user_turn()).stream())
    body = tool_return(call, conversation_id=conversation, recipient="alefita_way")
    assert converse(playback.base_url, body).status == 200


def _marked(mark: str) -> Cassette:
    """A cassette with a call whose answer says ``mark``."""
    return cassette(
        interaction(user_turn(message_id=USER_MESSAGE), call_stream()),
        interaction(tool_return(), answer_stream(mark)),
        name=mark,
    )


async def _one(http: aiohttp.ClientSession, base_url: str) -> tuple[str, str, str]:
    """Hold one conversation: its id, the call's, and what it heard."""

    async def post(body: dict[str, Any]) -> bytes:
        async with http.post(f"{base_url}/backend-api/f/conversation", json=body) as answer:
            return await answer.read()

    conversation, call = _ids(decode(await post(user_turn())))
    last = decode(await post(tool_return(call, conversation_id=conversation)))
    assert _ids(last)[0] == conversation
    return conversation, call, _text(last)


def test_sixty_conversations_at_once_on_two_cassettes_never_see_each_other(play: Play) -> None:
    plays = [play(_marked("left"), chunks="random:1"), play(_marked("right"), chunks="byte")]

    async def all_at_once() -> list[tuple[str, str, str]]:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            return await asyncio.gather(*(_one(http, plays[number % 2].base_url) for number in range(60)))

    heard = asyncio.run(all_at_once())
    assert [text for _, _, text in heard] == ["left", "right"] * 30
    assert len({conversation for conversation, _, _ in heard}) == 60
    assert len({call for _, call, _ in heard}) == 60
    for playback in plays:
        transcript = playback.transcript()
        assert (transcript.unplayed, transcript.errors) == ((), ())
        requests = [entry for entry in transcript.entries if hasattr(entry, "method")]
        assert len(requests) == 60
        assert sorted(entry.number for entry in requests) == list(range(1, 61))
