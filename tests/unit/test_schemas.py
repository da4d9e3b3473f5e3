"""The schemas of the wire messages take what was captured and refuse what the protocol forbids."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.schemas import complaint, files, schemas, validator
from wiretape.sse import EventStreamDecoder, ServerSentEvent

VECTORS = Path(__file__).parents[1] / "vectors" / "flow_a"
RETURNS = json.loads((VECTORS / "returns.json").read_text("utf-8"))
DELTAS = json.loads((VECTORS / "delta.json").read_text("utf-8"))["vectors"]
STREAMS = sorted((VECTORS / "streams").glob("*.sse"))

BEYOND_A_SCHEMA = {
    "call-id-invented",
    "call-id-is-own-id",
    "tool-other-name",
    "id-equals-call-id",
    "parent-is-user-message",
    "conversation-other",
    "role-assistant",
}
"""Faults that lie in the relation of a return to its call: no schema of one body can see them."""


def events(path: Path) -> Iterator[ServerSentEvent]:
    yield from EventStreamDecoder().feed(path.read_bytes())


@pytest.mark.parametrize("name", sorted(schemas()))
def test_a_shipped_schema_is_valid_and_says_where_it_is_from(name: str) -> None:
    schema = schemas()[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].endswith(f"/{name}.schema.json")
    assert schema["title"]
    assert schema["description"]


def test_no_two_schemas_share_a_name() -> None:
    assert len(schemas()) == len(list(files()))


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_every_event_of_a_known_stream_is_valid(path: Path) -> None:
    seen = 0
    for event in events(path):
        if event.event == "delta":
            assert complaint("wire-delta", json.loads(event.data)) is None
        elif event.event == "message" and event.data != "[DONE]":
            assert complaint("typed-event", json.loads(event.data)) is None
        seen += 1
    assert seen


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_every_decoded_envelope_of_a_known_stream_is_valid(path: Path) -> None:
    final = json.loads(path.with_suffix(".final.json").read_text("utf-8"))
    for value in final["channels"].values():
        assert complaint("envelope", value) is None


@pytest.mark.parametrize("case", RETURNS["cases"], ids=lambda case: case["name"])
def test_a_return_is_judged_by_its_schema(case: dict[str, Any]) -> None:
    request = case["request"]
    found = complaint("conversation-request", request)
    if found is None and case["name"] != "role-assistant":
        text = request["messages"][0]["content"]["text"]
        found = complaint("tool-result-body", _parsed(text))
    must_fail = case["verdict"] == "fault" and case["level"] == "error"
    assert (found is not None) == (must_fail and case["name"] not in BEYOND_A_SCHEMA), found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None  # no object, so no result body


@pytest.mark.parametrize("call", RETURNS["calls"].values(), ids=list(RETURNS["calls"]))
def test_a_call_in_either_recipient_form_is_valid(call: dict[str, Any]) -> None:
    assert complaint("call-message", call) is None


@pytest.mark.parametrize("vector", DELTAS, ids=lambda vector: vector["name"])
def test_a_delta_that_decodes_is_valid(vector: dict[str, Any]) -> None:
    for delta, step in zip(vector.get("deltas", ()), vector["steps"], strict=False):
        if "value" in step:
            assert complaint("wire-delta", delta) is None


VALID: dict[str, Any] = {
    "local-function-signature": RETURNS["cases"][0]["request"]["local_function_signatures"][0],
    "call-message": RETURNS["calls"]["alefita"],
    "conversation-request": RETURNS["cases"][0]["request"],
    "prepare-request": {
        "action": "next",
        "client_prepare_state": "sent",
        "model": "gpt-5-6-thinking",
        "thinking_effort": "standard",
        "timezone": "America/Sao_Paulo",
        "timezone_offset_min": 180,
        "partial_query": {"content": {"content_type": "text", "parts": ["ale"]}},
    },
    "challenge-answer": {"attestation_challenge": "c"},
    "prepare-answer": {"status": "ok", "conduit_token": "t"},
    "conversation-read": {
        "conversation_id": "c",
        "title": None,
        "current_node": "m",
        "mapping": {"m": {"id": "m", "parent": None, "children": [], "message": None}},
    },
    "wire-delta": {"p": "/a", "o": "patch", "v": [{"p": "", "o": "add", "v": 1}], "c": 0},
    "typed-event": {
        "type": "message_marker",
        "conversation_id": "c",
        "message_id": "m",
        "marker": "cot_token",
        "event": "first",
    },
}


@pytest.mark.parametrize("name", VALID)
def test_the_example_that_the_refusals_spoil_is_valid(name: str) -> None:
    assert complaint(name, VALID[name]) is None


def _set(*path: Any, to: object) -> Callable[[Any], None]:
    def spoil(value: Any) -> None:
        *way, last = path
        for step in way:
            value = value[step]
        value[last] = to

    return spoil


def _drop(*path: Any) -> Callable[[Any], None]:
    def spoil(value: Any) -> None:
        *way, last = path
        for step in way:
            value = value[step]
        del value[last]

    return spoil


REFUSED: list[tuple[str, str, Callable[[Any], None]]] = [
    ("local-function-signature", "another kind", _set("type", to="args")),
    ("local-function-signature", "no description", _drop("description")),
    ("local-function-signature", "params as an object", _set("params", to={})),
    (
        "local-function-signature",
        "a parameter that is no string",
        _set("params", 0, "type", "type", to="number"),
    ),
    ("local-function-signature", "required as text", _set("params", 0, "required", to="true")),
    ("call-message", "a server's tool", _set("recipient", to="web.run")),
    ("call-message", "no tool name", _set("recipient", to="local.")),
    ("call-message", "a user's message", _set("author", "role", to="user")),
    ("call-message", "arguments as an object", _set("content", "text", to={})),
    ("conversation-request", "another action", _set("action", to="variant")),
    ("conversation-request", "another encoding", _set("supported_encodings", to=["v2"])),
    ("conversation-request", "no encoding", _set("supported_encodings", to=[])),
    ("conversation-request", "prepare state of a prepare", _set("client_prepare_state", to="sent")),
    ("conversation-request", "no challenge", _drop("app_attest_challenge")),
    ("conversation-request", "an offset as text", _set("timezone_offset_min", to="0")),
    ("conversation-request", "an offset as a boolean", _set("timezone_offset_min", to=False)),
    ("conversation-request", "a fraction of a minute", _set("timezone_offset_min", to=0.5)),
    ("conversation-request", "an empty model", _set("model", to="")),
    ("conversation-request", "an unknown role", _set("messages", 0, "author", "role", to="bot")),
    ("prepare-request", "state of a conversation request", _set("client_prepare_state", to="success")),
    ("prepare-request", "a query without parts", _drop("partial_query", "content", "parts")),
    ("challenge-answer", "no challenge", _drop("attestation_challenge")),
    ("prepare-answer", "no token", _drop("conduit_token")),
    ("prepare-answer", "another status", _set("status", to="error")),
    ("conversation-read", "no current node", _drop("current_node")),
    ("conversation-read", "a node without parent", _drop("mapping", "m", "parent")),
    ("conversation-read", "a message that is none", _set("mapping", "m", "message", to="hello")),
    ("wire-delta", "a channel as text", _set("c", to="0")),
    ("wire-delta", "a channel as a boolean", _set("c", to=True)),
    ("wire-delta", "a path of null", _set("p", to=None)),
    ("wire-delta", "an unknown op", _set("o", to="merge")),
    ("wire-delta", "a patch that is no list", _set("v", to="text")),
    ("wire-delta", "a patch without a value", _drop("v")),
    ("wire-delta", "an entry that is no object", _set("v", 0, to=[])),
    ("wire-delta", "an entry without an op", _drop("v", 0, "o")),
    ("wire-delta", "an entry without a path", _drop("v", 0, "p")),
    ("wire-delta", "a truncate by true", _set("v", 0, to={"p": "", "o": "truncate", "v": True})),
    ("typed-event", "no type", _drop("type")),
    ("typed-event", "a marker without its message", _drop("message_id")),
    ("typed-event", "a marker that is neither first nor last", _set("event", to="middle")),
]


@pytest.mark.parametrize(("name", "spoil"), [pytest.param(n, s, id=f"{n}: {w}") for n, w, s in REFUSED])
def test_a_spoilt_message_is_refused(name: str, spoil: Callable[[Any], None]) -> None:
    value = copy.deepcopy(VALID[name])
    spoil(value)
    assert complaint(name, value) is not None


@pytest.mark.parametrize("value", [None, [], "text", 1, True])
@pytest.mark.parametrize("name", VALID)
def test_what_is_no_object_is_refused(name: str, value: object) -> None:
    assert complaint(name, value) is not None


def test_a_number_may_be_written_with_a_fraction_of_zero() -> None:
    request = copy.deepcopy(VALID["conversation-request"])
    request["timezone_offset_min"] = 180.0
    request["messages"][0]["weight"] = 1.0
    assert validator("conversation-request").is_valid(request)
