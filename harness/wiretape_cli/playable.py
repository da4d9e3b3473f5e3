"""What of a recorded conversation plays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wiretape.cassette import Cassette, CassetteError
from wiretape.endpoints import is_conversation
from wiretape_cli.exits import Exit
from wiretape_cli.screen import say
from wiretape_server.head import content_type
from wiretape_server.script import build, is_event_stream


def say_what_plays(cassette: Cassette, out: Path) -> Exit:
    """Say what in a recorded conversation is no event stream, and whether it can be played at all."""
    for note in _no_streams(cassette):
        say(f"  note: {note}")
    try:
        build(cassette)
    except CassetteError as error:
        say(f"  {out} holds what was recorded, but can't be played: {error}")
        return Exit.LINT
    return Exit.FINE


def _no_streams(cassette: Cassette) -> Iterator[str]:
    """Conversation requests that got something else for their answer: it plays as it came."""
    for number, interaction in enumerate(cassette.interactions, 1):
        path, response = interaction.request.path, interaction.response
        if is_conversation(path) and not is_event_stream(response.status, response.headers):
            kind = content_type(response.headers)
            yield f"interaction {number}: answered with {response.status} {kind}, which is no event stream"
