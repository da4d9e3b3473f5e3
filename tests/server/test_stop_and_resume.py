from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from tests.server.clockwork import Clockwork
from tests.server.making import (
    PATH,
    TOKEN,
    answer_stream,
    call_stream,
    calling,
    cassette,
    event,
    interaction,
    opening,
    plain,
    tool_return,
    user_turn,
)
from tests.server.wire import Answer, Wire, ask, converse
from wiretape.flow_a.stream import decode
from wiretape.transcript import Chunk, End
from wiretape_server.thread import Playback, ServerThread

Play = Callable[..., Playback]

RESUME = "/backend-api/f/conversation/resume"
STOP = "/backend-api/stop_conversation"
WORDS = ("one ", "two ", "three ", "four ")
STREAM = answer_stream("", words=WORDS)
ENDS = [index + 2 for index in range(len(STREAM)) if STREAM[index : index + 2] == b"\n\n"]


def _slow() -> Any:
    """The words come 100 ms apart, and each chunk ends inside an event."""
    cuts = [0, *(end - 10 for end in ENDS[2:7]), len(STREAM)]
    lengths = [after - before for before, after in pairwise(cuts)]
    chunks = [(100.0 if index else 0.0, length) for index, length in enumerate(lengths)]
    return cassette(interaction(user_turn(), STREAM, chunks=chunks))


def _conversation(body: bytes) -> str:
    return str(decode(body)["events"][0]["conversation_id"])


def _resume(playback: Playback, conversation: object, offset: object, **headers: str) -> Answer:
    return ask(
        playback.base_url, "POST", RESUME, {"conversation_id": conversation, "offset": offset}, **headers
    )


def test_stopping_ends_the_running_stream_with_done_behind_a_whole_event(
    still_server: ServerThread, clockwork: Clockwork
) -> None:
    playback = still_server.play(_slow())
    with Wire(playback.base_url) as wire:
        chunks = wire.ask("POST", PATH, user_turn()).chunks()
        heard = next(chunks)
        still_server.call(clockwork.advance, 0.11)
        heard += next(chunks)
        conversation = _conversation(heard)
        stopped = ask(
            playback.base_url, "POST", STOP, {"conversation_id": conversation, "exclude_async_types": []}
        )
        heard += b"".join(chunks)
    result = decode(heard)
    assert (result["done"], result["complete"], result["errors"]) == (True, False, [])
    assert result["messages"][0]["content"]["parts"] == ["one "]
    assert stopped.json() == {"status": "success", "last_message_id": result["messages"][0]["id"]}
    assert playback.transcript().bodies()[1] == heard
    tree = ask(playback.base_url, "GET", f"/backend-api/conversation/{conversation}").json()
    message = tree["mapping"][tree["current_node"]]["message"]
    assert message["metadata"]["finish_details"] == {"type": "interrupted", "reason": "client_stopped"}
    still_server.call(clockwork.advance, 5.0)
    assert [
        each.how for each in playback.transcript().entries if isinstance(each, End) and each.number == 1
    ] == ["complete"]


def test_stopping_a_conversation_that_is_done_changes_nothing(play: Play) -> None:
    playback = play(plain())
    stream = converse(playback.base_url, user_turn()).stream()
    conversation = stream["events"][0]["conversation_id"]
    answer = ask(playback.base_url, "POST", STOP, {"conversation_id": conversation})
    assert answer.json()["last_message_id"] == stream["messages"][0]["id"]


def test_a_call_that_was_stopped_waits_for_no_return(play: Play) -> None:
    playback = play(calling())
    stream = converse(playback.base_url, user_turn()).stream()
    conversation, call = stream["events"][0]["conversation_id"], stream["messages"][0]["id"]
    ask(playback.base_url, "POST", STOP, {"conversation_id": conversation})
    late = converse(playback.base_url, tool_return(call, conversation_id=conversation)).stream()
    assert late["messages"] == []


@pytest.mark.parametrize("offset", range(len(ENDS)))
def test_a_resumed_stream_goes_on_exactly_behind_the_events_that_were_counted(
    play: Play, offset: int
) -> None:
    playback = play(cassette(interaction(user_turn(), STREAM)), ids="recorded")
    conversation = _conversation(converse(playback.base_url, user_turn()).body())
    answer = _resume(playback, conversation, offset, x_conduit_token="t")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.body() == STREAM[[0, *ENDS][offset] :]


def test_pings_comments_empty_events_and_done_do_not_count(play: Play) -> None:
    noise = event("x", "ping") + b": comment\n\n" + b"data:\n\n"
    stream = opening() + noise + answer_stream()[len(opening()) :]
    playback = play(cassette(interaction(user_turn(), stream)), ids="recorded")
    conversation = _conversation(converse(playback.base_url, user_turn()).body())
    rest = _resume(playback, conversation, 3, x_conduit_token="t").body()
    assert rest == answer_stream()[len(opening()) :].partition(b"\n\n")[2]
    assert _resume(playback, conversation, 6, x_conduit_token="t").status == 422


