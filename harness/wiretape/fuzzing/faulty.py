"""Sessions in which something goes wrong on the wire, in one place."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.cassette.model import Cassette
from wiretape.faults import KINDS, Fault, Kind, Where, hits
from wiretape.faults.delivery import ENDINGS
from wiretape.fuzzing.trials import Trial
from wiretape.testing.changes import Draw

_WAITING: Final = frozenset({"stall", "delay", "jitter", "429", "late-answer"})
"""Kinds that only cost time: whether a client waits long enough is seen in one play as well as in many."""
_CUTS: Final = ENDINGS.keys() - _WAITING
"""Kinds that end a stream before its time."""
_UNNOTICED: Final = frozenset({"unknown-field", "unknown-event", "notification-first"})
"""Kinds that make no difference to a right client."""
_EVERYWHERE: Final = "*"
_CODEX_PLACES: Final = st.integers(1, 12)
"""A drawn session of the app-server has no recorded frames that would say which places there are."""


@st.composite
def faulty_trials(draw: Draw, about: str, drawn: SearchStrategy[Cassette], *, cut: bool = False) -> Trial:
    """Sessions with one fault; of one that nobody should notice, with the session without it to compare.

    ``cut``: with one that ends a stream before its time, otherwise with any other.
    """
    session = draw(drawn)
    kind = draw(st.sampled_from(_kinds(session.protocol, cut)))
    session = replace(session, title=f"Found by fuzzing: {about}: {kind.title}")
    fault = draw(_codex_faults(kind) if session.protocol == "codex" else _flow_a_faults(kind, session))
    faults = () if fault is None else (str(fault),)
    return Trial(cassette=session, plain=session if kind.name in _UNNOTICED else None, faults=faults)


def _kinds(protocol: str, cut: bool) -> list[Kind]:
    of_protocol = (kind for kind in KINDS.values() if kind.protocol == protocol)
    return [kind for kind in of_protocol if kind.name not in _WAITING and (kind.name in _CUTS) == cut]


@st.composite
def _flow_a_faults(draw: Draw, kind: Kind, session: Cassette) -> Fault | None:
    """A place that the fault does strike; None in a session that has none."""
    unit = kind.units[0]
    struck = hits([Fault(kind.name, Where(unit, _EVERYWHERE))], session)
    places = sorted({place for hit in struck if (place := hit.request or hit.event)})
    return Fault(kind.name, Where(unit, draw(st.sampled_from(places)))) if places else None


def _codex_faults(kind: Kind) -> SearchStrategy[Fault]:
    return _CODEX_PLACES.map(lambda place: Fault(kind.name, Where(kind.units[0], place)))
