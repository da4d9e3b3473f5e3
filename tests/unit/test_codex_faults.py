"""Faults of the app-server: where they strike, what they would strike, and how a client is judged then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.unit.codex_wire import OMIT, THREAD, Wire, answered, called, ended, started
from wiretape.cassette import Cassette, load_cassette
from wiretape.cassette.model import Provenance, RecordedFrame
from wiretape.codex.rules import RULES
from wiretape.contract import Finding
from wiretape.faults import KINDS, hits, parse
from wiretape.faults.codex import CODEX_KINDS, Aim

RULE_IDS = {rule.id for rule in RULES}
TURN_START = {"threadId": THREAD, "input": [{"type": "text", "text": "go"}]}
THREAD_OF_ITS_OWN = {"threadId": "00000000-0000-4000-8000-000000000000", "input": []}


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


# --- what is judged


def test_without_a_fault_nothing_is_observed() -> None:
    report = answered().report()
    outcomes = {f.rule: f.outcome for f in report.findings if f.rule.startswith("codex.fault.")}
    assert set(outcomes.values()) == {"not_observed"}


def verdict(wire: Wire) -> dict[str, str]:
    """The rules about faults that were observed, each with its outcome."""
    prefix = "codex.fault."
    return {
        f.rule.removeprefix(prefix): f.outcome
        for f in wire.report().findings
        if f.rule.startswith(prefix) and f.outcome != "not_observed"
    }


def refused(*then: Callable[[Wire], object]) -> Wire:
    wire = Wire()
    wire.opened()
    request = wire.request("initialize", {})
    wire.struck("rpc-error@request:1")
    wire.refuse(request)
    for step in then:
        step(wire)
    return wire


def test_after_a_refusal_a_client_may_leave_or_try_again() -> None:
    assert verdict(refused()) == {"refused-initialize": "pass"}
    assert verdict(refused(Wire.initialize)) == {"refused-initialize": "pass"}


@pytest.mark.parametrize(
    "step",
    [
        lambda wire: wire.client({"method": "initialized"}),
        lambda wire: wire.request("thread/start", {}),
        lambda wire: wire.client({"id": 0, "result": {}}),
        lambda wire: wire.client(b"not json"),
    ],
)
def test_after_a_refusal_nothing_else_may_follow(step: Callable[[Wire], object]) -> None:
    assert verdict(refused(step)) == {"refused-initialize": "fail"}


def test_another_request_that_is_refused_is_not_what_the_rule_is_about() -> None:
    wire = started()
    wire.struck("rpc-error@request:3")
    assert verdict(wire) == {}
    early = Wire()
    early.struck("rpc-error@request:1")
    assert verdict(early) == {}, "a transcript that begins in the middle"


def test_a_turn_in_a_thread_that_nobody_gave_is_found() -> None:
    wire = Wire()
    wire.opened()
    wire.initialize()
    request = wire.request("thread/start", {})
    wire.struck("rpc-error@type:thread/start")
    wire.refuse(request)
    wire.request("turn/start", THREAD_OF_ITS_OWN)
    finding = wire.failed()["fault.thread-known"]
    assert finding.got == THREAD_OF_ITS_OWN["threadId"]
    wire.request("turn/start", {"input": []})
    assert len([f for f in wire.report().findings if f.failed]) == 2


def test_a_thread_may_be_known_from_its_notification() -> None:
    wire = Wire()
    wire.opened()
    wire.initialize()
    wire.request("thread/start", {})
    wire.struck("late-answer@type:thread/start")
    wire.notify("thread/started", thread={"id": THREAD})
    wire.request("turn/start", TURN_START)
    assert verdict(wire) == {"thread-known": "pass", "not-asked-twice": "pass"}


@pytest.mark.parametrize(("resumes", "outcome"), [(True, "pass"), (False, "fail")])
def test_after_a_reconnect_a_thread_is_resumed_first(resumes: bool, outcome: str) -> None:
    wire = called()
    wire.struck("reconnect@type:item/tool/call")
    wire.closed(by="server")
    wire.opened("c2")
    wire.initialize()
    if resumes:
        wire.accept(wire.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    wire.request("turn/start", TURN_START)
    assert verdict(wire) == {"thread-known": outcome}


def late(*before: Callable[[Wire], object]) -> Wire:
    """A session whose answer to turn/start comes after everything else."""
    wire = Wire()
    wire.opened()
    wire.initialize()
    wire.thread()
    request = wire.request("turn/start", TURN_START)
    wire.struck("late-answer@type:turn/start")
    wire.notify("turn/started", threadId=THREAD, turn={"id": "t"})
    for step in before:
        step(wire)
    wire.turn_completed("t")
    wire.accept(request, {"turn": {"id": "t"}})
    wire.closed()
    return wire


def test_a_client_that_waits_for_a_late_answer_breaks_no_rule() -> None:
    wire = late()
    assert wire.failed() == {}, "also the turn has ended, though its answer comes later"
    assert verdict(wire)["not-asked-twice"] == "pass"


def test_a_request_that_is_sent_again_is_found() -> None:
    wire = late(lambda wire: wire.request("turn/start", TURN_START))
    assert {name: f.level for name, f in wire.failed().items()} == {"fault.not-asked-twice": "should"}
    other = late(lambda wire: wire.request("turn/start", TURN_START | {"input": []}))
    assert other.failed() == {}


def test_what_is_asked_after_the_late_answer_is_another_request() -> None:
    wire = late()
    wire.opened()
    wire.request("turn/start", TURN_START)
    assert verdict(wire)["not-asked-twice"] == "pass"


def test_who_waits_for_what_it_has_lost_is_warned() -> None:
    wire = late()
    wire.transcript.entries.pop()
    assert wire.outcome("fault.nothing-lost").because == "the client may go on yet"
    wire.at = 30.0
    wire.closed()
    (finding,) = wire.failed().values()
    assert (finding.rule, finding.level) == ("codex.fault.nothing-lost", "should")
    assert "30.0 s" in str(finding.got)


def test_who_says_something_more_has_lost_nothing() -> None:
    wire = late()
    wire.transcript.entries.pop()
    wire.at = 1.0
    wire.request("model/list")
    wire.at = 30.0
    wire.closed()
    assert wire.failed() == {}


def doubled(*after: object) -> Wire:
    """A session whose answer to initialize comes twice."""
    wire = Wire()
    wire.opened()
    request = wire.request("initialize", {"clientInfo": {"name": "x", "version": "1"}})
    wire.struck("duplicate-answer@request:1")
    for _ in range(2):
        wire.accept(request, {"userAgent": "x/0.171.0 (x)"})
    for message in after:
        wire.client(message)
    return wire


@pytest.mark.parametrize(
    ("messages", "outcome"),
    [
        ([], "pass"),
        (
            [{"method": "initialized"}, {"id": 2, "method": "model/list"}, {"id": 3, "method": "model/list"}],
            "pass",
        ),
        ([{"method": "initialized"}, {"method": "initialized"}], "fail"),
        ([{"method": "initialized"}, {"method": "initialized", "params": {}}], "pass"),
        (
            [
                {"id": 2, "method": "thread/start", "params": {}},
                {"id": 3, "method": "thread/start", "params": {}},
            ],
            "fail",
        ),
    ],
)
def test_an_answer_that_comes_twice_has_its_consequences_once(
    messages: Sequence[object], outcome: str
) -> None:
    assert verdict(doubled(*messages))["duplicate-ignored"] == outcome


def test_the_user_may_say_the_same_again_when_the_turn_is_over() -> None:
    wire = started()
    wire.struck("duplicate-answer@type:turn/start")
    for turn in ("t1", "t2"):
        wire.accept(wire.request("turn/start", TURN_START), {"turn": {"id": turn}})
        wire.turn_completed(turn)
    assert verdict(wire)["duplicate-ignored"] == "pass"


def cut(*, at: float = 0.0) -> Wire:
    wire = called()
    wire.struck("eof@type:item/tool/call", at=at)
    return wire


def said_at(wire: Wire, at: float) -> Wire:
    """The client answers the call at that time."""
    wire.at = at
    wire.answer()
    return wire


def closed_at(wire: Wire, at: float) -> Wire:
    wire.at = at
    wire.closed()
    return wire


def test_a_client_that_notices_the_end_breaks_no_rule_and_owes_nothing() -> None:
    wire = closed_at(cut(at=10.0), 10.2)
    assert wire.failed() == {}
    assert verdict(wire) == {"eof-noticed": "pass"}
    for rule in ("call.answered", "call.answered-once", "behavior.keeps-reading"):
        finding = wire.outcome(rule)
        assert (finding.outcome, "eof@type:item/tool/call" in finding.because) == ("not_applicable", True), (
            rule
        )


def test_what_was_under_way_when_the_end_came_is_no_fault() -> None:
    assert closed_at(said_at(cut(at=10.0), 10.9), 11.0).failed() == {}


def test_what_is_sent_long_after_the_end_is_found() -> None:
    wire = said_at(cut(at=10.0), 12.0)
    (finding,) = wire.failed().values()
    assert (finding.rule, finding.level) == ("codex.fault.eof-noticed", "must")
    assert "2.0 s" in str(finding.got)


def test_who_holds_on_to_a_connection_that_has_ended_is_warned() -> None:
    (finding,) = closed_at(cut(at=10.0), 40.0).failed().values()
    assert (finding.rule, finding.level) == ("codex.fault.eof-noticed", "should")


def test_a_client_that_still_holds_on_may_yet_close() -> None:
    finding = cut().outcome("fault.eof-noticed")
    assert (finding.outcome, finding.because) == ("not_observed", "the client had not closed its side yet")


def garbled() -> Wire:
    wire = started()
    wire.struck("malformed-line@event:5")
    wire.server(b'{"method":')
    wire.call()
    return wire


def test_a_client_that_reads_over_a_malformed_line_breaks_no_rule() -> None:
    wire = garbled()
    wire.answer()
    assert ended(wire).failed() == {}
    assert verdict(wire) == {"malformed-skipped": "pass"}


def test_a_client_that_has_read_over_it_owes_its_answers() -> None:
    wire = garbled()
    wire.request("model/list", {})
    wire.closed()
    assert set(wire.failed()) == {"call.answered"}


def test_a_client_that_gives_up_at_a_malformed_line_is_warned_and_owes_nothing() -> None:
    wire = garbled()
    assert wire.outcome("fault.malformed-skipped").because == "the client had said nothing more yet"
    wire.closed()
    assert {name: f.level for name, f in wire.failed().items()} == {"fault.malformed-skipped": "should"}
    assert wire.outcome("call.answered").outcome == "not_applicable"


def test_a_turn_that_ended_after_the_malformed_line_was_read() -> None:
    wire = started()
    wire.struck("malformed-line@event:5")
    wire.turn_completed()
    wire.closed()
    assert wire.failed() == {}


@pytest.mark.parametrize("kind", ["child-exit", "reconnect"])
def test_a_client_owes_nothing_to_a_process_that_a_fault_ended(kind: str) -> None:
    wire = called()
    wire.struck(f"{kind}@type:item/tool/call")
    wire.closed(by="server")
    assert wire.failed() == {}
    for rule in ("call.answered", "behavior.keeps-reading"):
        finding: Finding = wire.outcome(rule)
        assert finding.because == f"the fault {kind}@type:item/tool/call struck"


def test_an_answer_to_the_process_before_is_one_to_an_unknown_id() -> None:
    wire = called()
    wire.struck("child-exit@type:item/tool/call")
    wire.closed(by="server")
    wire.opened("c2")
    wire.initialize()
    wire.answer()
    assert set(wire.failed()) == {"call.known-id"}


def test_a_call_that_comes_again_after_a_reconnect_is_answered_there() -> None:
    wire = called()
    wire.struck("reconnect@type:item/tool/call")
    wire.closed(by="server", transport="websocket")
    wire.opened("c2", "websocket")
    wire.initialize()
    wire.accept(wire.request("thread/resume", {"threadId": THREAD}), {"thread": {"id": THREAD}})
    wire.call()
    wire.answer(OMIT)
    assert ended(wire).failed() == {}


def test_the_page_names_every_kind_and_how_it_is_known() -> None:
    page = (Path(__file__).parents[2] / "docs/faults.md").read_text("utf-8")
    for kind in CODEX_KINDS:
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{kind.name}` | "))
        assert row.endswith(f"| *{kind.evidence}* |")
