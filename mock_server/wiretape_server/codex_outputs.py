"""What the model has to get of a cassette's calls, when its tools give what they must."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wiretape import strictjson
from wiretape.cassette.model import Cassette, ModelCall, Step
from wiretape.codex.messages import fields
from wiretape.strictjson import ABSENT, StrictJSONError
from wiretape_server.codex.answers import outcome
from wiretape_server.codex.profile import Profile


def expected_outputs(cassette: Cassette, profile: Profile) -> dict[str, Any]:
    """The ``output`` of each call by its id, as an app-server of this profile makes it.

    None where the cassette does not say what the tool gives, or the client interrupts a turn.
    """
    if any(step.do == "interrupt" for step in cassette.client):
        return {}
    found = {call.id: _expected(cassette, profile, call) for step in cassette.model for call in calls(step)}
    return {call_id: output for call_id, output in found.items() if output is not ABSENT}


def calls(step: Step) -> Iterator[ModelCall]:
    """The calls of one answer of the model's."""
    return (item for item in step.items if isinstance(item, ModelCall))


def _expected(cassette: Cassette, profile: Profile, call: ModelCall) -> object:
    answer = cassette.expect.results.get(call.tool, ABSENT)
    if answer is ABSENT or answer == "echo":
        answer = _echo(call)
    if not {"contentItems", "success"} <= fields(answer).keys():
        return ABSENT
    return outcome(answer, profile).output


def _echo(call: ModelCall) -> object:
    """The answer of a tool that gives back its text; ABSENT when the call has none."""
    try:
        text = fields(strictjson.loads(call.arguments)).get("text")
    except StrictJSONError:
        return ABSENT
    items = [{"type": "inputText", "text": text}]
    return {"contentItems": items, "success": True} if isinstance(text, str) else ABSENT
