"""Sessions that are compared: a cassette, the same scenario in another session, a cassette with one edit."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import replace

from wiretape import load_cassette
from wiretape.cassette import Cassette, Interaction
from wiretape.drift import Drift, compare
from wiretape.verdict import transcript_of

UUIDS = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIMES = re.compile(rb'("(?:create_time|emittedAtMs|startedAtMs|completedAtMs)": ?)([0-9]+)')

Edit = Callable[[bytes], bytes]


def drifts(old: Cassette, new: Cassette, *, shape: bool = False) -> list[Drift]:
    return compare(transcript_of(old), transcript_of(new), shape=shape)


def edited(cassette: Cassette, edit: Edit, *, number: int | None = None) -> Cassette:
    """The cassette with its texts edited, or only those of one exchange."""

    def one(index: int, each: Interaction) -> Interaction:
        if number not in (None, index):
            return each
        request = replace(
            each.request, path=edit(each.request.path.encode()).decode(), body=edit(each.request.body)
        )
        return replace(
            each, request=request, response=replace(each.response, body=edit(each.response.body), chunks=None)
        )

    return replace(
        cassette,
        interactions=tuple(one(index, each) for index, each in enumerate(cassette.interactions)),
        frames=tuple(replace(each, data=edit(each.data)) for each in cassette.frames),
    )


def again(cassette: Cassette) -> Cassette:
    """The same scenario in another session: other ids, consistently, and other times."""
    names: dict[bytes, bytes] = {}

    def anew(data: bytes) -> bytes:
        data = UUIDS.sub(lambda m: names.setdefault(m[0], str(uuid.uuid4()).encode()), data)
        return TIMES.sub(lambda m: m[1] + str(int(m[2]) + 12345).encode(), data)

    return edited(cassette, anew)


TAPE = load_cassette("alefita_way")
CODEX = load_cassette("codex/dynamic_tool_text")


def told(found: list[Drift]) -> list[tuple[str, str, str, str]]:
    return [(each.kind, each.what, each.message, each.path) for each in found]
