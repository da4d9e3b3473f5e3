"""Clients of Flow A that do the wrong thing when something goes wrong on purpose: rules about faults."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from tests.conformance.broken import BROKEN
from tests.conformance.playing import session
from tests.selftest.mutants import Mutant
from wiretape import load_cassette
from wiretape.cassette import Cassette
from wiretape.flow_a.facts import read_stream
from wiretape.sse import event_ends
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

_CASSETTES: Final = ("alefita_way", "alefita_way_functions_recipient", "handoff")
"""Their calls have whole arguments from the start: so they can be answered too early."""
_ENDS: Final = ("cut", "cut-inside", "reset")
"""Faults that end a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Where a cassette's events stand: how many each of its two answers has, and those of the call."""

    opened: int
    closed: int
    first: int
    second: int


def _shape(cassette: Cassette) -> Shape:
    first, second = (each.response.body for each in cassette.interactions[:2])
    ends = event_ends(first)
    (call,) = read_stream(first).calls
    return Shape(
        opened=bisect_left(ends, call.opened) + 1,
        closed=bisect_left(ends, call.closed or len(first)) + 1,
        first=len(ends),
        second=len(event_ends(second)),
    )


def _in_call(shape: Shape) -> Iterator[str]:
    for number in range(shape.opened + 1, shape.closed + 1):
        yield from (f"{kind}@event:{number}" for kind in _ENDS)


def _in_second_answer(shape: Shape) -> Iterator[str]:
    for number in range(shape.first + 1, shape.second):
        yield from (f"{kind}@event:{number}" for kind in _ENDS[:1])


FAULTS: Final[dict[str, Callable[[Shape], Iterator[str]]]] = {
    "fault.no-return-to-cut-call": _in_call,
    "fault.accepted-return-not-repeated": _in_second_answer,
    "fault.failed-turn-unanswered": lambda shape: iter([f"error-event@event:{shape.opened + 1}"]),
    "fault.retry-fresh-challenge": lambda _: iter(["500@request:6", "502@request:6", "409@request:6"]),
    "fault.retry-after-kept": lambda _: iter(["429@request:6"]),
    "fault.deleted-left-alone": lambda _: iter(["conversation-deleted@request:6"]),
    "fault.resume-offset": lambda _: iter(["cut@event:4", "cut-inside@event:4"]),
}
"""The rule, and the faults under which its broken client shows itself."""


def fault_mutants(server: ServerThread) -> Iterator[Mutant]:
    """Play each broken client under each of its faults."""
    for rule, faults in FAULTS.items():
        broken = BROKEN[rule]
        for name in _CASSETTES:
            for fault in faults(_shape(load_cassette(name))):
                options = PlayOptions.parse(pace="instant", faults=[fault])
                transcript = session(server, name, options, broken.hooks)
                yield Mutant(
                    name=f"{rule}: under {fault} [{name}]",
                    rules=(rule,),
                    play=lambda transcript=transcript: transcript,
                    also=broken.also,
                )
