"""The schemas of the app-server's messages take what was recorded and refuse what the server refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.schemas import complaint
from tests.unit.codex_wire import CLIENT_INFO, ECHO, text_result
from tests.unit.test_codex_responses import ROWS
from wiretape.codex.messages import fields

TRANSCRIPTS = sorted((Path(__file__).parents[1] / "vectors" / "codex" / "transcripts").glob("*.jsonl"))
PARAMS = {
    "initialize": "initialize-params",
    "thread/start": "thread-start-params",
    "turn/start": "turn-start-params",
    "turn/interrupt": "turn-interrupt-params",
}
"""Of the client's requests."""
ASKED = {"item/tool/call": "tool-call-params", "account/chatgptAuthTokens/refresh": "refresh-params"}
"""Of the server's."""
BEYOND_A_SCHEMA = (
    *("duplicate dynamic tool", "invalid thread id", "thread not found", "no active turn"),
    *("Already initialized", "Not initialized"),
)
"""Refused for what no schema of the params can see."""


def messages(path: Path, direction: str) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["dir"] == direction and "_raw" not in record["msg"]:
            yield record["msg"]


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_message_of_a_server_is_valid(path: Path) -> None:
    for message in messages(path, "server->client"):
        assert complaint("jsonrpc-message", message) is None
        if "id" not in message:
            assert complaint("server-notification", message) is None
        elif "method" in message:
            assert complaint(ASKED[message["method"]], message["params"]) is None


JUDGED_BY_PARAMS = [path for path in TRANSCRIPTS if not path.stem.endswith("no_experimental_api")]
"""That one is refused for the handshake, not for what the requests hold."""


@pytest.mark.parametrize("path", JUDGED_BY_PARAMS, ids=lambda path: path.stem)
def test_a_request_is_valid_just_when_its_server_took_it(path: Path) -> None:
    asked: dict[object, dict[str, Any]] = {}
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        key, message = (record["conn"], json.dumps(fields(record["msg"]).get("id"))), record["msg"]
        if record["dir"] == "client->server" and message.get("method") in PARAMS:
            asked[key] = message
        elif record["dir"] == "server->client" and "method" not in message and key in asked:
            request, refusal = asked.pop(key), fields(message.get("error")).get("message", "")
            found = complaint(PARAMS[request["method"]], request.get("params"))
            assert (found is not None) == (refusal != "" and not refusal.startswith(BEYOND_A_SCHEMA)), found


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_thread_and_turn_that_is_given_back_is_valid(path: Path) -> None:
    for message in messages(path, "server->client"):
        result = message.get("result")
        for name in ("thread", "turn"):
            if isinstance(result, dict) and name in result:
                assert complaint(name, result[name]) is None


@pytest.mark.parametrize(("answer", "rule", "_path"), ROWS, ids=lambda value: str(value)[:50])
def test_an_answer_that_breaks_a_rule_is_refused_by_its_schema(answer: object, rule: str, _path: str) -> None:
    assert (complaint("tool-call-result", answer) is None) == (rule == "image-decodable")


ITEM = {
    "type": "dynamicToolCall",
    "id": "call_1",
    "tool": "demo_echo",
    "arguments": {},
    "status": "completed",
    "contentItems": [],
    "success": True,
    "durationMs": 1,
}
VALID: dict[str, Any] = {
    "rpc-error": {"code": -32000, "message": "m", "data": None},
    "jsonrpc-message": {"jsonrpc": "2.0", "id": 0, "error": {"code": 1, "message": "m"}},
    "initialize-params": {"clientInfo": CLIENT_INFO, "capabilities": {"experimentalApi": True}},
    "initialize-result": {"userAgent": "demo/0.171.0 (x)"},
    "dynamic-tools": [ECHO],
    "thread-start-params": {"dynamicTools": [ECHO], "more": 1},
    "turn-start-params": {"threadId": "t", "input": [{"type": "text", "text": "go"}]},
    "turn-interrupt-params": {"threadId": "t", "turnId": "u"},
    "tool-call-params": {"threadId": "t", "turnId": "u", "callId": "c", "tool": "x", "arguments": []},
    "content-item": {"type": "inputAudio", "audioUrl": "data:,"},
    "tool-call-result": text_result(),
    "refresh-params": {"reason": "unauthorized"},
    "refresh-result": {"accessToken": "a.b.c", "chatgptAccountId": "org-abc"},
    "thread-item": ITEM,
    "turn-error": {"message": "m"},
    "turn": {"id": "u", "items": [ITEM], "status": "completed", "error": None},
    "server-notification": {
        "method": "item/completed",
        "params": {"item": ITEM, "threadId": "t", "turnId": "u"},
        "emittedAtMs": 1,
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


REFUSED: list[tuple[str, str, Callable[[Any], None]]] = [
    ("rpc-error", "a code as text", _set("code", to="1")),
    ("rpc-error", "a fraction as code", _set("code", to=1.5)),
    ("jsonrpc-message", "an id of null", _set("id", to=None)),
    ("jsonrpc-message", "a result beside an error", _set("result", to={})),
    ("jsonrpc-message", "a method beside an error", _set("method", to="m")),
    ("initialize-params", "a name that no header carries", _set("clientInfo", "name", to="x\n")),
    ("initialize-params", "a version of null", _set("clientInfo", "version", to=None)),
    ("initialize-result", "no version", _set("userAgent", to="demo")),
    ("dynamic-tools", "a name with a dot", _set(0, "name", to="demo.echo")),
    ("dynamic-tools", "a reserved name", _set(0, "name", to="mcp__x")),
    ("dynamic-tools", "a deferred tool alone", _set(0, "deferLoading", to=True)),
    ("dynamic-tools", "a schema that is none", _set(0, "inputSchema", to="object")),
    ("dynamic-tools", "only null", _set(0, "inputSchema", "type", to="null")),
    ("dynamic-tools", "an unknown kind", _set(0, "type", to="custom")),
    ("thread-start-params", "tools as an object", _set("dynamicTools", to={})),
    ("turn-start-params", "text that is none", _set("input", 0, "text", to=None)),
    ("turn-interrupt-params", "a turn that is none", _set("turnId", to=None)),
    ("tool-call-params", "a call id that is none", _set("callId", to=1)),
    ("content-item", "snake case", _set("type", to="input_audio")),
    ("tool-call-result", "success as text", _set("success", to="true")),
    ("refresh-params", "a reason that is none", _set("reason", to=None)),
    ("refresh-result", "no JWT", _set("accessToken", to="token")),
    ("thread-item", "success without completion", _set("status", to="failed")),
    ("turn-error", "no text", _set("message", to=None)),
    ("turn", "failure without an error", _set("status", to="failed")),
    ("server-notification", "an id", _set("id", to=1)),
    ("server-notification", "a jsonrpc member", _set("jsonrpc", to="2.0")),
    ("server-notification", "a turn that is none", _set("params", "turnId", to=None)),
]


@pytest.mark.parametrize(("name", "spoil"), [pytest.param(n, s, id=f"{n}: {w}") for n, w, s in REFUSED])
def test_a_spoilt_message_is_refused(name: str, spoil: Callable[[Any], None]) -> None:
    value = copy.deepcopy(VALID[name])
    spoil(value)
    assert complaint(name, value) is not None


def test_every_schema_with_an_example_has_a_refusal() -> None:
    assert {name for name, _, _ in REFUSED} == set(VALID)
