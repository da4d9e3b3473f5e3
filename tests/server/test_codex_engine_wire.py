"""What the engine does with each kind of message, readable or not, and how a session begins."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.codex_client import DONE, ECHO, Bench, Client, calls

VERSIONS = ("0.98", "0.110", "0.171")
INFO = {"name": "demo", "version": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        '[{"id":77,"method":"thread/loaded/list","params":{}}]',
        '{"foo":1}',
        '{"id":88,"method":5}',
        '{"id":0}',
        '{"id":0,"error":{"code":1}}',
        '{"id":0,"error":{"message":"m"}}',
        '{"id":0,"error":{"code":"1","message":"m"}}',
        '{"id":0,"error":{"code":1.5,"message":"m"}}',
        '{"id":0.0,"result":{}}',
        '{"id":1,"method":"thread/loaded/list","params":{}}\n{"id":2,"method":"thread/loaded/list","params":{}}',
    ],
)
def test_what_cannot_be_read_gets_a_line_on_stderr_and_leaves_the_call_open(text: str) -> None:
    bench = Bench(calls("call_1"), DONE)
    client = bench.client()
    client.start_turn(client.start_thread())
    assert client.send(text) == []
    (line,) = bench.stderr
    assert line.startswith(
        "ERROR codex_app_server_transport::transport: Failed to deserialize JSONRPCMessage: "
    )
    client.answer(0)
    assert client.ended()["status"] == "completed"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id":0,"result":1,"result":2}', "data did not match any variant of untagged enum JSONRPCMessage"),
        ("[1", "EOF while parsing a list at line 1 column 2"),
    ],
)
def test_stderr_tells_no_json_from_json_that_is_no_message(text: str, complaint: str) -> None:
    bench = Bench()
    bench.client().send(text)
    assert bench.stderr[0].endswith(f"JSONRPCMessage: {complaint}")


@pytest.mark.parametrize(
    "message",
    [
        {"id": None, "method": "thread/loaded/list", "params": {}},
        {"id": 1.5, "method": "thread/loaded/list", "params": {}},
        {"method": "bogus/notification"},
        {"id": 999, "result": {}},
        {"id": "0", "result": {}},
        {"id": "x", "error": {"code": 1, "message": "m"}},
    ],
)
def test_what_means_nothing_is_ignored_in_silence(message: Any) -> None:
    bench = Bench(calls("call_1"), DONE)
    client = bench.client()
    client.start_turn(client.start_thread())
    assert client.send(message) == []
    assert bench.stderr == []
    assert client.answer(0) != []


@pytest.mark.parametrize("request_id", ["a-b", "", -1, 0, 2**63 - 1])
def test_an_id_comes_back_as_it_was(request_id: Any) -> None:
    (answer,) = Bench().client().send({"id": request_id, "method": "thread/loaded/list", "params": {}})
    assert answer == {"id": request_id, "result": {"data": [], "nextCursor": None}}


def test_an_answer_with_a_method_is_a_request() -> None:
    client = Bench(calls("call_1"), DONE).client()
    client.start_turn(client.start_thread())
    (answer,) = client.send({"id": 0, "method": "item/tool/call", "result": {}})
    assert answer["id"] == 0
    assert answer["error"]["message"].startswith("Invalid request: unknown variant `item/tool/call`")
    assert client.answer(0) != []


def test_a_result_counts_where_an_error_stands_beside_it() -> None:
    client = Bench(calls("call_1"), DONE).client()
    client.start_turn(client.start_thread())
    result = {"contentItems": [], "success": True}
    client.send({"id": 0, "result": result, "error": {"code": 1, "message": "m"}})
    assert client.items()[0]["status"] == "completed"


def test_a_second_answer_is_ignored() -> None:
    client = Bench(calls("call_1"), DONE).client()
    client.start_turn(client.start_thread())
    client.answer(0)
    assert client.answer(0) == []


@pytest.mark.parametrize(
    ("method", "params", "complaint"),
    [
        ("no/such/method", {}, "unknown variant `no/such/method`, expected one of `initialize`, "),
        ("turn/start", {"threadId": "x"}, "missing field `input`"),
        ("turn/start", {"threadId": "x", "input": {}}, "invalid type: map, expected a sequence"),
        ("turn/start", {"threadId": 5, "input": []}, "invalid type: integer `5`, expected a string"),
        ("turn/start", {"threadId": "x", "input": [{}]}, "missing field `type`"),
        ("thread/read", {"threadId": True}, "invalid type: boolean `true`, expected a string"),
        ("thread/read", {"threadId": None}, "invalid type: null, expected a string"),
        (
            "thread/items/list",
            {"threadId": "x", "cursor": 5},
            "data did not match any variant of untagged enum ThreadItemsListCursor",
        ),
        ("thread/start", {"ephemeral": 1.5}, "invalid type: floating point `1.5`, expected a boolean"),
        ("thread/start", {"historyMode": "x"}, "unknown variant `x`, expected `legacy` or `paginated`"),
    ],
)
def test_params_that_cannot_be_read_are_an_invalid_request(method: str, params: Any, complaint: str) -> None:
    assert Bench().client().refusal(method, params).startswith(f"Invalid request: {complaint}")


@pytest.mark.parametrize(
    ("method", "refusal"),
    [
        ("turn/interrupt", "invalid length 0, expected struct TurnInterruptParams with 2 elements"),
        ("account/login/start", "missing field `type`"),
    ],
)
def test_an_empty_list_stands_for_params_without_members(method: str, refusal: str) -> None:
    client = Bench().client()
    assert client.refusal(method, []) == f"Invalid request: {refusal}"
    assert client.result("account/read", [])["account"] is None


def test_only_logins_with_the_clients_tokens_are_played() -> None:
    client = Bench().client()
    assert "only 'chatgptAuthTokens' is played" in client.refusal("account/login/start", {"type": "apiKey"})
    refused = client.refusal("account/login/start", {"type": "wat"})
    assert refused.startswith("Invalid request: unknown variant `wat`, expected one of `apiKey`, ")


@pytest.mark.parametrize("message", [{}, {"params": None}])
def test_every_method_wants_params(message: dict[str, Any]) -> None:
    (answer,) = Bench().client().send({"id": 5, "method": "thread/loaded/list", **message})
    assert answer["error"]["message"] == "Invalid request: missing field `params`"


def test_a_message_never_has_a_jsonrpc_member_and_only_notifications_have_a_time() -> None:
    client = Bench(calls("call_1"), DONE).client()
    client.start_turn(client.start_thread())
    client.answer(0)
    assert not any("jsonrpc" in each for each in client.heard)
    for each in client.heard:
        assert ("emittedAtMs" in each) == ("method" in each and "id" not in each)


@pytest.mark.parametrize("version", ["0.98", "0.110"])
def test_older_servers_send_no_time(version: str) -> None:
    client = Bench(DONE, profile=version).client()
    client.start_turn(client.start_thread())
    assert client.told("turn/completed")
    assert not any("emittedAtMs" in each for each in client.heard)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_user_agent_tells_the_version(version: str) -> None:
    bench = Bench(profile=version)
    greeting = Client(bench.process()).initialize()
    agent = f"demo_client/{version}.0 (Debian 12.0.0; x86_64) xterm (demo_client; 0.0.1)"
    assert greeting["userAgent"] == agent
    assert ("codexHome" in greeting) == (version == "0.171")


def test_everything_before_initialize_is_refused() -> None:
    client = Client(Bench().process())
    assert client.refusal("thread/start") == "Not initialized"
    assert client.refusal("initialize") == "Invalid request: missing field `clientInfo`"
    assert client.refusal("initialize", {"clientInfo": {"name": "x"}}) == (
        "Invalid request: missing field `version`"
    )
    client.initialize()
    assert client.refusal("initialize", {"clientInfo": INFO}) == "Already initialized"


def test_a_name_that_is_no_header_value_is_refused() -> None:
    client = Client(Bench().process())
    refused = client.refusal("initialize", {"clientInfo": {"name": "bad name\n", "version": "1"}})
    assert refused == "Invalid clientInfo.name: 'bad name\n'. Must be a valid HTTP header value."
    client.initialize()


@pytest.mark.parametrize(
    ("capabilities", "complaint"),
    [
        ({"experimentalApi": 1}, "invalid type: integer `1`, expected a boolean"),
        ({"optOutNotificationMethods": [1]}, "invalid type: integer `1`, expected a string"),
        ({"optOutNotificationMethods": "x"}, 'invalid type: string "x", expected a sequence'),
    ],
)
def test_capabilities_are_read_strictly(capabilities: Any, complaint: str) -> None:
    client = Client(Bench().process())
    refused = client.refusal("initialize", {"clientInfo": INFO, "capabilities": capabilities})
    assert refused == f"Invalid request: {complaint}"


def test_a_client_may_opt_out_of_notifications_but_not_of_requests() -> None:
    unwanted = ["thread/started", "item/started", "item/tool/call", "no/such"]
    client = Bench(calls("call_1"), DONE).client(optOutNotificationMethods=unwanted)
    client.start_turn(client.start_thread())
    client.answer(0)
    assert {"thread/started", "item/started"}.isdisjoint(client.methods())
    assert len(client.asked()) == 1
    assert client.told("item/completed")


@pytest.mark.parametrize(
    ("version", "tools", "refused"),
    [
        *((version, [ECHO], True) for version in VERSIONS),
        *((version, None, False) for version in VERSIONS),
        ("0.171", [], True),
        ("0.110", [], False),
        ("0.98", [], False),
    ],
)
def test_tools_need_the_experimental_capability(version: str, tools: Any, refused: bool) -> None:
    client = Client(Bench(profile=version).process())
    client.initialize()
    answer = client.request("thread/start", {"dynamicTools": tools})
    assert ("error" in answer) == refused
    if refused:
        wanted = "thread/start.dynamicTools requires experimentalApi capability"
        assert answer["error"] == {"code": -32600, "message": wanted}


def test_whatever_goes_over_the_wire_is_recorded_before_it_is_sent() -> None:
    bench = Bench()
    client = bench.client()
    client.send("not json")
    assert [(side, name) for side, _, name in bench.frames.frames] == [
        ("client", "c1"),
        ("server", "c1"),
        ("client", "c1"),
    ]
    assert bench.frames.frames[-1][1] == b"not json"
