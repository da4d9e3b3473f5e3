"""The refusals that faults make of requests: what is answered, and which requests can get it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wiretape import strictjson

JSON: Final = "application/json"
HTML: Final = "text/html; charset=utf-8"
_CHALLENGE_PAGE: Final = (
    b"<!DOCTYPE html><html><head><title>Just a moment...</title></head>"
    b"<body>Enable JavaScript and cookies to continue</body></html>"
)
_GATEWAY_PAGE: Final = b"<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>"

ANY: Final = re.compile(r".*")
_CONVERSATION: Final = re.compile(r".*/f/conversation")
_PREPARE: Final = re.compile(r".*/f/conversation/prepare")
_WITH_TOKEN: Final = re.compile(r".*/f/conversation(?:/resume)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer in place of the right one, to a request whose path ``takes`` matches."""

    status: int
    body: bytes
    takes: re.Pattern[str] = ANY
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def _json(status: int, detail: Any, takes: re.Pattern[str] = ANY, **headers: str) -> Refusal:
    body = strictjson.dumps({"detail": detail}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Refusal(status=status, body=body, takes=takes, headers=named)


def _coded(status: int, code: str, message: str, takes: re.Pattern[str] = ANY) -> Refusal:
    return _json(status, {"code": code, "message": message}, takes)


REFUSALS: Final[Mapping[str, Refusal]] = {
    "401": _json(401, "Unauthorized", www_authenticate="Bearer"),
    "403": _json(403, "Unusual activity has been detected from your device. Try again later."),
    "403-html": Refusal(
        status=403, body=_CHALLENGE_PAGE, content_type=HTML, headers={"cf-mitigated": "challenge"}
    ),
    "404": _coded(404, "conversation_not_found", "The conversation was not found."),
    "409": _coded(409, "conflict", "Another request for this conversation is being answered."),
    "413": _coded(413, "body_too_long", "The message is too long."),
    "422": _json(422, [{"loc": ["body"], "msg": "value is not valid", "type": "value_error"}]),
    "429": _json(
        429, {"clears_in": 1, "code": "model_cap_exceeded", "message": "Too many requests."}, retry_after="1"
    ),
    "500": _json(500, "Internal Server Error"),
    "502": Refusal(status=502, body=_GATEWAY_PAGE, content_type=HTML),
    "challenge-used": _coded(403, "challenge_used", "This challenge was used before.", _CONVERSATION),
    "prepare-refused": _coded(403, "prepare_refused", "The request can't be prepared now.", _PREPARE),
    "conduit-changed": _coded(409, "conduit_miss", "The conduit token is another one by now.", _WITH_TOKEN),
    "conversation-deleted": _coded(404, "conversation_deleted", "The conversation was deleted."),
}
