"""The refusals of the app-server, word for word as measured on the wire."""

from __future__ import annotations

import re
from typing import Any, Final

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
"""Only for what a thread does not support. An unknown method is an invalid request."""

HYPHENED: Final = re.compile(r"(?:urn:uuid:)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NOT_HEX: Final = re.compile(r"[^0-9a-fA-F-]")


class RefusedError(Exception):
    """A request that the server refuses: the error object's code and message."""

    def __init__(self, message: str, code: int = INVALID_REQUEST) -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    def wire(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message}


def invalid(complaint: str) -> RefusedError:
    """The refusal of params that the server can't read."""
    return RefusedError(f"Invalid request: {complaint}")


def unsupported(what: str) -> RefusedError:
    return RefusedError(f"{what} is not supported yet", METHOD_NOT_FOUND)


def check_uuid(text: str, kind: str) -> str:
    """Give back a thread's id as it is. Raises RefusedError for a text that is no UUID.

    The text for a wrong character is measured, those for a wrong length and a wrong grouping are inferred.
    """
    if HYPHENED.fullmatch(text):
        return text
    bare = text.removeprefix("urn:uuid:")
    wrong = _NOT_HEX.search(bare)
    if wrong:
        place = wrong.start() + 1 + len(text) - len(bare)
        raise RefusedError(
            f"invalid {kind} id: invalid character: expected an optional prefix of `urn:uuid:` "
            f"followed by [0-9a-fA-F-], found `{wrong[0]}` at {place}"
        )
    if "-" not in bare:
        raise RefusedError(
            f"invalid {kind} id: invalid length: expected length 32 for simple format, found {len(bare)}"
        )
    raise RefusedError(f"invalid {kind} id: invalid group count: expected 5, found {bare.count('-') + 1}")
