"""A login with the client's tokens, and new ones when the provider no longer takes them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.server.codex_client import DONE, Bench, Client, error

EXPIRED = error(401, '{"error": {"message": "token expired"}}')
STILL = "unexpected status 401 Unauthorized: token expired, url: http://127.0.0.1/v1/responses"


def token(account: str = "org-abc", serial: int = 0) -> str:
    """An unsigned JWT with the claims that are looked at."""
    auth = {"chatgpt_plan_type": "pro", "chatgpt_account_id": account}
    claims = {
        "email": "user@example.com",
        "jti": str(serial),
        "https://api.openai.com/auth": auth,
    }
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2ln"])


def tokens(account: str = "org-abc", serial: int = 0) -> dict[str, Any]:
    given = token(account, serial)
    return {"accessToken": given, "chatgptAccountId": account, "idToken": given}


def refreshing(profile: str = "0.171", *steps: Any) -> tuple[Bench, Client]:
    """A logged in client that is asked for a new token."""
    bench = Bench(*(steps or (EXPIRED, DONE)), profile=profile)
    client = bench.client()
    assert client.result("account/login/start", {"type": "chatgptAuthTokens", **tokens()}) == {
        "type": "chatgptAuthTokens"
    }
    client.start_turn(client.start_thread())
    return bench, client


def why(client: Client) -> tuple[str, Any]:
    """How the turn failed."""
    assert client.ended()["status"] == "failed"
    failure = client.ended()["error"]
    assert client.told("error")[-1]["error"] == failure
    return failure["message"], failure["codexErrorInfo"]


@pytest.mark.parametrize("profile", ["0.98", "0.110", "0.171"])
def test_a_new_token_lets_the_request_be_made_again(profile: str) -> None:
    bench, client = refreshing(profile)
    (asked,) = client.asked("account/chatgptAuthTokens/refresh")
    assert asked["id"] == 0
    assert asked["params"] == {"reason": "unauthorized", "previousAccountId": "org-abc"}
    client.answer(0, tokens(serial=2))
    assert client.ended()["status"] == "completed"
    assert [request.bearer for request in bench.model.requests] == [token(), token(serial=2)]
    assert bench.timers.waiting == []


@pytest.mark.parametrize(
    ("profile", "text"),
    [
        ("0.98", "auth refresh request canceled: channel closed"),
        ("0.110", "auth refresh request failed: code=-32000 message=refresh failed"),
        ("0.171", "auth refresh request failed: code=-32000"),
    ],
)
def test_a_client_that_cannot_refresh_is_quoted_as_its_version_does(profile: str, text: str) -> None:
    bench, client = refreshing(profile)
    client.send({"id": 0, "error": {"code": -32000, "message": "refresh failed", "data": None}})
    assert why(client) == (text, "other")
    assert bench.timers.waiting == []


@pytest.mark.parametrize(
    ("result", "old_text", "text"),
    [
        (
            {**tokens(), "accessToken": "no-jwt"},
            "invalid ID token format",
            "auth refresh returned invalid credentials",
        ),
        (
            {**tokens(), "accessToken": "a.b!.c"},
            "invalid ID token format",
            "auth refresh returned invalid credentials",
        ),
        (
            {**tokens(), "accessToken": "a.NQ.c"},
            "invalid ID token format",
            "auth refresh returned invalid credentials",
        ),
        (
            {**tokens(), "accessToken": 5},
            "invalid type: integer `5`, expected a string",
            "invalid auth refresh response",
        ),
        ({}, "missing field `accessToken`", "invalid auth refresh response"),
    ],
)
def test_a_wrong_token_fails_the_turn(result: Any, old_text: str, text: str) -> None:
    for profile, wanted in (("0.110", old_text), ("0.171", text)):
        _, client = refreshing(profile)
        client.answer(0, result)
        assert why(client) == (wanted, "other")


def test_the_token_of_another_account_is_refused_by_0_171_only() -> None:
    _, client = refreshing()
    client.answer(0, tokens("org-other"))
    assert why(client) == ("Fatal error: application network policy is unavailable", "other")
    _, client = refreshing("0.110")
    client.answer(0, tokens("org-other"))
    assert client.ended()["status"] == "completed"


@pytest.mark.parametrize("message", [None, {"id": 0, "error": {"message": "refresh failed"}}])
@pytest.mark.parametrize("profile", ["0.98", "0.110", "0.171"])
def test_no_readable_answer_in_ten_seconds_fails_the_turn(profile: str, message: Any) -> None:
    bench, client = refreshing(profile)
    if message:
        client.send(message)
    assert [timer.delay for timer in bench.timers.waiting] == [10.0]
    bench.timers.ring()
    assert why(client) == ("auth refresh request timed out after 10s", "other")
    assert client.answer(0, tokens()) == []


@pytest.mark.parametrize(
    ("profile", "info"), [("0.110", "other"), ("0.171", {"httpConnectionFailed": {"httpStatusCode": 401}})]
)
def test_a_client_is_asked_once_only(profile: str, info: Any) -> None:
    _, client = refreshing(profile, EXPIRED, EXPIRED)
    client.answer(0, tokens())
    assert why(client) == (STILL, info)
    assert len(client.asked("account/chatgptAuthTokens/refresh")) == 1


def test_without_a_login_nobody_is_asked() -> None:
    client = Bench(EXPIRED).client()
    client.start_turn(client.start_thread())
    assert client.asked("account/chatgptAuthTokens/refresh") == []
    assert why(client)[0] == STILL


def test_every_connection_is_asked_and_a_lost_one_does_not_end_the_wait() -> None:
    bench = Bench(EXPIRED, DONE)
    server = bench.process()
    first, second = bench.client(server), bench.client(server, name="c2")
    first.result("account/login/start", {"type": "chatgptAuthTokens", **tokens()})
    first.start_turn(first.start_thread())
    assert len(second.asked("account/chatgptAuthTokens/refresh")) == 1
    first.connection.close()
    assert second.told("thread/status/changed")[-1]["status"]["type"] == "active"
    bench.timers.ring()
    assert second.told("thread/status/changed")[-1]["status"]["type"] == "systemError"


def test_an_interrupt_ends_the_wait() -> None:
    bench, client = refreshing()
    thread = client.result("thread/loaded/list")["data"][0]
    turn = client.told("turn/started")[-1]["turn"]["id"]
    client.result("turn/interrupt", {"threadId": thread, "turnId": turn})
    assert client.ended()["status"] == "interrupted"
    assert bench.timers.waiting == []
    assert client.answer(0, tokens()) == []


def test_a_login_is_announced() -> None:
    _, client = refreshing()
    assert client.told("account/login/completed") == [
        {"loginId": None, "success": True, "error": None, "onboardingEntrypoint": None}
    ]
    assert client.told("account/updated") == [{"authMode": "chatgptAuthTokens", "planType": "pro"}]
    assert client.result("account/read")["account"]["email"] == "user@example.com"


def test_nobody_is_logged_in_at_first() -> None:
    client = Bench().client()
    shown = client.result("account/read")
    assert (shown["account"], shown["requiresOpenaiAuth"]) == (None, False)
    assert [model["id"] for model in client.result("model/list")["data"]] == ["mock-model"]


@pytest.mark.parametrize(
    ("profile", "missing"),
    [("0.98", "idToken"), ("0.110", "chatgptAccountId"), ("0.171", "chatgptAccountId")],
)
def test_a_login_wants_the_members_of_its_version(profile: str, missing: str) -> None:
    client = Bench(profile=profile).client()
    given = {"type": "chatgptAuthTokens", **tokens()}
    del given[missing]
    assert client.refusal("account/login/start", given) == f"Invalid request: missing field `{missing}`"
