from __future__ import annotations

import json

import pytest

from tests.unit.flow_a_wire import Wire, answer_stream, call_stream, conforming, tool_return, user_turn
from wiretape.transcript import Body, Chunk, Patch, Request, Response
from wiretape.transcript_file import TranscriptError, dump, load
from wiretape.verdict import verify


def outcomes(wire: Wire) -> list[tuple[str, str]]:
    return [(f.rule, f.outcome) for f in wire.report().findings]


def test_a_saved_transcript_draws_the_same_verdict() -> None:
    wire = conforming(name="x", pace="x2", profile="seed-capture")
    loaded = load(dump(wire.transcript))
    assert [(f.rule, f.outcome) for f in verify(loaded).findings] == outcomes(wire)
    assert (loaded.name, loaded.pace, loaded.profile, loaded.live) == ("x", "x2", "seed-capture", True)
    assert loaded.expect == wire.transcript.expect


def test_a_reused_challenge_is_still_found_after_saving() -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge)), call_stream())
    wire.prepare(conversation_id=wire.transcript.name or "00000000-0000-4000-8000-0000000000a1")
    wire.stream(wire.send(tool_return(app_attest_challenge=challenge)), answer_stream())
    loaded = load(dump(wire.transcript))
    failed = [f.rule for f in verify(loaded).findings if f.failed]
    assert failed == ["flow_a.return.fresh-challenge"]


def test_no_secret_reaches_the_file() -> None:
    wire = Wire()
    wire.token = "SECRET-conduit"
    number = wire.request(
        "POST",
        "/backend-api/f/conversation?verify=SECRET-query",
        json.dumps({"app_attest_challenge": 'SECRET-\\u0041"x'}).encode(),
        Authorization="Bearer SECRET-bearer",
        Cookie="SECRET-cookie",
        X_Conduit_Token="SECRET-conduit",
    )
    stream = [b'data: {"type":"resume_conversation_token","token":"SECRET-token"}\n\n']
    wire.stream(number, stream)
    assert b"SECRET" not in dump(wire.transcript)


def test_pseudonyms_keep_lengths_and_tell_equal_from_different() -> None:
    wire = Wire()
    for challenge in ("aaaaaaaaaaaa", "bbbbbbbbbbbb", "aaaaaaaaaaaa", "x"):
        wire.send({"app_attest_challenge": challenge})
    bodies = [e.body for e in load(dump(wire.transcript)).entries if isinstance(e, Request)]
    assert bodies[0] == bodies[2] != bodies[1]
    assert [len(body) for body in bodies] == [len(e.body) for e in wire.transcript.entries]  # type: ignore[union-attr]


def test_bytes_that_are_no_text_are_kept() -> None:
    wire = Wire()
    wire.send(b"\xff\x00{")
    (entry,) = load(dump(wire.transcript)).entries
    assert isinstance(entry, Request)
    assert entry.body == b"\xff\x00{"


def test_a_reminted_body_is_saved_as_it_was_sent() -> None:
    wire = Wire()
    number = wire.send({})
    body = Body(b'data: "old"\n\n', [Patch(7, b"old", 0, 3)], {b"old": b"new"})
    wire.transcript.entries.append(Response(number=number, status=200, headers=(), body=body, at=1.0))
    wire.transcript.entries.append(Chunk(number=number, start=0, stop=len(body), at=1.5))
    loaded = load(dump(wire.transcript))
    assert loaded.bodies()[number] == b'data: "new"\n\n' == wire.transcript.bodies()[number]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"", "an empty file"),
        (b"{", "line 1: expected a JSON object"),
        (b"[]", "line 1: expected a JSON object"),
        (b'{"transcript": 2}', '"transcript": 1'),
        (b'{"transcript": true, "protocol": "x"}', '"transcript": 1, got True'),
        (b'\n{"transcript": 1, "protocol": 5}', "line 2: protocol: expected str, got 5"),
        (b'{"transcript": 1, "protocol": "x"}\n\n\n{"entry": "other"}', "line 4: entry: expected one of"),
        (b'{"transcript": 1}', "line 1: protocol: expected str, got None"),
        (b'{"transcript": 1, "protocol": "x", "unplayed": 5}', "line 1: unplayed: expected a list of texts"),
        (b'{"transcript": 1, "protocol": "x", "errors": [5]}', "line 1: errors: expected a list of texts"),
        (b'{"transcript": 1, "protocol": "x", "expect": 5}', "line 1: expect: expected results"),
        (b'{"transcript": 1, "protocol": "x", "expect": {"results": []}}', "line 1: expect: expected"),
        (b'{"transcript": 1, "protocol": "x", "expect": {"results": {"t": "ECHO"}}}', "each an object or"),
    ],
)
def test_what_is_no_transcript_is_refused_with_the_line(line: bytes, complaint: str) -> None:
    with pytest.raises(TranscriptError, match=complaint):
        load(line, "x.jsonl")


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"entry": "other"}, "line 2: entry: expected one of"),
        ({"entry": []}, "line 2: entry: expected one of"),
        ({"entry": "end", "number": "1", "at": 0}, "line 2: number: expected int, got '1'"),
        ({"entry": "end", "number": True, "at": 0}, "line 2: number: expected int, got True"),
        ({"entry": "end", "number": 1, "at": None}, "line 2: at: expected int or float"),
        ({"entry": "end", "number": 1, "at": 0, "how": "x"}, "line 2: how: expected complete"),
        ({"entry": "chunk", "number": 1, "at": 0, "start": 0}, "line 2: stop: expected int"),
        (
            {"entry": "response", "number": 1, "at": 0, "status": 200, "headers": [["a"]]},
            r"line 2: headers: expected \[name, value\] pairs",
        ),
        (
            {"entry": "frame", "connection": "c", "at": 0, "direction": "client", "body_base64": "!!"},
            "line 2: body_base64: expected base64, got '!!'",
        ),
    ],
)
def test_a_bad_entry_is_refused_with_its_line_and_member(entry: dict[str, object], complaint: str) -> None:
    lines = [{"transcript": 1, "protocol": "flow_a"}, entry]
    with pytest.raises(TranscriptError, match=complaint):
        load("\n".join(map(json.dumps, lines)).encode())


@pytest.mark.parametrize(("start", "stop"), [(0, None), (0, 9), (2, 9), (4, 6), (5, 6), (6, 20), (9, 12)])
def test_any_slice_of_a_body_is_that_slice_of_the_whole(start: int, stop: int | None) -> None:
    patches = [Patch(4, b"k", 0, 4), Patch(10, b"k", 0, 2), Patch(14, b"other", 0, 3)]
    body = Body(b"0123456789abcdefghij", patches, {b"k": b"WXYZ"})
    assert body.bytes() == b"0123WXYZ89WXcdefghij"
    assert body.bytes(start, stop) == body.bytes()[start:stop]
    assert len(body) == 20


def test_a_body_without_values_is_its_template() -> None:
    assert Body(b"abc").bytes(1) == b"bc"
