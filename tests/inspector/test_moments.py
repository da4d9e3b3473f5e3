"""Lines and moments of sessions that are out of the ordinary."""

from __future__ import annotations

from tests.unit import codex_wire
from tests.unit.flow_a_wire import (
    HEAD,
    Wire,
    answer_stream,
    call_stream,
    conforming,
    event,
    message,
    user_turn,
)
from wiretape.transcript import Body, Chunk, End, Request, Response, Struck, Transcript
from wiretape_server.inspector.hexdump import hex_lines
from wiretape_server.inspector.moment import Moment, moment
from wiretape_server.inspector.session import Session, read


def streamed(*events: bytes, cuts: int = 0) -> Session:
    """A session with one answer of these events; ``cuts``: bytes of a chunk, 0 for one chunk an event."""
    body = b"".join(events)
    pieces = [*events] if not cuts else [body[at : at + cuts] for at in range(0, len(body), cuts)]
    transcript = Transcript(protocol="flow_a")
    headers = (("content-type", "text/event-stream"),)
    transcript.entries = [
        Request(number=1, method="POST", path="/backend-api/f/conversation", headers=(), body=b"{}", at=0.0),
        Response(number=1, status=200, headers=headers, body=Body(body), at=0.0),
    ]
    at = 0
    for piece in pieces:
        transcript.entries.append(Chunk(number=1, start=at, stop=at + len(piece), at=0.0))
        at += len(piece)
    transcript.entries.append(End(number=1, how="complete", at=0.0))
    return read(transcript)


def moments(session: Session, kind: str) -> list[Moment]:
    return [moment(session, line.number) for line in session.lines if line.kind == kind]


EVENTS = (
    HEAD,
    event({"p": "", "o": "add", "v": {"message": message("m1")}, "c": 0}, "delta"),
    b": a comment\n\n",
    event("[DONE]"),
)


def test_an_event_has_exactly_its_bytes_wherever_chunks_cut_it() -> None:
    for cuts in (0, 1, 7, 10_000):
        shown = moments(streamed(*EVENTS, cuts=cuts), "event")
        assert [each.raw for each in shown] == [EVENTS[0], EVENTS[1], EVENTS[3]]
        assert [each.offset for each in shown] == [0, len(HEAD), len(b"".join(EVENTS[:3]))]


def test_chunks_add_up_to_the_body() -> None:
    shown = moments(streamed(*EVENTS, cuts=5), "chunk")
    assert b"".join(each.raw for each in shown) == b"".join(EVENTS)
    assert shown[2].offset == 10


def test_an_event_that_does_not_decode_is_shown_as_it_is() -> None:
    broken = event("{no json", "delta")
    [_, shown] = moments(streamed(HEAD, broken), "event")
    assert (shown.decoded, shown.raw, shown.growing) == ("{no json", broken, ())
    assert shown.line.row.event == "error: invalid_json"


def test_a_patch_adds_nothing_to_a_text_that_it_does_not_end() -> None:
    patch = event(
        {"p": "", "o": "patch", "v": [{"p": "/message/status", "o": "replace", "v": "done"}]}, "delta"
    )
    [*_, shown] = moments(streamed(*EVENTS[:2], patch), "event")
    assert (shown.growing[0].new, shown.growing[0].before) == ("", "hi")
    assert ("status", "done") in shown.growing[0].facts


def test_a_call_says_to_which_tool_and_what() -> None:
    session = streamed(*call_stream('{"message": "eco"}'))
    growing = moments(session, "event")[1].growing
    assert [(each.title, each.before) for each in growing] == [
        ("assistant → local.alefita_way", '{"message": "eco"}')
    ]


def test_findings_stand_at_the_line_that_they_blame() -> None:
    wire = Wire()
    wire.turn(user_turn(action="variant"), answer_stream())
    blamed = [line for line in read(wire.transcript).lines if line.findings]
    assert [line.row.event for line in blamed] == ["POST /backend-api/f/conversation"]
    assert [each.rule for each in blamed[0].findings] == ["flow_a.request.action-is-next"]


def test_a_search_finds_in_all_that_a_line_says() -> None:
    session = read(conforming().transcript)
    assert len(session.found("ATTESTATION", "all")) >= 2
    assert session.found("nowhere", "all") == []
    assert session.found("", "client") == [line.number for line in session.lines if line.row.side == "client"]


def test_http_of_an_app_servers_model_provider_and_faults_have_lines_too() -> None:
    wire = codex_wire.called()
    request = Request(number=1, method="POST", path="/v1/responses", headers=(), body=b"{}", at=0.0)
    response = Response(number=1, status=200, headers=(), body=Body(b""), at=0.0)
    end = End(number=1, how="complete", at=0.0)
    wire.transcript.entries += [request, response, end, Struck(connection="c1", fault="eof@event:3", at=0.0)]
    lines = read(wire.transcript).lines[-4:]
    assert [line.kind for line in lines] == ["request", "answer", "end", "fault"]
    assert "eof@event:3" in lines[-1].row.event + lines[-1].row.op + lines[-1].row.text


def test_an_app_servers_item_is_what_its_deltas_add_up_to() -> None:
    wire = codex_wire.started()
    for piece in ("do", "ne"):
        wire.notify("item/agentMessage/delta", itemId="msg_1", delta=piece)
    session = read(wire.transcript)
    growing = moment(session, len(session.lines) - 1).growing
    assert [(each.before, each.new) for each in growing] == [("do", "ne")]


def test_bytes_are_written_eight_a_line() -> None:
    lines = list(hex_lines(bytes(range(0x3C, 0x48)), 0x10))
    assert [line.offset for line in lines] == ["000010", "000018"]
    assert (lines[1].bytes, lines[1].text) == ("44 45 46 47", "DEFG")
    assert next(hex_lines(b"\x00\xff\n")).text == "···"
