"""A play becomes a cassette."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit import codex_wire
from tests.unit.flow_a_wire import HEAD, Wire, answer_stream, call_stream, conforming, tool_return, user_turn
from wiretape import verify
from wiretape.cassette import dumps, loads
from wiretape.imports import SourceError, complete, read_play
from wiretape.transcript import Chunk, End, Frame, Response, Struck, Transcript


def written(wire: Wire) -> Wire:
    """The same with every answer written: those of one piece have no chunk in a wire made by hand."""
    entries = wire.transcript.entries
    chunked = {each.number for each in entries if isinstance(each, Chunk)}
    wire.transcript.entries = []
    for entry in entries:
        wire.transcript.entries.append(entry)
        if isinstance(entry, Response) and entry.number not in chunked:
            whole = Chunk(number=entry.number, start=0, stop=len(entry.body), at=0.0)
            wire.transcript.entries += [whole, End(number=entry.number, how="complete", at=0.0)]
    return wire


def failed(wire: Wire) -> set[str]:
    cassette = read_play(wire.transcript, tool="wiretape")
    return {each.rule for each in verify(loads(dumps(cassette))).violations}


def test_a_conforming_play_is_a_cassette_without_faults() -> None:
    wire = written(conforming(name="flow_a/alefita_way"))
    cassette = read_play(wire.transcript, tool="wiretape 1")
    assert [each.request.path for each in cassette.interactions] == [
        "/backend-api/ios/attestation_challenge",
        "/backend-api/f/conversation/prepare",
        "/backend-api/f/conversation",
    ] * 2
    assert (cassette.title, cassette.expect.user_message) == ("Imported: eco, please", "eco, please")
    assert cassette.expect.results == {"alefita_way": "echo"}
    assert cassette.provenance.basis == ("a play of flow_a/alefita_way",)
    assert not failed(wire)


def test_a_fault_of_the_client_is_in_the_cassette() -> None:
    wire = Wire(expect={"results": {"alefita_way": {"message": "fixed"}}})
    wire.turn(user_turn(), call_stream())
    wire.turn(tool_return({"message": "another"}), answer_stream())
    assert failed(written(wire)) == {"flow_a.return.result-as-expected"}


def test_cuts_and_delays_are_those_of_the_play() -> None:
    wire = Wire()
    wire.turn(user_turn(), answer_stream())
    times = iter([0.0, 0.25, 0.5, 0.5])
    wire.transcript.entries = [
        replace(each, at=next(times)) if isinstance(each, Chunk) else each for each in wire.transcript.entries
    ]
    answer = read_play(wire.transcript, tool="").interactions[-1].response
    assert answer.chunks is not None
    assert answer.chunks.delays == (0.0, 250.0, 250.0, 0.0)
    assert answer.chunks.lengths == tuple(map(len, answer_stream()))


def test_an_answer_that_a_client_left_breaks_off_where_it_left() -> None:
    wire = Wire()
    wire.end(wire.ask(user_turn(), answer_stream(), count=1), "client-left")
    cassette = read_play(wire.transcript, tool="")
    assert (cassette.interactions[-1].response.end, cassette.interactions[-1].response.body) == (
        "reset",
        HEAD,
    )
    assert cassette.provenance.gaps[-1] == "interaction 3: the client left before the answer had ended."


def test_an_answer_that_still_runs_hangs_where_it_is() -> None:
    wire = Wire()
    wire.ask(user_turn(), answer_stream(), count=0)
    cassette = read_play(wire.transcript, tool="")
    assert (cassette.interactions[-1].response.end, cassette.interactions[-1].response.body) == ("hang", b"")
    assert cassette.provenance.gaps[-1] == "interaction 3: the answer was still being written."


def test_requests_of_another_protocol_and_those_without_an_answer_are_left_out() -> None:
    wire = Wire()
    wire.respond(wire.request("GET", "/favicon.ico"), b"")
    wire.challenge()
    wire.send(user_turn())
    wire.transcript.entries.append(Struck(connection="", fault="cut@event:1", at=0.0))
    cassette = read_play(wire.transcript, tool="")
    assert [each.request.path for each in cassette.interactions] == ["/backend-api/ios/attestation_challenge"]


@pytest.mark.parametrize("protocol", ["flow_a", "codex"])
def test_a_play_in_which_nothing_happened_is_no_cassette(protocol: str) -> None:
    with pytest.raises(SourceError, match=r"a play of a cassette: expected .* got none yet"):
        read_play(Transcript(protocol=protocol), tool="")


def test_a_codex_play_keeps_its_messages_and_gets_its_script() -> None:
    wire = codex_wire.answered(name="codex/x")
    wire.frame("client", b"\x00", binary=True)
    cassette = complete(read_play(wire.transcript, tool=""))
    said = [each for each in wire.transcript.entries if isinstance(each, Frame) and not each.binary]
    assert [each.data for each in cassette.frames] == [each.data for each in said]
    assert {each.connection for each in cassette.frames} == {""}
    assert cassette.expect.user_message == "go"
    assert not verify(loads(dumps(cassette))).violations
