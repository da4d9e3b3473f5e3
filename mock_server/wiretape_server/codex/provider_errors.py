"""How a turn fails when the model's provider does."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from wiretape import strictjson
from wiretape.cassette.model import ModelError
from wiretape_server.codex.profile import Profile


@dataclass(frozen=True, slots=True)
class TurnError:
    """Why a turn failed: what stands in the notification ``error`` and in turn/completed."""

    message: str
    info: Any = "other"

    def wire(self) -> dict[str, Any]:
        return {
            "message": self.message,
            "codexErrorInfo": self.info,
            "additionalDetails": None,
            "misalignment": None,
        }


def http_error(profile: Profile, url: str, error: ModelError) -> TurnError:
    """The failure for an HTTP status."""
    if error.status == 400:
        return TurnError(error.body)
    if error.status == 500:
        return TurnError(profile.busy, "internalServerError")
    status = f"{error.status} {_phrase(error.status)}"
    code = {"httpStatusCode": error.status}
    if error.status == 429:
        message = f"exceeded retry limit, last status: {status}"
        return TurnError(message, {"responseTooManyFailedAttempts": code})
    message = f"unexpected status {status}: {_said(error.body)}, url: {url}"
    return TurnError(message, {"httpConnectionFailed": code} if profile.http_error_info else "other")


def _phrase(status: int) -> str:
    if status == HTTPStatus.IM_A_TEAPOT:
        return "I'm a teapot"
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _said(body: str) -> str:
    """The message in an error body, else the body."""
    if not body:
        return "Unknown error"
    try:
        value = strictjson.loads(body)
    except strictjson.StrictJSONError:
        return body
    error = value.get("error") if isinstance(value, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return message if isinstance(message, str) else body
