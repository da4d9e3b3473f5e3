"""What differs between versions of the app-server, as far as a client is judged by it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

Version: TypeAlias = tuple[int, int]

_VERSION: Final = re.compile(r"(?:^|/)(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One version's demands on a client."""

    since: Version
    canonical_tools: bool
    """Tools have a ``type``, may stand in namespaces, and their names follow the Responses API."""
    empty_tools_are_experimental: bool
    """``dynamicTools: []`` needs the capability too."""
    extended_history: bool
    """``persistExtendedHistory`` means something."""
    remote_images: bool
    """Image URLs are passed on unseen."""
    audio: bool
    account_in_refresh: bool
    """A login and new tokens come with ``chatgptAccountId``; before, with ``idToken``."""


DIALECTS: Final = (
    Dialect(
        since=(0, 98),
        canonical_tools=False,
        empty_tools_are_experimental=False,
        extended_history=False,
        remote_images=True,
        audio=False,
        account_in_refresh=False,
    ),
    Dialect(
        since=(0, 110),
        canonical_tools=False,
        empty_tools_are_experimental=False,
        extended_history=True,
        remote_images=True,
        audio=False,
        account_in_refresh=True,
    ),
    Dialect(
        since=(0, 163),
        canonical_tools=True,
        empty_tools_are_experimental=True,
        extended_history=False,
        remote_images=False,
        audio=True,
        account_in_refresh=True,
    ),
)
CURRENT: Final = DIALECTS[-1]


def version_of(text: object) -> Version | None:
    """Read the version in a profile's name (``0.110``) or a user agent (``name/0.110.0 (…``)."""
    found = _VERSION.search(text) if isinstance(text, str) else None
    return (int(found[1]), int(found[2])) if found else None


def dialect_of(version: Version | None) -> Dialect:
    """The dialect of a version: that of the newest known one that is not newer. Unknown: the current one."""
    if version is None:
        return CURRENT
    return next((each for each in reversed(DIALECTS) if each.since <= version), DIALECTS[0])
