"""What a recorded session expects of a client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.flow_a_wire import call_stream, signature, tool_return, user_turn
from wiretape.cassette.model import Interaction, RecordedRequest, RecordedResponse
from wiretape.flow_a.expectation import expectation


def exchange(body: dict[str, Any], *chunks: bytes) -> Interaction:
    request = RecordedRequest(
        method="POST", path="/backend-api/f/conversation", body=json.dumps(body).encode()
    )
    return Interaction(request=request, response=RecordedResponse(body=b"".join(chunks)))


def test_message_tools_and_results_are_those_of_the_recording() -> None:
    expect = expectation([exchange(user_turn(), *call_stream()), exchange(tool_return({"message": "eco"}))])
    assert expect.user_message == "eco, please"
    assert expect.tools == (signature("handoff"), signature("alefita_way"))
    assert expect.results == {"alefita_way": "echo"}


def test_a_message_of_the_users_without_text_is_passed_over() -> None:
    empty = user_turn(messages=[{"author": {"role": "user"}, "content": {"parts": [""]}}])
    assert expectation([exchange(empty), exchange(user_turn())]).user_message == "eco, please"


@pytest.mark.parametrize("text", ["not json", None, "[1]"])
def test_a_return_that_can_not_be_read_gives_no_result(text: object) -> None:
    body = tool_return()
    body["messages"][0]["content"]["text"] = text
    assert expectation([exchange(user_turn(), *call_stream()), exchange(body)]).results == {}
