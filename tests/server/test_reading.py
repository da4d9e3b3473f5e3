"""What reading a conversation gives: the tree of messages, and where the conversation stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.server.clockwork import Clockwork
from tests.server.making import (
    ANSWER,
    PATH,
    answer_stream,
    call_stream,
    calling,
    cassette,
    event,
    interaction,
    opening,
    plain,
    tool_return,
    two_turns,
    user_turn,
)
from tests.server.wire import Wire, ask, converse
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

Play = Callable[..., Playback]


def _read(playback: Playback, conversation_id: str) -> Any:
    answer = ask(playback.base_url, "GET", f"/backend-api/conversation/{conversation_id}")
    assert answer.status == 200
    return answer.json()


def _branch(tree: Any) -> list[str]:
    """The ids on the live branch, from the root to the current node."""
    node, found = tree["current_node"], []
    while node is not None:
        found.append(node)
        node = tree["mapping"][node]["parent"]
    return found[::-1]


def test_the_tool_node_appears_under_the_call_and_the_current_node_moves(play: Play) -> None:
    playback = play(calling())
    turn = user_turn("Use it")
    first = converse(playback.base_url, turn).stream()
    conversation, call = first["events"][0]["conversation_id"], first["messages"][0]["id"]
    user = turn["messages"][0]["id"]
    before = _read(playback, conversation)
    assert before["current_node"] == call
    assert _branch(before) == ["client-created-root", user, call]

    back = tool_return(call, conversation_id=conversation)
    answer = converse(playback.base_url, back).stream()["messages"][0]["id"]
    after = _read(playback, conversation)
    tool = back["messages"][0]["id"]
    assert _branch(after) == ["client-created-root", user, call, tool, answer]
    assert after["mapping"][call]["children"] == [tool]
    assert after["mapping"][tool]["message"] == back["messages"][0]
    assert after["current_node"] == answer
    assert after["conversation_id"] == conversation


def test_the_tool_node_is_under_the_call_also_when_the_return_names_another_parent(play: Play) -> None:
    playback = play(calling())
    first = converse(playback.base_url, user_turn()).stream()
    conversation, call = first["events"][0]["conversation_id"], first["messages"][0]["id"]
    back = tool_return(call, conversation_id=conversation) | {"parent_message_id": "nowhere"}
    converse(playback.base_url, back)
    tree = _read(playback, conversation)
    assert tree["mapping"][back["messages"][0]["id"]]["parent"] == call


def test_streamed_messages_are_in_their_final_state_and_the_users_text_is_the_clients(play: Play) -> None:
    playback = play(cassette(interaction(user_turn(), answer_stream("", words=("Hel", "lo")))))
    turn = user_turn("My own words")
    stream = converse(playback.base_url, turn).stream()
    tree = _read(playback, stream["events"][0]["conversation_id"])
    answer = tree["mapping"][tree["current_node"]]["message"]
    assert answer["content"]["parts"] == ["Hello"]
    assert answer["status"] == "finished_successfully"
    user = tree["mapping"][turn["messages"][0]["id"]]["message"]
    assert user["content"]["parts"] == ["My own words"]
    assert tree["default_model_slug"] == "gpt-5-6-thinking"


def test_a_second_turn_goes_on_under_the_first_answer(play: Play) -> None:
    playback = play(two_turns())
    first = converse(playback.base_url, user_turn()).stream()
    conversation, answer = first["events"][0]["conversation_id"], first["messages"][0]["id"]
    second = user_turn("And?", conversation_id=conversation, parent_message_id=answer)
    converse(playback.base_url, second)
    tree = _read(playback, conversation)
    assert _branch(tree)[2:4] == [answer, second["messages"][0]["id"]]
    assert len(_branch(tree)) == 5


def test_a_title_that_was_streamed_is_the_conversations(play: Play) -> None:
    titled = (
        opening() + event({"type": "title_generation", "title": "Eco"}) + answer_stream()[len(opening()) :]
    )
    playback = play(cassette(interaction(user_turn(), titled)))
    stream = converse(playback.base_url, user_turn()).stream()
    assert _read(playback, stream["events"][0]["conversation_id"])["title"] == "Eco"


def test_a_history_that_the_stream_repeats_is_in_the_tree_once(play: Play) -> None:
    turn = user_turn()
    echoed = opening() + event({"message": turn["messages"][0]}) + answer_stream()[len(opening()) :]
    playback = play(cassette(interaction(turn, echoed)))
    stream = converse(playback.base_url, turn).stream()
    tree = _read(playback, stream["events"][0]["conversation_id"])
    assert len(tree["mapping"]) == 3


def test_only_what_was_written_is_in_the_tree_and_the_status_says_that_more_comes(
    still_server: ServerThread, clockwork: Clockwork
) -> None:
    start = len(opening())
    size = len(answer_stream())
    playback = still_server.play(plain(chunks=[(0, start), (100, size - start)]), PlayOptions())
    with Wire(playback.base_url) as wire:
        chunks = wire.ask("POST", PATH, user_turn()).chunks()
        conversation = next(chunks).decode().rpartition('"conversation_id": "')[2][:36]
        status = f"/backend-api/conversation/{conversation}/stream_status"
        assert len(_read(playback, conversation)["mapping"]) == 2
        assert ask(playback.base_url, "GET", status).json() == {"status": "IS_STREAMING"}
        still_server.call(clockwork.advance, 0.2)
        b"".join(chunks)
    assert len(_read(playback, conversation)["mapping"]) == 3
    assert ask(playback.base_url, "GET", status).json() == {"status": "COMPLETE"}


def test_reading_never_counts_as_unplayed_or_as_an_error(play: Play) -> None:
    playback = play(plain())
    conversation = converse(playback.base_url, user_turn()).stream()["events"][0]["conversation_id"]
    for _ in range(3):
        _read(playback, conversation)
        ask(playback.base_url, "GET", "/backend-api/ios/attestation_challenge")
        ask(playback.base_url, "POST", "/backend-api/f/conversation/prepare", {"action": "next"})
    transcript = playback.transcript()
    assert (transcript.unplayed, transcript.errors) == ((), ())


def test_challenges_and_conduit_tokens_are_new_each_time(play: Play) -> None:
    base_url = play(plain()).base_url
    challenges = {
        ask(base_url, "GET", "/backend-anon/ios/attestation_challenge").json()["attestation_challenge"]
        for _ in range(3)
    }
    prepared = [ask(base_url, "POST", "/backend-api/f/conversation/prepare", {}).json() for _ in range(3)]
    assert len(challenges) == 3
    assert {each["status"] for each in prepared} == {"ok"}
    assert len({each["conduit_token"] for each in prepared}) == 3


def test_a_return_that_nobody_waited_for_is_in_the_tree_too(play: Play) -> None:
    playback = play(
        cassette(interaction(user_turn(), call_stream()), interaction(tool_return(), answer_stream()))
    )
    first = converse(playback.base_url, user_turn()).stream()
    conversation, call = first["events"][0]["conversation_id"], first["messages"][0]["id"]
    returns = [tool_return(call, conversation_id=conversation) for _ in range(2)]
    for each in returns:
        converse(playback.base_url, each)
    tree = _read(playback, conversation)
    assert returns[1]["messages"][0]["id"] in tree["mapping"]
    assert ANSWER not in tree["mapping"]
