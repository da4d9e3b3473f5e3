"""Projects of users, each with a client to test: what the plugin's tests run pytest in."""

from __future__ import annotations

from pathlib import Path

import pytest

# Imported here so that pytest runs inside this process find them loaded, and leave them so.
import pytest_wiretape.session_server  # noqa: F401

CLIENTS = Path(__file__).parents[1] / "conformance"

CLIENT = '''
import httpx
from reference_client import Hooks, ReferenceClient

WRONG_RECIPIENT = {"returned": lambda message, _: message.update(recipient="alefita_way")}


def ask(play, **hooks):
    """Play the session to its end; hooks break the client."""
    client = ReferenceClient(
        base_url=play.base_url,
        user_message=play.user_message,
        tools=list(play.tools),
        results=dict(play.results),
        hooks=Hooks(**hooks),
    )
    return client.run()


async def ask_natively(play):
    """Ask for an answer without a tool call, on whatever event loop runs."""
    async with httpx.AsyncClient(base_url=play.base_url + "/backend-api/", trust_env=False) as http:
        challenge = (await http.get("ios/attestation_challenge")).json()["attestation_challenge"]
        body = {
            "action": "next",
            "model": "gpt-5-6-thinking",
            "thinking_effort": "standard",
            "timezone": "America/Sao_Paulo",
            "timezone_offset_min": 180,
            "local_function_signatures": list(play.tools),
        }
        sent = {**body, "client_prepare_state": "sent"}
        prepared = await http.post("f/conversation/prepare", json=sent)
        message = {
            "id": "0d5a7d52-8d2c-4a3e-a5f0-0d3ad1a2c001",
            "author": {"role": "user", "name": None, "metadata": {}},
            "create_time": 1767225600.0,
            "update_time": None,
            "content": {"content_type": "text", "parts": [play.user_message]},
            "status": "finished_successfully",
            "end_turn": None,
            "weight": 1,
            "metadata": {},
            "recipient": "all",
            "channel": None,
        }
        body |= {
            "messages": [message],
            "supported_encodings": ["v1"],
            "client_prepare_state": "success",
            "app_attest_challenge": challenge,
        }
        token = prepared.json()["conduit_token"]
        answer = await http.post("f/conversation", json=body, headers={"x-conduit-token": token})
        return answer.text
'''


INI = """[pytest]
wiretape_pace = instant
asyncio_default_fixture_loop_scope = function
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A user's project with ``client.ask(play)``; wiretape is installed and cassettes play at once."""
    for variable in (
        "WIRETAPE_PACE",
        "WIRETAPE_CHUNKS",
        "WIRETAPE_IDS",
        "WIRETAPE_STRICT",
        "WIRETAPE_PROFILE",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(CLIENTS))
    monkeypatch.syspath_prepend(CLIENTS)
    pytester.makepyfile(client=CLIENT)
    pytester.makeini(INI)
    return pytester


@pytest.fixture
def failing(project: pytest.Pytester) -> pytest.Pytester:
    """A project whose client addresses its return to the tool."""
    project.makepyfile(
        test_it="""
        from client import WRONG_RECIPIENT, ask

        def test_my_client(wiretape):
            play = wiretape.play("alefita_way")
            ask(play, **WRONG_RECIPIENT)
            play.verify()
        """
    )
    return project


def run(project: pytest.Pytester, code: str, *arguments: str) -> pytest.RunResult:
    """Run a test module in this process."""
    project.makepyfile(test_it="from client import WRONG_RECIPIENT, ask\nimport pytest\n\n" + code)
    return project.runpytest_inprocess("-p", "no:cacheprovider", *arguments)
