"""Which recorded message of an app-server a replayed one stands for, as far as that can be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from wiretape.cassette.model import RecordedFrame
from wiretape.jsonrpc import Answer, Call, Failure, Notice, read
from wiretape.transcript import Frame


class Recorded(NamedTuple):
    """A message of the server's in a recording: its kind, and when it came, in milliseconds."""

    kind: str
    at: float


def recorded_messages(frames: Iterable[RecordedFrame]) -> list[list[Recorded]]:
    """What the server said on each connection, in the order in which the connections began."""
    now, connections = 0.0, dict[str, list[tuple[RecordedFrame, float]]]()
    for frame in frames:
        now += frame.delay
        connections.setdefault(frame.connection, []).append((frame, now))
    return [
        [*map(Recorded, kinds(frame for frame, _ in both), (at for f, at in both if f.direction == "server"))]
        for both in connections.values()
    ]


def kinds(frames: Iterable[Frame | RecordedFrame]) -> Iterator[str]:
    """What sort of message each one of the server's is: its method, or what it answers."""
    asked: dict[str, str] = {}
    for frame in frames:
        message = read(frame.data)
        if frame.direction == "client":
            if isinstance(message, Call):
                asked[repr(message.id)] = message.method
        elif isinstance(message, (Call, Notice)):
            yield message.method
        elif isinstance(message, (Answer, Failure)):
            yield f"answer to {asked.get(repr(message.id), '')}"
        else:
            yield ""


def recorded_waits(played: Sequence[str], recorded: Sequence[Recorded]) -> list[float | None]:
    """How long each message was waited for when it was recorded; None where nobody knows.

    A message stands for the recorded one of its kind and number, if there are as many of this kind in both. A
    wait is known where that is so for a message and for the one before, and the two came in this order.
    """
    many, same = Counter(played), Counter(each.kind for each in recorded)
    times: dict[str, list[float]] = {}
    for each in reversed(recorded):
        times.setdefault(each.kind, []).append(each.at)
    ats = [times[kind].pop() if kind and many[kind] == same[kind] else None for kind in played]
    return [
        None if at is None or before is None or at < before else at - before
        for before, at in pairwise([*ats[:1], *ats])
    ]
