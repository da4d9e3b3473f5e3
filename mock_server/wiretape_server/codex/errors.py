"""The refusals of the app-server, word for word as measured on the wire."""

from __future__ import annotations

import re
from typing import Any, Final
from uuid import UUID

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
"""Only for what a thread does not support. An unknown method is an invalid request."""

INTERNAL_ERROR: Final = -32603

_NOT_HEX: Final = re.compile(r"[^0-9a-fA-F-]")
_GROUPS: Final = (8, 4, 4, 4, 12)


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


def read_uuid(text: str, kind: str) -> str:
    """Read a thread's id, with or without hyphens. Raises RefusedError for a text that is no UUID."""
    bare = text.removeprefix("urn:uuid:").removeprefix("{").removesuffix("}")
    complaint = _uuid_complaint(bare, text.find(bare))
    if complaint:
        raise RefusedError(f"invalid {kind} id: {complaint}")
    return str(UUID(bare))


def _uuid_complaint(bare: str, offset: int) -> str:
    wrong = _NOT_HEX.search(bare)
    if wrong:
        return (
            "invalid character: expected an optional prefix of `urn:uuid:` "
            f"followed by [0-9a-fA-F-], found `{wrong[0]}` at {wrong.start() + 1 + offset}"
        )
    lengths = [len(group) for group in bare.split("-")]
    if len(lengths) == 1:
        found = lengths[0]
        return "" if found == 32 else f"invalid length: expected length 32 for simple format, found {found}"
    if len(lengths) != len(_GROUPS):
        return f"invalid group count: expected 5, found {len(lengths)}"
    pairs = enumerate(zip(_GROUPS, lengths, strict=True))
    return next(
        (
            f"invalid group length in group {place}: expected {want}, found {got}"
            for place, (want, got) in pairs
            if want != got
        ),
        "",
    )
