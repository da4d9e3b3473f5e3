"""The engine says what the real app-server said: every handed transcript, message by message."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.server.codex_normal import Normal, shown
from tests.server.codex_replay import Heard, Replay, names
from wiretape_server.codex.profiles import PROFILES

_REQUEST_MEMBERS = [
    "model",
    "stream",
    "input",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "store",
    "prompt_cache_key",
]
"""Of a request to the model's provider; the others are constants of the real server."""


def messages(replay: Replay, heard: Heard) -> list[str]:
    normal = Normal()
    return [shown(normal.of(message)) for message in replay.compared(heard)]


@pytest.mark.parametrize("name", names())
def test_the_engine_says_what_the_real_server_said(name: str) -> None:
    replay = Replay(name).run()
    assert replay.played.keys() == replay.recorded.keys()
    for connection, recorded in replay.recorded.items():
        assert messages(replay, replay.played[connection]) == messages(replay, recorded)


@pytest.mark.parametrize("name", names())
def test_the_model_is_asked_what_the_real_server_asked(name: str) -> None:
    replay = Replay(name).run()
    theirs, ours = Normal(), Normal()
    recorded = [line["msg"] for line in replay.lines if line["dir"] == "codex->provider"]
    want = [theirs.of(own_part(each)) for each in recorded if each["path"] == "/v1/responses"]
    asked = replay.model.requests[len(replay.model.requests) - len(want) :]
    got = [ours.of(without_prompts({"bearer": each.bearer or "dummy", **each.body})) for each in asked]
    assert [shown(each) for each in got] == [shown(each) for each in want]


def own_part(message: dict[str, Any]) -> dict[str, Any]:
    """A recorded request without the prompts and tools that are the real server's own."""
    body = {name: message["body"][name] for name in _REQUEST_MEMBERS}
    body["tools"] = [tool for tool in body["tools"] if not isinstance(tool, str)]
    bearer = message["headers"].get("Authorization", "Bearer dummy").removeprefix("Bearer ")
    return without_prompts({"bearer": bearer, **body})


def without_prompts(body: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the server says to the model on its own: it is not in the transcripts."""
    return {**body, "input": [item for item in body["input"] if not is_prompt(item)]}


def is_prompt(item: dict[str, Any]) -> bool:
    texts = [part.get("text", "") for part in item.get("content", ())]
    return item.get("role") == "developer" or any(text.startswith("<") for text in texts)


@pytest.mark.parametrize("name", names())
def test_stderr_says_what_the_real_server_wrote(name: str) -> None:
    replay = Replay(name).run()
    for connection, recorded in replay.recorded.items():
        got = replay.played[connection].stderr
        assert [plain(line) for line in got] == [plain(line) for line in recorded.stderr]


def plain(line: str) -> str:
    """Leave out what is worded otherwise here: why a message is no JSON-RPC, and a client's error data."""
    line = re.sub(r"(deserialize JSONRPCMessage: ).*", r"\1<reason>", line)
    return re.sub(r"data: Some\(.*\), ", "", line)


def test_a_server_of_another_version_says_something_else() -> None:
    replay = Replay("0.171.0-stdio-success_text")
    replay.profile = PROFILES["0.110"]
    replay.run()
    recorded, played = replay.recorded["c1"], replay.played["c1"]
    assert messages(replay, played) != messages(replay, recorded)


def test_one_member_more_is_seen() -> None:
    replay = Replay("0.171.0-stdio-success_text").run()
    recorded = replay.recorded["c1"]
    before = messages(replay, recorded)
    recorded.messages[-1]["result"]["thread"]["surplus"] = None
    assert messages(replay, recorded) != before
