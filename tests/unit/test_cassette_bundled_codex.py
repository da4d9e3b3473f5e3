"""The bundled codex cassettes hold what they say: a session of the real server that conforms."""

from __future__ import annotations

import re
from typing import Any

import pytest

from wiretape import strictjson, verify
from wiretape.cassette import Cassette, ModelCall, ModelText, bundled, bundled_directory, load_cassette
from wiretape.codex.rules import RULES

CALLS: dict[str, list[tuple[str, str | None, str]]] = {
    "auth_refresh": [],
    "dynamic_tool_image": [("call_1", None, "hi")],
    "dynamic_tool_text": [("call_1", None, "hi")],
    "history_resume": [("call_1", None, "hi"), ("call_2", None, "second")],
    "interrupt_during_call": [("call_1", None, "hi")],
    "namespaced_tool": [("call_1", "demo", "hi")],
    "parallel_calls": [("call_a", None, "a"), ("call_b", None, "b"), ("call_c", None, "c")],
    "plain_turn": [],
    "success_false": [("call_1", None, "hi")],
    "two_texts": [("call_1", None, "hi")],
}
NAMES = bundled("codex")
CASSETTES = {name: load_cassette(f"codex/{name}") for name in NAMES}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def cassette(name: str) -> Cassette:
    return CASSETTES[name]


def messages(cassette: Cassette, direction: str) -> list[dict[str, Any]]:
    sent = [strictjson.loads(frame.data) for frame in cassette.frames if frame.direction == direction]
    assert all(isinstance(message, dict) for message in sent)
    return sent


def params(cassette: Cassette, direction: str, method: str) -> list[dict[str, Any]]:
    """The params of every request or notification of a method."""
    return [each["params"] for each in messages(cassette, direction) if each.get("method") == method]


def model_calls(cassette: Cassette) -> list[tuple[str, str | None, str]]:
    items = [item for step in cassette.model for item in step.items if isinstance(item, ModelCall)]
    assert all(item.tool == "demo_echo" for item in items)
    return [(item.id, item.namespace, strictjson.loads(item.arguments)["text"]) for item in items]


def test_the_bundled_cassettes_are_the_ones_described() -> None:
    assert sorted(CALLS) == NAMES


def test_the_model_makes_the_calls_that_are_described(name: str, cassette: Cassette) -> None:
    assert model_calls(cassette) == CALLS[name]


def test_every_call_of_the_model_reached_the_client(cassette: Cassette) -> None:
    asked = params(cassette, "server", "item/tool/call")
    reached = [(each["callId"], each["namespace"], each["arguments"]["text"]) for each in asked]
    assert reached == model_calls(cassette)


def test_every_text_of_the_model_reached_the_client(cassette: Cassette) -> None:
    said = [item for step in cassette.model for item in step.items if isinstance(item, ModelText)]
    items = [each["item"] for each in params(cassette, "server", "item/completed")]
    answers = [(item["id"], item["text"]) for item in items if item["type"] == "agentMessage"]
    assert answers == [(item.id, item.text) for item in said]
    deltas = [each["delta"] for each in params(cassette, "server", "item/agentMessage/delta")]
    assert deltas == [piece for item in said for piece in item.deltas]


def test_the_client_did_what_its_steps_say(cassette: Cassette) -> None:
    turns = [step for step in cassette.client if step.do in ("turn", "interrupt")]
    asked = params(cassette, "client", "turn/start")
    texts = [item["text"] for each in asked for item in each["input"]]
    assert texts == ([step.value for step in turns] or [cassette.expect.user_message])
    assert texts[0] == cassette.expect.user_message
    outcomes = [each["turn"]["status"] for each in params(cassette, "server", "turn/completed")]
    ends = {"turn": "completed", "interrupt": "interrupted"}
    assert outcomes == ([ends[step.do] for step in turns] or ["completed"])


def test_the_client_declared_the_expected_tools_once(cassette: Cassette) -> None:
    declared = [each["dynamicTools"] for each in params(cassette, "client", "thread/start")]
    assert declared == [list(cassette.expect.tools)]


def test_a_second_process_has_a_connection_of_its_own(name: str, cassette: Cassette) -> None:
    connections = [frame.connection for frame in cassette.frames]
    assert connections == sorted(connections)
    assert set(connections) == ({"", "c2"} if name == "history_resume" else {""})


def test_parallel_calls_are_answered_last_first() -> None:
    sent = messages(CASSETTES["parallel_calls"], "client")
    assert [each["id"] for each in sent if "result" in each] == [2, 1, 0]


def test_the_recorded_client_conforms_and_exercises_the_rules_that_are_named(cassette: Cassette) -> None:
    report = verify(cassette)
    assert report.ok
    assert not report.warnings
    passed = {finding.rule for finding in report.findings if finding.outcome == "pass"}
    assert set(cassette.expect.rules) <= passed
    assert len(set(cassette.expect.rules)) == len(cassette.expect.rules) > 0


def test_the_rules_that_no_cassette_names_are_about_errors_faults_and_real_app_servers() -> None:
    named = {rule for cassette in CASSETTES.values() for rule in cassette.expect.rules}
    unnamed = {rule.id for rule in RULES if not rule.id.startswith("codex.fault.")} - named
    assert unnamed == {
        "codex.error.code-integer",
        "codex.error.message-string",
        "codex.response.reaches-model",
    }


def test_the_profile_is_the_version_that_the_server_named(cassette: Cassette) -> None:
    agents = [
        each["result"]["userAgent"] for each in messages(cassette, "server") if "userAgent" in str(each)
    ]
    assert agents
    assert all(f"/{cassette.profile}.0 (" in agent for agent in agents)


def test_nothing_in_a_file_has_the_shape_of_a_secret_or_of_a_real_machine(name: str) -> None:
    data = (bundled_directory() / "codex" / f"{name}.yaml").read_text("utf-8")
    assert not re.search(r"eyJ|[Bb]earer |sk-[A-Za-z0-9]{8}|/Users/|/tmp/|/root/", data)
    assert set(re.findall(r"/home/\w+/[.\w]+", data)) <= {"/home/user/.codex", "/home/user/project"}
    assert set(re.findall(r'"serverName":"([^"]*)"', data)) == {"host"}
    assert set(re.findall(r'"installationId":"([^"]*)"', data)) == {"00000000-0000-4000-8000-000000000000"}
    assert set(re.findall(r'"accessToken": "([^"]*)"', data)) <= {"<REDACTED>.<REDACTED>.<REDACTED>"}


def test_the_provenance_is_honest(cassette: Cassette) -> None:
    origin = cassette.provenance
    assert (origin.kind, bool(origin.captured_at)) == ("recorded", True)
    assert origin.tool is not None
    assert "0.171.0" in origin.tool
    assert any("model was a script" in gap for gap in origin.gaps)
    assert any("placeholders" in gap for gap in origin.gaps)
