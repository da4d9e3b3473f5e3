"""What a fault would hit in a Flow A cassette, when the client sends what clients usually send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from wiretape.endpoints import CONVERSATION, is_conversation
from wiretape.faults.events import read_events
from wiretape.faults.model import Fault, Hit, Unit
from wiretape.faults.strikes import Strike, strikes

if TYPE_CHECKING:
    from wiretape.cassette.model import Cassette, Interaction

_EXCERPT: Final = 60
_TURN: Final = (
    "GET /backend-api/ios/attestation_challenge",
    f"POST {CONVERSATION}/prepare",
    f"POST {CONVERSATION}",
)
"""The three requests of a turn."""
_TAKES: Final = {
    "prepare-refused": (1,),
    "content-type": (2,),
    "challenge-used": (2,),
    "conduit-changed": (2,),
    "handoff": (2,),
}
"""Which requests of a turn a kind can hit; others can hit all of them."""


def flow_a_hits(fault: Fault, cassette: Cassette) -> list[Hit]:
    """What a fault would hit."""
    played = [
        (number, interaction)
        for number, interaction in enumerate(cassette.interactions, 1)
        if is_conversation(interaction.request.path)
    ]
    if fault.where.unit == "request":
        return list(_requests(fault, played)) or _elsewhere(fault)
    return [
        _hit(strike, number)
        for number, interaction in played
        for strike in strikes(fault, interaction.response.body)
    ]


def beyond_the_end(fault: Fault, cassette: Cassette) -> str:
    """Say that a place is behind the end of every answer; empty where it is not."""
    where = fault.where
    if where.unit not in _SIZE or not isinstance(where.value, int):
        return ""
    most = max((_SIZE[where.unit](each.response.body) for each in cassette.interactions), default=0)
    return f", where no answer has more than {most} {where.unit}s" if where.value > most else ""


_SIZE: Final[Mapping[Unit, Callable[[bytes], int]]] = {
    "byte": len,
    "event": lambda body: len(read_events(body)),
}


def _requests(fault: Fault, played: list[tuple[int, Interaction]]) -> Iterator[Hit]:
    for turn, (number, _) in enumerate(played):
        for place, name in enumerate(_TURN):
            request = turn * len(_TURN) + place + 1
            names_one = turn > 0 and place > 0
            if fault.where.holds(request) and place in _TAKES.get(fault.kind, range(len(_TURN))):
                if fault.kind == "conversation-deleted" and not names_one:
                    continue
                at = f"interaction {number}, request {request}"
                yield Hit(fault=fault, at=at, interaction=number, request=request, excerpt=name)


def _elsewhere(fault: Fault) -> list[Hit]:
    """A request that is usually another one, or none: not every client sends what clients usually send."""
    number = fault.where.value
    if not isinstance(number, int):
        return []
    named = " or ".join(_TURN[place] for place in _TAKES.get(fault.kind, ()))
    return [Hit(fault=fault, at=f"request {number}, if there is such a one", request=number, excerpt=named)]


def _hit(strike: Strike, number: int) -> Hit:
    event, edit, start = strike.event, strike.edit, strike.place
    stop = edit.stop if edit else start
    event_number = event.number if event else None
    within = f"bytes {start + 1} to {stop}" if stop > start else f"before byte {start + 1}"
    return Hit(
        fault=strike.fault,
        at=f"interaction {number}, event {event_number or 'none'}, {within}",
        interaction=number,
        event=event_number,
        start=start,
        stop=stop,
        excerpt=_shortened(event.block if event else b""),
    )


def _shortened(block: bytes) -> str:
    text = " ".join(block.decode(errors="replace").split())
    return text if len(text) <= _EXCERPT else f"{text[: _EXCERPT - 1]}…"
