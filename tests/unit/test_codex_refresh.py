"""The server's request for new tokens."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.codex_wire import Wire, started


def refreshing(version: str = "0.171.0") -> Wire:
    wire = started(version=version)
    wire.ask_for_tokens()
    return wire


TOKENS: dict[str, Any] = {"accessToken": "a.b.c", "chatgptAccountId": "org-abc", "chatgptPlanType": "pro"}


def test_new_tokens_are_taken() -> None:
    wire = refreshing()
    wire.answer(TOKENS)
    assert wire.failed() == {}
    assert wire.outcome("auth-refresh.result-shape").outcome == "pass"


def test_a_client_that_can_not_refresh_says_so() -> None:
    wire = refreshing()
    wire.fail({"code": -32000, "message": "refresh failed", "data": None})
    assert wire.failed() == {}
    assert wire.outcome("auth-refresh.result-shape").outcome == "not_observed"


def test_a_request_for_tokens_without_an_answer_is_named() -> None:
    assert set(refreshing().failed()) == {"auth-refresh.answered"}


def test_a_client_that_leaves_without_giving_tokens_is_blamed_for_that_alone() -> None:
    wire = refreshing()
    wire.closed()
    assert set(wire.failed()) == {"auth-refresh.answered"}
    assert wire.outcome("behavior.keeps-reading").because == "codex.auth-refresh.answered"


def test_tokens_that_come_after_ten_seconds_are_late() -> None:
    wire = refreshing()
    wire.notify("error", error={"message": "auth refresh request timed out after 10s"}, willRetry=False)
    wire.answer(TOKENS)
    assert set(wire.failed()) == {"auth-refresh.answered"}


def test_a_time_out_after_the_answer_is_another_ones() -> None:
    wire = refreshing()
    wire.answer(TOKENS)
    wire.notify("error", error={"message": "auth refresh request timed out after 10s"})
    assert wire.failed() == {}


def test_an_error_without_a_code_is_no_answer_to_a_request_for_tokens() -> None:
    wire = refreshing()
    wire.fail({"message": "refresh failed"})
    assert set(wire.failed()) == {"error.code-integer"}
    assert wire.outcome("auth-refresh.answered").because == "codex.error.code-integer"


@pytest.mark.parametrize(
    ("result", "path"),
    [
        (None, "result"),
        ({}, "result.accessToken"),
        (TOKENS | {"accessToken": 5}, "result.accessToken"),
        (TOKENS | {"accessToken": "no-jwt"}, "result.accessToken"),
        (TOKENS | {"chatgptAccountId": None}, "result.chatgptAccountId"),
        (TOKENS | {"chatgptPlanType": 5}, "result.chatgptPlanType"),
    ],
)
def test_what_is_wrong_with_new_tokens_is_named(result: object, path: str) -> None:
    wire = refreshing()
    wire.answer(result)
    assert wire.failed()["auth-refresh.result-shape"].path == path


def test_a_token_is_never_shown() -> None:
    wire = refreshing()
    wire.answer(TOKENS | {"accessToken": "secret"})
    assert "secret" not in str(wire.failed()["auth-refresh.result-shape"])


def test_an_old_server_takes_an_id_token_for_the_account() -> None:
    wire = refreshing("0.98.0")
    wire.answer({"accessToken": "a.b.c", "idToken": "a.b.c"})
    assert wire.failed() == {}
    wire = refreshing("0.98.0")
    wire.answer(TOKENS)
    assert wire.failed()["auth-refresh.result-shape"].path == "result.idToken"
