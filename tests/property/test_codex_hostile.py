"""Whatever stands on the wire, from either side, there is a verdict and no exception."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.codex_wire import ECHO, THREAD, TURN, Wire, text_result
from wiretape.transcript_file import dump, load
from wiretape.verdict import verify

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text(max_size=3)
METHODS = st.sampled_from(
    (
        *("initialize", "initialized", "thread/start", "thread/resume", "turn/start", "turn/interrupt"),
        *("turn/started", "turn/completed", "item/completed", "item/tool/call", "error"),
        "account/chatgptAuthTokens/refresh",
    )
)
WORDS = st.sampled_from(
    [THREAD, TURN, "call_1", "dynamicToolCall", "inputText", "inputImage", "data:,", "function"]
)
KEYS = st.sampled_from(
    (
        *("threadId", "turnId", "callId", "tool", "arguments", "turn", "thread", "item", "id", "type"),
        *("contentItems", "success", "text", "imageUrl", "output", "accessToken", "clientInfo", "name"),
        *("capabilities", "experimentalApi", "dynamicTools", "inputSchema", "properties", "message"),
        *("error", "version", "code"),
    )
)
VALUES = st.recursive(
    SCALARS | WORDS | st.just(ECHO) | st.just(text_result()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": SCALARS,
        "method": METHODS | SCALARS,
        "params": VALUES,
        "result": VALUES,
        "error": VALUES,
    },
)
STEPS = st.lists(
    st.tuples(st.sampled_from(["client", "server"]), MESSAGES | VALUES | st.binary(max_size=6)), max_size=12
)


def played(steps: list[tuple[Any, Any]]) -> Wire:
    wire = Wire(expect={"results": {"demo_echo": "echo"}})
    for direction, message in steps:
        wire.frame(direction, message if isinstance(message, bytes) else json.dumps(message).encode())
    return wire


@given(STEPS)
def test_any_frames_get_a_verdict(steps: list[tuple[Any, Any]]) -> None:
    findings = played(steps).report().findings
    assert {finding.outcome for finding in findings} <= {"pass", "fail", "not_observed", "not_applicable"}


@given(STEPS)
def test_no_frame_of_the_servers_alone_is_the_clients_fault_but_for_what_it_owes(steps: list[Any]) -> None:
    failed = played([("server", message) for _, message in steps]).failed()
    assert set(failed) <= {"call.answered", "auth-refresh.answered"}


@given(STEPS)
def test_saving_changes_no_verdict(steps: list[tuple[Any, Any]]) -> None:
    transcript = played(steps).transcript
    again = load(dump(transcript))
    assert [(f.rule, f.outcome) for f in verify(again).findings] == [
        (f.rule, f.outcome) for f in verify(transcript).findings
    ]
