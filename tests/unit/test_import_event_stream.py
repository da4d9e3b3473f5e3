"""Importing the bytes of one answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wiretape import verify
from wiretape.cassette import Cassette, load_cassette
from wiretape.imports import SourceError, read_event_stream
from wiretape_cli.main import main

STREAMS = Path(__file__).parents[1] / "vectors" / "flow_a" / "streams"
ANSWER = (STREAMS / "thinking_recap_final.sse").read_bytes()
MESSAGE = {"author": {"role": "user"}, "content": {"parts": ["hi"]}}
GREETING = f"data: {json.dumps({'type': 'input_message', 'input_message': MESSAGE})}\n\n".encode()


def imported(data: bytes, **more: bytes) -> Cassette:
    return read_event_stream(data, name="a.sse", tool="a tool", **more)


def test_the_stream_is_kept_byte_for_byte() -> None:
    (interaction,) = imported(ANSWER).interactions
    assert interaction.response.body == ANSWER
    assert interaction.response.end == "complete"


def test_what_the_file_does_not_hold_is_named() -> None:
    provenance = imported(ANSWER).provenance
    assert (provenance.kind, provenance.tool, provenance.captured_at) == ("recorded", "a tool", None)
    assert [gap.partition(" ")[0] for gap in provenance.gaps] == ["The", "The", "The", "When"]
    assert provenance.gaps[0].startswith("The request is made up")


def test_the_made_up_request_breaks_no_rule() -> None:
    assert verify(imported(ANSWER)).violations == ()


def test_the_made_up_request_sends_the_message_that_the_stream_repeats() -> None:
    cassette = imported(GREETING + ANSWER)
    (message,) = json.loads(cassette.interactions[0].request.body)["messages"]
    assert message["content"]["parts"] == ["hi"]
    assert cassette.expect.user_message == "hi"


def test_an_event_that_does_not_decode_is_kept_as_it_came() -> None:
    broken = ANSWER + b"event: delta\ndata: {\n\n"
    assert imported(broken).interactions[0].response.body == broken


def test_a_given_request_is_taken_as_it_is() -> None:
    cassette = imported(ANSWER, request=b'{"action": "next"}')
    assert cassette.interactions[0].request.body == b'{"action": "next"}'
    assert not any("made up" in gap for gap in cassette.provenance.gaps)


@pytest.mark.parametrize(
    "before", [b"", b"HTTP/1.1 200 Connection established\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 2]
)
def test_the_heads_that_curl_puts_before_a_body_are_cut_off(before: bytes) -> None:
    head = b"HTTP/2 200 \r\ncontent-type: text/event-stream\r\nset-cookie: a=b\r\n\r\n"
    assert imported(before + head + ANSWER).interactions[0].response.body == ANSWER


@pytest.mark.parametrize(
    ("cut", "how"),
    [(ANSWER[: ANSWER.index(b"data: [DONE]")], "without [DONE]"), (ANSWER[:200], "inside an event")],
)
def test_a_stream_that_breaks_off_is_played_so_and_says_so(cut: bytes, how: str) -> None:
    cassette = imported(cut)
    assert cassette.interactions[0].response.end == "reset"
    assert f"ends {how}" in cassette.provenance.gaps[-1]


@pytest.mark.parametrize(
    "data", [b"", b"<html>no</html>", b'{"a": 1}', b": only a comment\n\n", b"data: [DONE]\n\n"]
)
def test_what_holds_no_event_is_refused(data: bytes) -> None:
    with pytest.raises(SourceError, match=r"a\.sse: expected an event stream"):
        imported(data)


@pytest.mark.parametrize("name", sorted(each.stem for each in STREAMS.glob("*.sse")))
def test_every_captured_stream_comes_in_and_can_be_loaded(name: str, tmp_path: Path) -> None:
    out = tmp_path / "new" / f"{name}.yaml"
    file = STREAMS / f"{name}.sse"
    assert main(["import", "sse", str(file), "--out", str(out)]) == 0
    cassette = load_cassette(out)
    assert cassette.interactions[0].response.body == file.read_bytes()


def test_the_command_takes_the_body_of_the_request(tmp_path: Path) -> None:
    body, out = tmp_path / "request.json", tmp_path / "a.yaml"
    body.write_bytes(b'{"action": "next", "model": "mine"}')
    stream = str(STREAMS / "instant_answer.sse")
    assert main(["import", "sse", stream, "--out", str(out), "--request", str(body)]) == 0
    cassette = load_cassette(out)
    assert cassette.interactions[0].request.body == body.read_bytes()
    assert not any("made up" in gap for gap in cassette.provenance.gaps)


def test_secrets_do_not_reach_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJTRUNSRVQ2In0.c2ln"
    stream = tmp_path / "a.sse"
    stream.write_bytes(
        f'data: {{"type": "resume_conversation_token", "token": "{token}"}}\n\n'.encode() + ANSWER
    )
    assert main(["import", "sse", str(stream), "--out", str(tmp_path / "a.yaml")]) == 0
    assert "eyJ" not in (tmp_path / "a.yaml").read_text()
    assert "1 interaction\n  not captured: The request is made up" in capsys.readouterr().err


def test_a_file_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "a.yaml"
    out.write_text("mine")
    assert main(["import", "sse", str(STREAMS / "instant_answer.sse"), "--out", str(out)]) == 2
    assert out.read_text() == "mine"
    assert "exists" in capsys.readouterr().err


def test_a_file_that_is_no_stream_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html>")
    assert main(["import", "sse", str(page), "--out", str(tmp_path / "a.yaml")]) == 2
    assert "page.html: expected an event stream" in capsys.readouterr().err
    assert not (tmp_path / "a.yaml").exists()
