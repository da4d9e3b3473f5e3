"""What clients do that don't cope when something goes wrong: after a fault, the wrong thing."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from typing import TypeAlias

from tests.conformance.reference_client import ClientError, Exchange, ReferenceClient, Sending
from wiretape.flow_a.stream import decode

Play: TypeAlias = Callable[[ReferenceClient], None]
TROUBLE = (ClientError, HTTPException, OSError)
"""What the reference client raises when it gives up."""


def in_spite_of(play: Play, then: Play) -> Play:
    """Play; and when that fails, do what nobody should do then."""

    def played(client: ReferenceClient) -> None:
        try:
            play(client)
        except TROUBLE:
            with suppress(*TROUBLE):
                then(client)

    return played


def ask(client: ReferenceClient) -> None:
    client.ask(client.user_message)


def answer_what_came(client: ReferenceClient) -> None:
    """Answer the first call that appeared, or the last one again."""
    call = client.open_call(client.messages.values()) or list(client.answered.values())[-1]
    client.answer(call)


def last_challenge_again(client: ReferenceClient, _sending: Sending) -> str:
    """Take the second challenge for whatever comes after it."""
    return client.challenges[1] if len(client.challenges) > 1 else client.fetch_challenge()


def resume_one_event_early(client: ReferenceClient) -> None:
    """Resume as if one event of the three had not come."""
    body = json.dumps({"conversation_id": client.conversation_id, "offset": 2}).encode()
    with Exchange(
        client.base_url, "f/conversation/resume", body, {"x-conduit-token": client.token}
    ) as answer:
        came = decode(b'event: delta_encoding\ndata: "v1"\n\n' + answer.response.read())
    client.messages |= {message["id"]: message for message in came["messages"]}
    answer_what_came(client)
