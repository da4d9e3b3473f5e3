"""What is on the wire when a fault refuses a request."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.test_wire import API, BODY, CASSETTE, PATH, RETURN, TURN, Play
from tests.server.wire import Answer, ask
from wiretape.flow_a.stream import decode
from wiretape.transcript import Struck

REFUSED = {
    "401": (401, "Unauthorized"),
    "403": (403, "Unusual activity"),
    "403-html": (403, "<!DOCTYPE html>"),
    "404": (404, "conversation_not_found"),
    "409": (409, "conflict"),
    "413": (413, "body_too_long"),
    "422": (422, "value_error"),
    "429": (429, "model_cap_exceeded"),
    "500": (500, "Internal Server Error"),
    "502": (502, "<html>"),
    "challenge-used": (403, "challenge_used"),
    "conduit-changed": (409, "conduit_miss"),
}
HEADERS = {
    "403-html": ("cf-mitigated", "challenge"),
    "429": ("retry-after", "1"),
    "401": ("www-authenticate", "Bearer"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_request_is_refused_and_the_next_one_is_not(play: Play, kind: str) -> None:
    playback = play(CASSETTE, f"{kind}@request:3")
    for path in ("/ios/attestation_challenge", "/ios/attestation_challenge"):
        assert ask(playback.base_url, "GET", f"{API}{path}").status == 200
    refused = ask(playback.base_url, "POST", PATH, TURN)
    body = refused.body().decode()
    status, said = REFUSED[kind]
    assert (refused.status, said in body) == (status, True)
    is_html = body.startswith("<")
    assert refused.headers["content-type"].partition(";")[0] == (
        "text/html" if is_html else "application/json"
    )
    name, value = HEADERS.get(kind, ("content-length", str(len(body))))
    assert refused.headers[name] == value
    assert ask(playback.base_url, "POST", PATH, TURN).body() == BODY
    struck = [each for each in playback.transcript().entries if isinstance(each, Struck)]
    assert [(each.connection, each.fault) for each in struck] == [("request 3", f"{kind}@request:3")]


def test_only_a_prepare_is_refused_as_such(play: Play) -> None:
    playback = play(CASSETTE, "prepare-refused@request:*")
    refused = ask(playback.base_url, "POST", f"{PATH}/prepare", {"action": "next"})
    assert (refused.status, "prepare_refused" in refused.body().decode()) == (403, True)
    assert ask(playback.base_url, "POST", PATH, TURN).status == 200


def conversation_of(answer: Answer) -> Any:
    return decode(answer.body())["events"][0]["conversation_id"]


def test_a_deleted_conversation_refuses_all_that_names_it_and_no_other(play: Play) -> None:
    playback = play(CASSETTE, "conversation-deleted@request:5", ids="fresh")
    url = playback.base_url
    first, second = (conversation_of(ask(url, "POST", PATH, TURN)) for _ in range(2))
    assert ask(url, "GET", f"{API}/conversation/{first}").status == 200
    assert ask(url, "GET", f"{API}/ios/attestation_challenge").status == 200
    refused = ask(url, "POST", PATH, {**RETURN, "conversation_id": first})
    assert (refused.status, refused.json()["detail"]["code"]) == (404, "conversation_deleted")
    assert ask(url, "GET", f"{API}/conversation/{first}").status == 404
    assert ask(url, "GET", f"{API}/conversation/{second}").status == 200
    assert ask(url, "POST", f"{PATH}/prepare", {"conversation_id": first}).status == 404
    assert ask(url, "POST", f"{PATH}/prepare", {"conversation_id": "unknown"}).status == 200