def test_a_resumed_stream_has_the_ids_of_the_interrupted_one(play: Play) -> None:
    playback = play(cassette(interaction(user_turn(), STREAM)))
    whole = converse(playback.base_url, user_turn()).body()
    assert _resume(playback, _conversation(whole), 0).body() == whole
    assert TOKEN.encode() not in whole


def test_an_interrupted_stream_is_resumed_with_what_was_written_at_once_and_the_rest_at_its_pace(
    still_server: ServerThread, clockwork: Clockwork
) -> None:
    playback = still_server.play(_slow())
    with Wire(playback.base_url) as wire:
        chunks = wire.ask("POST", PATH, user_turn()).chunks()
        heard = next(chunks)
        still_server.call(clockwork.advance, 0.11)
        heard += next(chunks)
    assert playback.wait_idle(5)
    with Wire(playback.base_url) as wire:
        body = {"conversation_id": _conversation(heard), "offset": 2}
        chunks = wire.ask("POST", RESUME, body, x_conduit_token="t").chunks()
        again = next(chunks) + next(chunks)
        assert wire.is_silent()
        still_server.call(clockwork.advance, 1.0)
        rest = again + b"".join(chunks)
    assert rest == playback.transcript().bodies()[2]
    assert decode(heard[: ENDS[1]] + rest)["complete"] is True


def test_a_call_that_comes_in_a_resumed_stream_waits_for_its_return(
    still_server: ServerThread, clockwork: Clockwork
) -> None:
    start, size = len(opening()), len(call_stream())
    made = cassette(
        interaction(user_turn(), call_stream(), chunks=[(0, start), (100, size - start)]),
        interaction(tool_return(), answer_stream()),
    )
    playback = still_server.play(made)
    with Wire(playback.base_url) as wire:
        heard = next(wire.ask("POST", PATH, user_turn()).chunks())
    assert playback.wait_idle(5)
    conversation = _conversation(heard)
    with Wire(playback.base_url) as wire:
        answer = wire.ask("POST", RESUME, {"conversation_id": conversation, "offset": 2}, x_conduit_token="t")
        still_server.call(clockwork.advance, 0.2)
        call = decode(heard + answer.body())["messages"][0]["id"]
    back = converse(playback.base_url, tool_return(call, conversation_id=conversation))
    assert back.stream()["complete"] is True


def test_the_transcript_of_a_resumed_stream_says_which_bytes_were_written(play: Play) -> None:
    playback = play(cassette(interaction(user_turn(), STREAM)))
    conversation = _conversation(converse(playback.base_url, user_turn()).body())
    _resume(playback, conversation, 3, x_conduit_token="t")
    chunks = [each for each in playback.transcript().entries if isinstance(each, Chunk) and each.number == 2]
    assert (chunks[0].start, chunks[-1].stop) == (ENDS[2], len(STREAM))


@pytest.mark.parametrize("token", [{}, {"x_conduit_token": "no-token"}])
def test_without_a_token_only_offset_0_can_be_resumed(play: Play, token: dict[str, str]) -> None:
    playback = play(cassette(interaction(user_turn(), STREAM)))
    conversation = _conversation(converse(playback.base_url, user_turn()).body())
    refused = _resume(playback, conversation, 1, **token)
    assert refused.status == 400
    assert refused.json()["detail"]["code"] == "tokenless_resume_unavailable"
    assert _resume(playback, conversation, 0, **token).status == 200


@pytest.mark.parametrize("offset", [-1, "1", True, None, 1.5, 1000])
def test_an_offset_that_is_no_place_in_the_stream_is_a_422(play: Play, offset: object) -> None:
    playback = play(cassette(interaction(user_turn(), STREAM)))
    conversation = _conversation(converse(playback.base_url, user_turn()).body())
    answer = _resume(playback, conversation, offset, x_conduit_token="t")
    assert answer.status == 422
    assert answer.json()["detail"]["code"] == "invalid_offset"


@pytest.mark.parametrize("path", [RESUME, STOP])
@pytest.mark.parametrize("conversation", ["unknown", None, 3])
def test_stopping_or_resuming_an_unknown_conversation_is_a_404(
    play: Play, path: str, conversation: object
) -> None:
    answer = ask(play(plain()).base_url, "POST", path, {"conversation_id": conversation, "offset": 0})
    assert answer.status == 404
    assert answer.json()["detail"]["code"] == "conversation_not_found"
