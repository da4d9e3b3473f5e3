"""Importing HAR files of browsers and proxies."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from wiretape import load_cassette, verify
from wiretape.cassette import Cassette
from wiretape.flow_a.stream import decode
from wiretape.imports import SourceError, complete, read_har
from wiretape.sse import EventStreamDecoder
from wiretape_cli.main import main

STREAMS = Path(__file__).parents[1] / "vectors" / "flow_a" / "streams"
LOGS = Path(__file__).parents[1] / "vectors" / "codex" / "transcripts"
URL = "https://chat.example/backend-api/f/conversation"
STREAM = "text/event-stream; charset=utf-8"
TAPE = load_cassette("alefita_way")


def headers(**pairs: str) -> list[dict[str, str]]:
    return [{"name": name.replace("_", "-"), "value": value} for name, value in pairs.items()]


def entry(
    content: dict[str, Any] | None, *, url: str = URL, body: str = "{}", kind: str = STREAM, **more: Any
) -> dict[str, Any]:
    return {
        "startedDateTime": "2026-11-30T10:00:00.000Z",
        "request": {
            "method": "POST",
            "url": url,
            "headers": headers(**{":authority": "chat.example"}, content_type="application/json"),
            "postData": {"mimeType": "application/json", "text": body},
        },
        "response": {
            "status": 200,
            "headers": headers(content_type=kind, content_encoding="br", set_cookie="a=1"),
            "content": content,
        },
    } | more


def har(*entries: object, **log: Any) -> bytes:
    made = {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "entries": entries}
    return json.dumps({"log": made | log}).encode()


def imported(*entries: object, **log: Any) -> Cassette:
    return complete(read_har(har(*entries, **log), name="s.har"))


def recorded() -> list[dict[str, Any]]:
    """The two exchanges of a cassette, as a browser exports them."""
    return [
        entry({"mimeType": STREAM, "text": each.response.body.decode()}, body=each.request.body.decode())
        for each in TAPE.interactions
    ]


def test_a_base64_body_is_decoded() -> None:
    content = {"mimeType": STREAM, "encoding": "base64", "text": "ZGF0YTogeyJ2Ijoiw6kifQoK"}
    body = imported(entry(content)).interactions[0].response.body
    assert [event.data for event in EventStreamDecoder().feed(body)] == ['{"v":"é"}']


@pytest.mark.parametrize("content", [{"mimeType": STREAM}, {"mimeType": STREAM, "text": ""}, None])
def test_an_event_stream_without_a_body_is_refused_by_its_number(content: dict[str, Any] | None) -> None:
    good = entry({"text": "data: [DONE]\n\n"})
    with pytest.raises(
        SourceError, match="entry 2: POST /backend-api/f/conversation is an event stream"
    ) as told:
        imported(good, entry(content))
    assert "Save again" in str(told.value)


def test_a_whole_session_comes_in_and_conforms() -> None:
    cassette = imported(*recorded())
    assert [each.response.body for each in cassette.interactions] == [
        each.response.body for each in TAPE.interactions
    ]
    assert verify(cassette).violations == ()
    assert cassette.expect.results == {"alefita_way": "echo"}
    assert cassette.expect.user_message == TAPE.expect.user_message


def test_where_it_comes_from_is_kept() -> None:
    provenance = imported(*recorded(), browser={"name": "Firefox", "version": "140"}).provenance
    assert provenance.kind == "recorded"
    assert provenance.tool == "WebInspector 537.36 Firefox 140"
    assert provenance.captured_at == "2026-11-30T10:00:00.000Z"
    assert "no chunk cuts" in " ".join(provenance.gaps)


def test_headers_about_bytes_that_are_not_there_are_left_out() -> None:
    (interaction,) = imported(entry({"text": "data: [DONE]\n\n"})).interactions
    assert dict(interaction.response.headers) == {"content-type": STREAM, "set-cookie": "a=1"}
    assert dict(interaction.request.headers) == {"content-type": "application/json"}


def test_other_requests_are_left_out_and_counted() -> None:
    page = entry({"text": "<html>"}, url="https://chat.example/", kind="text/html")
    cassette = imported(page, *recorded(), page)
    assert len(cassette.interactions) == 2
    assert "2 other exchanges of the source are left out." in cassette.provenance.gaps


def test_what_belongs_to_a_conversation_is_kept_in_order() -> None:
    prepare = entry({"text": "{}"}, url=f"{URL}/prepare?x=1", kind="application/json")
    paths = [each.request.path for each in imported(prepare, *recorded()).interactions]
    assert paths == ["/backend-api/f/conversation/prepare?x=1", *["/backend-api/f/conversation"] * 2]


def test_what_stands_before_the_protocols_path_is_cut_off() -> None:
    (interaction,) = imported(
        entry({"text": "data: x\n\n"}, url="http://h/play/t/backend-api/f/conversation")
    ).interactions
    assert interaction.request.path == "/backend-api/f/conversation"


@pytest.mark.parametrize("response", [{"status": 0}, {"status": -1}, {}, None])
def test_a_request_that_was_never_answered_is_left_out_and_named(response: object) -> None:
    cassette = imported(entry(None, url=f"{URL}?a=SECRET", response=response), *recorded())
    assert len(cassette.interactions) == 2
    assert f"entry 1: POST {URL} was never answered, and is left out" in cassette.provenance.gaps


def test_an_answer_that_broke_off_is_played_so() -> None:
    broken = entry({"text": "data: x\n\n"})
    broken["response"]["_error"] = "net::ERR_ABORTED"
    assert imported(broken).interactions[0].response.end == "reset"


def test_a_body_that_is_only_partly_there_is_named() -> None:
    cassette = imported(entry({"text": "data: x\n\n", "size": 500}))
    assert "entry 1: of a body of 500 bytes the source holds 9" in cassette.provenance.gaps
    missing = entry({"size": 7}, url=f"{URL}/prepare", kind="application/json")
    assert "entry 1: the body of 7 bytes is not in the source" in imported(missing).provenance.gaps


def test_a_request_body_may_be_base64() -> None:
    posted = entry({"text": "data: x\n\n"})
    posted["request"]["postData"] = {"text": base64.b64encode(b"\xff").decode(), "encoding": "base64"}
    assert imported(posted).interactions[0].request.body == b"\xff"
    del posted["request"]["postData"]
    assert imported(posted).interactions[0].request.body == b""


def socket(messages: Iterable[Any], url: str = "wss://chat.example/ws") -> dict[str, Any]:
    opened = entry(None, url=url, kind="", _webSocketMessages=list(messages))
    opened["response"] |= {"status": 101, "headers": []}
    return opened


def test_a_turn_on_a_websocket_is_one_stream_with_the_times_of_its_items() -> None:
    lines = (STREAMS / "ws_turn.jsonl").read_text().splitlines()
    types = ["send", *["receive"] * (len(lines) - 1)]
    messages = [
        {"type": kind, "time": 100 + at / 8, "opcode": 1, "data": line}
        for at, (kind, line) in enumerate(zip(types, lines, strict=True))
    ]
    cassette = imported(entry({"text": "data: [DONE]\n\n"}), socket(messages))
    first, handed = cassette.interactions
    assert "items in websocket messages" in cassette.provenance.gaps[-1]
    assert (first.response.status, handed.response.status) == (200, 101)
    final = json.loads((STREAMS / "ws_turn.final.json").read_text())
    decoded = decode(handed.response.body)
    assert decoded["errors"] == []
    assert decoded["values"] == final["channels"]
    chunks = handed.response.chunks
    assert chunks is not None
    assert sum(chunks.lengths) == len(handed.response.body)
    assert chunks.delays[0] == 0
    assert set(chunks.delays[1:]) <= {0.0, 125.0, 250.0, 375.0}


def test_what_is_no_json_on_a_websocket_makes_no_stream() -> None:
    odd = {"type": "receive", "opcode": 1, "data": "hello"}
    with pytest.raises(SourceError, match="got 1 other entries"):
        imported(socket([odd]))


def app_server_messages() -> list[dict[str, Any]]:
    kinds = {"client->server": "send", "server->client": "receive"}
    records = map(json.loads, (LOGS / "0.171.0-ws-success_text.jsonl").read_text().splitlines())
    return [
        {"type": kinds[r["dir"]], "time": r["t"], "opcode": 1, "data": json.dumps(r["msg"])}
        for r in records
        if r["dir"] in kinds
    ]


def test_the_websocket_of_an_app_server_becomes_a_codex_cassette() -> None:
    cassette = imported(socket(app_server_messages()))
    assert cassette.protocol == "codex"
    assert verify(cassette).violations == ()
    assert len(cassette.frames) == len(app_server_messages())
    assert cassette.model
    assert not any("chunk" in gap for gap in cassette.provenance.gaps)


def test_messages_of_two_websockets_are_told_apart_and_stand_in_the_order_of_time() -> None:
    one = {"type": "send", "time": 5.0, "opcode": 1, "data": '{"method": "initialized"}'}
    frames = imported(socket([one]), socket([one | {"time": 4.0}, one | {"time": 5.5}])).frames
    assert [(each.connection, each.delay) for each in frames] == [("c2", 0), ("", 1000), ("c2", 500)]


def test_a_binary_message_is_decoded() -> None:
    data = base64.b64encode(b"\x00\xff").decode()
    messages = [
        {"type": "send", "opcode": 1, "data": '{"method": "initialized"}'},
        {"type": "send", "opcode": 2, "data": data},
    ]
    assert [each.data for each in imported(socket(messages)).frames] == [
        b'{"method": "initialized"}',
        b"\x00\xff",
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "which is JSON"),
        (b"\xff", "which is JSON"),
        (b"<html>", "got b'<html>'"),
        (b"[]", "got other JSON"),
        (b'{"log": {}}', "expected a list as entries"),
        (har(), "expected entries, got none"),
        (har(7), "entry 1: expected an object as request"),
        (har({"request": {}}), "entry 1: request: expected a text as method"),
        (
            har(entry(None, response={"status": "200"})),
            "response: expected a status from 100 to 599, got '200'",
        ),
        (har(entry(None, response=None)), "got 1 other entries\n  entry 1: POST " + URL + ", never answered"),
        (har({"request": {"method": "GET"}, "response": {}}), "entry 1: request: expected a text as url"),
        (har(entry({"text": "*", "encoding": "base64"})), "entry 1: response.content: expected base64"),
        (
            har(entry({"text": "x"}) | {"request": {"method": "GET", "url": URL}}),
            "expected a list as headers",
        ),
        (
            har(entry({"text": "x"}) | {"request": {"method": "GET", "url": URL, "headers": [1]}}),
            "request.headers: expected a name and a value, got 1",
        ),
        (har(socket([{"type": "odd", "data": ""}])), "message 1: expected a type"),
        (har(socket(["odd"])), "message 1: expected a type"),
        (har(socket([{"type": "send"}])), "message 1: expected a text as data"),
        (
            har(entry({"text": "x"}, url="https://h/else")),
            "got 1 other entries\n  entry 1: POST https://h/else",
        ),
    ],
)
def test_what_can_not_be_imported_says_where_and_why(data: bytes, why: str) -> None:
    with pytest.raises(SourceError) as told:
        read_har(data, name="s.har")
    assert str(told.value).startswith(("s.har", "the HAR file s.har"))
    assert why in str(told.value)


def test_a_byte_order_mark_and_a_key_that_is_there_twice_do_no_harm() -> None:
    data = b"\xef\xbb\xbf" + har(*recorded()).replace(
        b'"version": "1.2"', b'"version": "1.2", "version": "1.2"'
    )
    assert len(read_har(data, name="s.har").interactions) == 2


def test_the_command_saves_it_without_its_secrets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = recorded()
    first["request"]["headers"] += headers(
        AUTHORIZATION="Bearer SECRET3-SECRET3-SECRET3", Cookie="k=SECRET4SECRET4"
    )
    file, out = tmp_path / "s.har", tmp_path / "s.yaml"
    file.write_bytes(har(first, second))
    assert main(["import", "har", str(file), "--out", str(out)]) == 0
    assert "SECRET" not in out.read_text()
    assert "saved" in capsys.readouterr().err
    assert verify(load_cassette(out)).violations == ()


def test_the_command_exits_2_with_the_entrys_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.har"
    file.write_bytes(har(entry({"mimeType": STREAM})))
    assert main(["import", "har", str(file), "--out", str(tmp_path / "s.yaml")]) == 2
    assert "entry 1" in capsys.readouterr().err
    assert not (tmp_path / "s.yaml").exists()
