"""Streams of deltas with the values they must give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.delta import DeltaDecoder
from wiretape.strictjson import equal
from wiretape.testing.changes import CHANGES, Draw, Keys, Operation, operations, places
from wiretape.testing.values import json_values

Roots: TypeAlias = Callable[[int], SearchStrategy[Any]]
"""The n-th root of a stream, from 0: its number can become an id."""

_GOES_ON: Final = st.integers(0, 7)
"""Asked behind each delta, the last one too; 0 ends the stream. So any delta can be taken out of it."""
_BEGINNING: Final = {"c": 0, "p": "", "o": "add"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaStream:
    """Wire deltas in order, and the whole value of each delta channel behind the last one."""

    deltas: tuple[dict[str, Any], ...]
    values: Mapping[int | float, Any]


@st.composite
def wire_deltas(draw: Draw, full: Sequence[Operation]) -> tuple[dict[str, Any], ...]:
    """Ways to write these operations, each with its channel ``c``, as deltas.

    What the delta before had too may be left out (PROTOCOL of Flow A, 2.3), and a path's first slash as well.
    """
    previous: dict[str, Any] = _BEGINNING
    written = []
    for each in full:
        left_out = [key for key in "cpo" if equal(each[key], previous[key]) and draw(st.booleans())]
        delta = {key: member for key, member in each.items() if key not in left_out}
        if "p" in delta and _may_lose_its_slash(delta["p"]) and draw(st.booleans()):
            delta["p"] = delta["p"][1:]
        written.append(delta)
        previous = each
    return tuple(written)


def _may_lose_its_slash(path: str) -> bool:
    return len(path) > 1 and path[1] != "/"


@st.composite
def delta_streams(
    draw: Draw,
    *,
    roots: Roots = lambda _: json_values(),
    changes: Sequence[str] = tuple(CHANGES),
    within: Sequence[Keys] = ((),),
    max_channels: int = 3,
    max_size: int = 8,
    replaced_roots: bool = True,
    short: bool = True,
) -> DeltaStream:
    """Deltas of all operations and inheritance forms, with what they give; valid by construction.

    ``changes`` names those of ``CHANGES`` to draw from, ``within`` the places at or below which they may act;
    roots take the place of others in used channels where ``replaced_roots``; nothing is left out of a delta
    without ``short``. The values are the reference decoder's.
    """
    decoder = DeltaDecoder()
    full: list[Operation] = []
    opened = number = 0
    more = 1
    while more and len(full) < max_size:
        channel = draw(st.integers(0, min(opened, max_channels - 1)))
        value = decoder.peek(channel, "")
        replaced = replaced_roots and draw(st.integers(0, 7)) == 7
        if channel == opened or replaced or not _fits(value, changes, within):
            change = {"p": "", "o": "add", "v": draw(roots(number))}
            number += 1
            opened = max(opened, channel + 1)
        else:
            change = draw(operations(value, changes, within))
        full.append({"c": channel} | change)
        decoder.push(full[-1])
        more = draw(_GOES_ON)
    deltas = draw(wire_deltas(full)) if short else tuple(full)
    return DeltaStream(deltas=deltas, values=decoder.values)


def _fits(value: Any, changes: Sequence[str], within: Sequence[Keys]) -> bool:
    types = tuple(each for name in changes for each in CHANGES[name].fits)
    return any(
        isinstance(place.value, types) and any(place.keys[: len(keys)] == keys for keys in within)
        for place in places(value)
    )
