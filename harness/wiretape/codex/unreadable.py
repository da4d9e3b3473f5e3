"""Which rule says what is wrong with a message that can't be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wiretape.codex.messages import fields
from wiretape.jsonrpc import Unreadable, Unusable, is_error_code

VALID_JSON: Final = "codex.frame.valid-json"
ONE_MESSAGE: Final = "codex.frame.one-message"
_RULES: Final[Mapping[Unusable, str]] = {
    "binary": VALID_JSON,
    "json": VALID_JSON,
    "several": ONE_MESSAGE,
    "batch": ONE_MESSAGE,
    "shape": ONE_MESSAGE,
    "method": ONE_MESSAGE,
    "id": "codex.call.id-exact",
    "neither": "codex.response.result-xor-error",
}


def rule_about(message: Unreadable) -> str:
    """The id of the rule that a message breaks by being unreadable."""
    if message.kind != "error":
        return _RULES[message.kind]
    coded = is_error_code(fields(fields(message.value).get("error")).get("code"))
    return "codex.error.message-string" if coded else "codex.error.code-integer"
