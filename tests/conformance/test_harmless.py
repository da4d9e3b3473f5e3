"""What clients may do: none of it draws a complaint, however unlike the reference client it is."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.broken import on_return, on_turn, put, two_conversations
from tests.conformance.playing import failures, judged
from tests.conformance.reference_client import Hooks, ReferenceClient, Sending
from wiretape_server.thread import ServerThread


def spaced(body: object, _sending: Sending) -> bytes:
    return json.dumps(body, indent=2).encode()


def not_escaped(body: object, _sending: Sending) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def in_another_order(body: Any, _sending: Sending) -> bytes:
    return json.dumps(dict(reversed(body.items()))).encode()


def chunked(body: object, _sending: Sending) -> Iterator[bytes]:
    data = json.dumps(body).encode()
    return (data[start : start + 100] for start in range(0, len(data), 100))


def another_challenge_first(client: ReferenceClient, _sending: Sending) -> str:
    """Fetch two, use the one that was fetched first."""
    wanted = client.fetch_challenge()
    client.fetch_challenge()
    return wanted


def prepare_while_typing(client: ReferenceClient, sending: Sending) -> str:
    client.send_prepare(sending)
    client.send_prepare(sending)
    return client.fetch_challenge()


PARTIAL_QUERY = {"content": {"content_type": "text", "parts": ["Use ale"]}}
HARMLESS = {
    "spaced JSON": Hooks(request_bytes=spaced, prepare_bytes=spaced),
    "JSON in UTF-8": Hooks(request_bytes=not_escaped),
    "JSON in UTF-8 in the text too": Hooks(text_json=lambda text: json.dumps(text, ensure_ascii=False)),
    "compact text": Hooks(text_json=lambda text: json.dumps(text, separators=(",", ":"))),
    "keys in another order": Hooks(request_bytes=in_another_order),
    "a chunked body": Hooks(request_bytes=chunked),
    "more headers": Hooks(headers=put("oai-device-id", str(uuid.uuid4()))),
    "more fields in the request": Hooks(request=put("history_and_training_disabled", False)),
    "more keys in the result": Hooks(result=lambda right, _: right | {"lines": [1, 2]}),
    "the app's metadata": Hooks(returned=put("metadata", {"is_visually_hidden_from_conversation": True})),
    "a uuid of version 1": Hooks(returned=lambda message, _: message.update(id=str(uuid.uuid1()))),
    "a uuid in capitals": Hooks(returned=lambda message, _: message.update(id=message["id"].upper())),
    "a weight with a fraction": Hooks(returned=put("weight", 1.0)),
    "a time without a fraction": Hooks(returned=lambda message, _: message.update(create_time=1787848294)),
    "an offset with a fraction": Hooks(request=put("timezone_offset_min", 180.0)),
    "several prepares": Hooks(challenge=prepare_while_typing),
    "a partial query": Hooks(prepare=put("partial_query", PARTIAL_QUERY)),
    "a challenge fetched ahead": Hooks(challenge=another_challenge_first),
    "the web client's first parent": Hooks(request=on_turn(put("parent_message_id", "client-created-root"))),
    "no tools in the prepare": Hooks(prepare=lambda body, _: body.pop("local_function_signatures")),
    "another model for the return": Hooks(request=on_return(put("model", "gpt-5-5"))),
    "a second conversation": Hooks(play=two_conversations),
}


@pytest.mark.parametrize("hooks", HARMLESS.values(), ids=HARMLESS.keys())
@pytest.mark.parametrize("cassette", ["alefita_way_split_arguments", "two_calls"])
def test_what_is_allowed_draws_no_complaint(hooks: Hooks, cassette: str, server: ServerThread) -> None:
    report = judged(server, cassette, hooks)
    assert failures(report) == []
    assert report.played, (report.unplayed, report.errors)
