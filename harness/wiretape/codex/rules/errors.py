"""Rules about answers that say that something went wrong."""

from __future__ import annotations

from typing import Final

from wiretape.codex.rules.source import SEED, rule
from wiretape.codex.view import Reply
from wiretape.contract import Answer, Fault, Rule, Skip, Unseen
from wiretape.jsonrpc import is_error_code
from wiretape.strictjson import ABSENT

_EXAMPLE: Final = "Example: client JSON-RPC error is now propagated"
_NO_ERROR: Final = Unseen("no error was sent")


def _result_xor_error(reply: Reply) -> Answer:
    has = sorted(reply.value.keys() & {"result", "error"})
    return None if len(has) == 1 else Fault("", "a result or an error", " and ".join(has) or "neither")


def _code(reply: Reply) -> Answer:
    error = reply.error
    if error is ABSENT:
        return _NO_ERROR
    if not isinstance(error, dict):
        return Fault("error", "an object with code and message", error)
    code = error.get("code", ABSENT)
    return None if is_error_code(code) else Fault("error.code", "an integer", code)


def _message(reply: Reply) -> Answer:
    error = reply.error
    if error is ABSENT:
        return _NO_ERROR
    if not isinstance(error, dict):
        return Skip("codex.error.code-integer")
    message = error.get("message", ABSENT)
    return None if isinstance(message, str) else Fault("error.message", "a string", message)


ERROR_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "response.result-xor-error",
        "An answer has a result or an error",
        _result_xor_error,
        scope="replies",
        section="Wire",
        quote="An answer has a result or an error: of both the result counts, with neither it can't be read.",
        good='{"result": {"contentItems": [], "success": true}}',
        bad=('{"result": {"contentItems": [], "success": true}, "error": {"code": 1, "message": "m"}}', "{}"),
    ),
    rule(
        "error.code-integer",
        "An error has an integer code",
        _code,
        scope="replies",
        document=SEED,
        section=_EXAMPLE,
        quote='"code": -32000,',
        good='{"error": {"code": -32000, "message": "refresh failed"}}',
        bad=(
            '{"error": {"message": "refresh failed"}}',
            '{"error": {"code": "-32000", "message": "refresh failed"}}',
            '{"error": {"code": 1.5, "message": "refresh failed"}}',
            '{"error": "refresh failed"}',
        ),
        hint="without it the answer can't be read, and the request stays open or times out",
    ),
    rule(
        "error.message-string",
        "An error has a text as its message",
        _message,
        scope="replies",
        document=SEED,
        section=_EXAMPLE,
        quote='"message": "refresh failed",',
        good='{"error": {"code": -32000, "message": "refresh failed"}}',
        bad=('{"error": {"code": -32000}}', '{"error": {"code": -32000, "message": null}}'),
        hint="without it the answer can't be read, and the request stays open or times out",
    ),
)
