"""Whatever strikes the connections of the app-server, the reference client breaks no rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.codex_playing import Session, client_of
from tests.conformance.codex_reference import ClientError
from tests.conformance.playing import failures
from wiretape import verify
from wiretape.cassette import bundled, load_cassette
from wiretape.faults import KINDS, Fault, Kind, Where
from wiretape.faults.codex import CODEX_KINDS
from wiretape.jsonrpc import read
from wiretape.transcript import Frame, Struck, Transcript
from wiretape.transcript_file import dump, load

CASSETTES = sorted(set(bundled("codex")) - {"interrupt_during_call"})
"""A client whose interrupt is refused owes an answer to the call; the reference has none."""
MENDABLE = [kind for kind in CODEX_KINDS if not kind.may_end]
"""Kinds after which a session goes on."""
METHODS = ("initialize", "thread/start", "thread/resume", "turn/start", "item/tool/call", "turn/completed")


@st.composite
def faults(draw: st.DrawFn, kinds: Sequence[Kind] = CODEX_KINDS) -> Fault:
    """Any fault of the app-server's, at a place that a session may have."""
    kind = draw(st.sampled_from(kinds))
    unit = draw(st.sampled_from(kind.units))
    numbers = st.integers(1, 25 if unit == "event" else 6)
    names = st.sampled_from(METHODS) if unit == "type" else numbers
    return Fault(kind.name, Where(unit, draw(names | st.just("*"))))


def played(name: str, struck: list[Fault]) -> tuple[Transcript, bool]:
    """A session with these faults, and whether the client gave up."""
    session = Session(load_cassette(f"codex/{name}"), "0.171", tuple(struck))
    try:
        client_of(session).run()
    except ClientError:
        return session.finished(), True
    return session.finished(), False


@given(st.sampled_from(CASSETTES), st.lists(faults(), min_size=1, max_size=3, unique=True))
def test_no_rule_complains_of_the_reference_client_whatever_strikes(name: str, struck: list[Fault]) -> None:
    transcript, gave_up = played(name, struck)
    report = verify(transcript)
    assert failures(report) == []
    kinds = {entry.fault.partition("@")[0] for entry in transcript.entries if isinstance(entry, Struck)}
    assert not gave_up or any(KINDS[kind].may_end for kind in kinds), "it gives up only where it may"
    again = verify(load(dump(transcript)))
    assert [(f.rule, f.outcome) for f in again.findings] == [(f.rule, f.outcome) for f in report.findings]


@given(st.sampled_from(CASSETTES), st.lists(faults(MENDABLE), max_size=3, unique=True))
def test_what_ends_nothing_takes_no_message_away(name: str, struck: list[Fault]) -> None:
    with_faults, gave_up = played(name, struck)
    assert not gave_up
    assert not said(played(name, [])[0]) - said(with_faults)


def said(transcript: Transcript) -> Counter[object]:
    """Who said what how often, without ids and times."""
    frames = [(entry.direction, read(entry.data)) for entry in transcript.entries if isinstance(entry, Frame)]
    return Counter((by, getattr(message, "method", type(message))) for by, message in frames)
