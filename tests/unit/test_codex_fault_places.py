"""Faults of the app-server: the table, where they strike, and what they would strike in a recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from wiretape.cassette import Cassette, load_cassette
from wiretape.cassette.model import Provenance, RecordedFrame
from wiretape.codex.rules import RULES
from wiretape.faults import KINDS, hits, parse
from wiretape.faults.codex import CODEX_KINDS, Aim

RULE_IDS = {rule.id for rule in RULES}


# --- the table


@pytest.mark.parametrize("kind", CODEX_KINDS, ids=lambda kind: kind.name)
def test_a_kind_says_what_it_does_what_the_right_client_does_and_who_judges_it(kind: object) -> None:
    known = KINDS[kind.name]  # type: ignore[attr-defined]
    assert known.protocol == "codex"
    assert all((known.title, known.right_client, known.units, known.rules))
    assert known.source or known.evidence == "inferred"
    assert set(known.rules) <= RULE_IDS


# --- where faults strike


def struck(fault: str, *said: str) -> list[int]:
    """Which of these messages a fault strikes: ``>method`` is a request, ``<method`` what the server says."""
    aim = Aim((parse(fault),))
    return [
        number
        for number, text in enumerate(said, 1)
        if (aim.request if text[0] == ">" else aim.event)(text[1:])
    ]


SESSION = (">initialize", "<", ">thread/start", "<", "<thread/started", ">turn/start", "<", "<item/tool/call")


@pytest.mark.parametrize(
    ("fault", "places"),
    [
        ("rpc-error@request:2", [3]),
        ("rpc-error@request:*", [1, 3, 6]),
        ("rpc-error@type:turn/start", [6]),
        ("late-answer@type:item/tool/call", []),
        ("malformed-line@event:3", [5]),
        ("malformed-line@event:*", [2, 4, 5, 7, 8]),
        ("malformed-line@type:*", [1, 3, 5, 6, 8]),
        ("child-exit@type:item/tool/call", [8]),
        ("eof@request:3", [6]),
        ("eof@type:thread/start", [3]),
    ],
)
def test_places_count_over_the_session(fault: str, places: list[int]) -> None:
    assert struck(fault, *SESSION) == places


@pytest.mark.parametrize(
    ("fault", "places"),
    [
        ("reconnect@type:item/tool/call", [1]),
        ("reconnect@event:*", [1, 2]),
        ("malformed-line@type:item/tool/call", [1, 2]),
    ],
)
def test_what_ends_a_connection_strikes_once_unless_it_is_to_strike_always(
    fault: str, places: list[int]
) -> None:
    assert struck(fault, "<item/tool/call", "<item/tool/call") == places


# --- what they would strike


def recorded(*lines: str) -> Cassette:
    frames = (
        RecordedFrame(direction="client" if line[0] == ">" else "server", delay=0, data=line[1:].encode())
        for line in lines
    )
    provenance = Provenance(kind="synthetic")
    return Cassette(protocol="codex", name="x", provenance=provenance, frames=tuple(frames))


def foreseen(fault: str, cassette: Cassette) -> list[str]:
    return [hit.at for hit in hits([parse(fault)], cassette)]


def test_a_recording_shows_what_a_fault_would_strike() -> None:
    cassette = load_cassette("codex/dynamic_tool_text")
    assert foreseen("rpc-error@type:turn/start", cassette) == ["request 3: turn/start (id 3)"]
    assert foreseen("late-answer@request:1", cassette) == ["request 1: initialize (id 1)"]
    assert foreseen("child-exit@event:1", cassette) == ["the server's message 1: an answer (id 1)"]
    (call,) = foreseen("eof@type:item/tool/call", cassette)
    assert call.endswith("item/tool/call (id 0)")
    assert foreseen("eof@event:5000", cassette) == []


def test_where_nothing_is_recorded_a_hit_says_when_it_would_strike() -> None:
    nothing = recorded()
    assert foreseen("eof@event:3", nothing) == [
        "when the client sends what brings the server's message number 3"
    ]
    assert foreseen("rpc-error@request:3", nothing) == ["when the client sends its request number 3"]
    assert foreseen("server-request-first@request:1", nothing) == [
        "when the client sends its request number 1"
    ]
    one = recorded('>{"id": 1, "method": "initialize"}', '<{"id": 1, "result": {}}', "<[]")
    assert foreseen("eof@type:model/list", one) == [
        "when the client sends model/list, or hears it; the recorded one sent 1 requests"
    ]


def test_no_request_of_the_servers_can_come_first_where_none_is_recorded() -> None:
    assert foreseen("server-request-first@request:1", load_cassette("codex/plain_turn")) == []
    assert foreseen("server-request-first@type:turn/start", load_cassette("codex/dynamic_tool_text"))


def test_the_page_names_every_kind_and_how_it_is_known() -> None:
    page = (Path(__file__).parents[2] / "docs/faults.md").read_text("utf-8")
    for kind in CODEX_KINDS:
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{kind.name}` | "))
        assert row.endswith(f"| *{kind.evidence}* |")
