"""The paths of Flow A as they stand in a request line, with their query."""

from __future__ import annotations

import re
from typing import Final

CONVERSATION: Final = "/backend-api/f/conversation"

RECORDED: Final = re.compile(
    r"/backend-(?:api|anon)/(?:f/conversation(?:/prepare|/resume)?|conversation/[^/]+(?:/stream_status)?"
    r"|stop_conversation|ios/attestation_challenge|sentinel/[^?]*)(?:\?.*)?",
    re.DOTALL,
)
"""Those that a recording keeps. All others are the same client's, but not of the protocol."""

_CONVERSATION: Final = re.compile(r"/backend-(?:api|anon)/f/conversation(?:\?.*)?", re.DOTALL)


def is_conversation(path: str) -> bool:
    """Whether a path is that of conversation requests, of users who are logged in or not."""
    return _CONVERSATION.fullmatch(path) is not None
