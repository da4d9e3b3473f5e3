"""The profiles that can be demanded: a version of a protocol's behaviour, or one of its forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PROFILES: Final[Mapping[str, tuple[str, ...]]] = {
    "flow_a": ("seed-capture", "app"),
    "codex": ("0.98", "0.110", "0.171"),
}
