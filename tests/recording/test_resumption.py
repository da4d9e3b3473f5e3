"""A stream that broke off and was resumed while it was recorded plays as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recording.stage import recorder
from tests.server.making import CONVERSATION, cassette, interaction, plain, user_turn
from tests.server.wire import ask, converse
from wiretape.cassette.model import Interaction, RecordedRequest, RecordedResponse
from wiretape.flow_a.stream import decode
from wiretape_server.options import PlayOptions
from wiretape_server.resumption import counted_event_ends, whole_streams
from wiretape_server.script import build
from wiretape_server.thread import ServerThread

RESUME = "/backend-api/f/conversation/resume"
BODY = plain().interactions[0].response.body
RESUMED = '{"conversation_id": "%s", "offset": %s}'


def resumed(offset: object, body: bytes, status: int = 200, conversation: str = CONVERSATION) -> Interaction:
    sent = (RESUMED % (conversation, offset)).encode()
    return Interaction(
        request=RecordedRequest(method="POST", path=RESUME, body=sent),
        response=RecordedResponse(status=status, body=body),
    )


def begun(upto: int) -> Interaction:
    return interaction(user_turn(), BODY[:upto], chunks=[(0, upto - 9), (7, 9)], end="hang")


def test_a_session_that_was_resumed_plays_as_a_whole(server: ServerThread, tmp_path: Path) -> None:
    played = server.play(plain(), PlayOptions(pace="instant", ids="recorded"))
    with recorder(played.base_url, tmp_path) as stage:
        whole = converse(stage.base_url, user_turn()).body()
        rest = ask(
            stage.base_url,
            "POST",
            RESUME,
            {"conversation_id": CONVERSATION, "offset": 2},
            x_conduit_token="a-token-of-the-client",
        ).body()
        recording = stage.finish()
    played.close()
    assert whole.endswith(rest)
    again = server.play(recording, PlayOptions(pace="instant", ids="recorded"))
    body = converse(again.base_url, user_turn()).body()
    assert again.transcript().unplayed == ()
    again.close()
    assert decode(body)["messages"] == decode(whole)["messages"]
    assert len(body) == len(whole)


@pytest.mark.parametrize(("upto", "offset"), [(300, 1), (600, 2), (620, 1)])
def test_what_the_resume_gave_follows_the_event_it_began_at(upto: int, offset: int) -> None:
    ends = [0, *counted_event_ends(BODY)]
    made = whole_streams([begun(upto), resumed(offset, BODY[ends[offset] :])])
    response = made[0].response
    assert (response.body, response.end) == (BODY, "complete")
    assert response.chunks is not None
    assert sum(response.chunks.lengths) == len(BODY)
    assert [part.number for part in build(cassette(*made)).parts] == [1]


@pytest.mark.parametrize(
    "strange",
    [
        resumed(99, b"data: 1\n\n"),
        resumed(-1, b"data: 1\n\n"),
        resumed('"1"', b"data: 1\n\n"),
        resumed(1, b"no", status=404),
        resumed(1, b"data: 1\n\n", conversation="another"),
    ],
    ids=["behind the end", "negative", "no number", "refused", "another conversation"],
)
def test_a_resume_that_fits_nothing_changes_nothing(strange: Interaction) -> None:
    recorded = (begun(300), strange)
    assert whole_streams(recorded) == recorded


def test_a_cassette_without_resumes_is_what_it_is() -> None:
    recorded = plain().interactions
    assert whole_streams(recorded) == recorded
