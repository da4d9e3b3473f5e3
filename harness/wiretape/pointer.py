"""Paths of deltas: like JSON Pointer, but the first slash is optional and no sign means the end of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

FAR: Final = 10**9
"""The index that stands for every index of ten digits or more: far beyond any list."""

_INDEX: Final = re.compile(r"0|[1-9][0-9]*")


class Segment(NamedTuple):
    """One step of a path: the key that it names in an object, and the position that it is in a list.

    ``position`` is None for a key that is no index. An index used on an object is that key.
    """

    key: str
    position: int | None


@lru_cache(maxsize=1024)
def parse(path: str) -> tuple[Segment, ...]:
    """Split a path into its segments; ``""`` is the root and has none. Every text is a path."""
    if not path:
        return ()
    return tuple(map(_segment, path.removeprefix("/").split("/")))


def _segment(text: str) -> Segment:
    if _INDEX.fullmatch(text):
        return Segment(text, int(text) if len(text) < 10 else FAR)
    return Segment(text.replace("~1", "/").replace("~0", "~"), None)


def write(keys: Iterable[str | int]) -> str:
    """Write the path that leads along object keys and list indexes, so that ``parse`` gives them back."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)
