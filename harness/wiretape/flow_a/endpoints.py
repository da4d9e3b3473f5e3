"""The paths of the protocol, as they stand in a request line."""

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
