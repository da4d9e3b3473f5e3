"""A saved Codex transcript is the same evidence as the live one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.schemas import complaint
from tests.unit.codex_wire import Wire, answered, called, started
from wiretape.transcript import Frame
from wiretape.transcript_file import TranscriptError, dump, load
from wiretape.verdict import verify


def saved(wire: Wire) -> Wire:
    again = Wire()
    again.transcript = load(dump(wire.transcript))
    return again


def refreshed(token: str) -> Wire:
    wire = started()
    wire.ask_for_tokens()
    wire.answer({"accessToken": token, "idToken": token, "chatgptAccountId": "org-abc"})
    return wire


def bad_lines() -> Wire:
    wire = called(expect={"results": {"demo_echo": "echo"}}, name="x", profile="0.171")
    wire.client(b"\xff\x00")
    wire.client(b"not json")
    wire.frame("client", {"id": 0}, binary=True)
    wire.struck("eof@event:12")
    wire.closed(by="server")
    return wire


@pytest.mark.parametrize("wire", [answered(), bad_lines(), refreshed("aa.bb.cc"), refreshed("none")])
def test_a_saved_transcript_draws_the_same_verdict(wire: Wire) -> None:
    assert [(f.rule, f.outcome) for f in saved(wire).report().findings] == [
        (f.rule, f.outcome) for f in verify(wire.transcript).findings
    ]


def test_every_entry_is_read_back_as_it_was() -> None:
    wire = bad_lines()
    assert load(dump(wire.transcript)).entries == wire.transcript.entries


def test_every_line_is_valid_by_the_published_schema() -> None:
    lines = [json.loads(line) for line in dump(bad_lines().transcript).splitlines()]
    assert [complaint("transcript", line) for line in lines] == [None] * len(lines)


@pytest.mark.parametrize("member", ["direction", "at", "connection"])
def test_the_schema_refuses_a_frame_without(member: str) -> None:
    line = json.loads(dump(bad_lines().transcript).splitlines()[2])
    assert complaint("transcript", line) is None
    del line[member]
    assert complaint("transcript", line) is not None


def test_no_token_reaches_the_file() -> None:
    data = dump(refreshed("SECRET-header.SECRET-payload.SECRET-signature").transcript)
    assert b"SECRET" not in data


def test_a_pseudonym_shows_that_a_token_had_three_parts() -> None:
    tokens = []
    for token in ("aaaa.bbbb.cccc", "aaaa.bbbb", "aaaabbbbcccc"):
        frame = load(dump(refreshed(token).transcript)).entries[-1]
        assert isinstance(frame, Frame)
        tokens.append(json.loads(frame.data)["result"]["accessToken"])
    assert [(token.count("."), len(token)) for token in tokens] == [(2, 14), (1, 9), (0, 12)]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"entry": "frame", "at": 0}, "line 2: connection: expected str, got None"),
        ({"entry": "frame", "at": 0, "connection": "c"}, "direction: expected client or server, got None"),
        (
            {
                "entry": "link",
                "at": 0,
                "connection": "c",
                "what": "opened",
                "by": "client",
                "transport": "tcp",
            },
            "line 2: transport: expected stdio or websocket, got 'tcp'",
        ),
        ({"entry": "link", "at": 0, "connection": "c", "what": "lost"}, "what: expected opened or closed"),
    ],
)
def test_a_bad_entry_is_refused_with_its_line_and_member(entry: dict[str, Any], text: str) -> None:
    lines = [{"transcript": 1, "protocol": "codex"}, entry]
    with pytest.raises(TranscriptError, match=text):
        load("\n".join(map(json.dumps, lines)).encode())
