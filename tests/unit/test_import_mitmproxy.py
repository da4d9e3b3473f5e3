"""Importing mitmproxy's flow files. Written and read by mitmproxy itself, where it is installed."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from wiretape import load_cassette, verify
from wiretape.cassette import Cassette, Interaction, RecordedFrame
from wiretape_cli.main import main

TAPE = load_cassette("alefita_way")
CODEX = load_cassette("codex/dynamic_tool_text")
URL = "https://chat.example/backend-api/f/conversation"


def test_without_mitmproxy_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("mitmproxy", "mitmproxy.exceptions", "mitmproxy.http", "mitmproxy.io"):
        monkeypatch.setitem(sys.modules, name, None)
    file = tmp_path / "s.flow"
    file.write_bytes(b"")
    assert main(["import", "mitmproxy", str(file), "--out", str(tmp_path / "s.yaml")]) == 2
    assert "pip install 'wiretape[mitmproxy]'" in capsys.readouterr().err


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """Writes flows to a file: pairs of a request and an answer, as mitmproxy would keep them."""
    pytest.importorskip("mitmproxy", reason="mitmproxy is not installed (pip install 'wiretape[mitmproxy]')")
    from mitmproxy.io import FlowWriter

    def write(*flows: Any) -> Path:
        file = tmp_path / "s.flow"
        with file.open("wb") as opened:
            for flow in flows:
                FlowWriter(opened).add(flow)
        return file

    return write


def flow(request: bytes, answer: bytes | None, **headers: str) -> Any:
    """One exchange with an event stream."""
    from mitmproxy.http import Headers, Request, Response
    from mitmproxy.test.tflow import tflow

    sent = Request.make("POST", URL, request, {"content-type": "application/json"})
    came = Response.make(200, b"", Headers(content_type="text/event-stream", **headers))
    came.raw_content = answer
    return tflow(req=sent, resp=came)


def answer_of(interaction: Interaction) -> bytes:
    return interaction.response.body


def said(frame: RecordedFrame) -> tuple[str, object]:
    return frame.direction, json.loads(frame.data)


def recorded() -> list[Any]:
    return [flow(each.request.body, each.response.body) for each in TAPE.interactions]


def imported(file: Path) -> Cassette:
    out = file.with_suffix(".yaml")
    assert main(["import", "mitmproxy", str(file), "--out", str(out)]) == 0
    return load_cassette(out)


def test_a_whole_session_comes_in_and_conforms(written: Any) -> None:
    cassette = imported(written(*recorded()))
    assert list(map(answer_of, cassette.interactions)) == list(map(answer_of, TAPE.interactions))
    assert verify(cassette).violations == ()
    assert cassette.provenance.kind == "recorded"
    assert str(cassette.provenance.tool).startswith("mitmproxy (read by ")
    assert str(cassette.provenance.captured_at).endswith("Z")


def test_a_compressed_body_is_decoded(written: Any) -> None:
    (first, _) = recorded()
    first.response.headers["content-encoding"] = "gzip"
    first.response.raw_content = gzip.compress(TAPE.interactions[0].response.body)
    (interaction,) = imported(written(first)).interactions
    assert interaction.response.body == TAPE.interactions[0].response.body
    assert "content-encoding" not in interaction.response.headers


def test_a_body_that_was_streamed_and_not_kept_is_refused_by_its_number(
    written: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(recorded()[0], flow(b"{}", None))
    assert main(["import", "mitmproxy", str(file), "--out", str(tmp_path / "s.yaml")]) == 2
    err = capsys.readouterr().err
    assert "flow 2: POST /backend-api/f/conversation is an event stream" in err
    assert "store_streamed_bodies=true (mitmproxy 12 or later)" in err


def test_a_body_that_can_not_be_decoded_is_refused(
    written: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = flow(b"{}", b"not gzip", content_encoding="gzip")
    assert main(["import", "mitmproxy", str(written(broken)), "--out", str(tmp_path / "s.yaml")]) == 2
    assert "flow 1: its body can't be decoded" in capsys.readouterr().err


def test_a_compressed_stream_that_broke_off_is_kept_as_far_as_it_came(written: Any) -> None:
    packed = gzip.compress(TAPE.interactions[0].response.body)
    cut = flow(b"{}", packed[: len(packed) // 2], content_encoding="gzip")
    cassette = imported(written(cut))
    body = cassette.interactions[0].response.body
    assert body
    assert TAPE.interactions[0].response.body.startswith(body)
    assert "flow 1: the gzip body ends early" in cassette.provenance.gaps


def test_a_flow_of_something_else_does_no_harm_whatever_its_body(written: Any) -> None:
    odd = flow(b"", b"not gzip", content_encoding="gzip")
    odd.request.url = "https://chat.example/logo.png"
    cassette = imported(written(odd, *recorded()))
    assert len(cassette.interactions) == 2
    assert "1 other exchanges of the source are left out." in cassette.provenance.gaps


def test_an_unanswered_request_and_an_error_are_told_apart(written: Any) -> None:
    from mitmproxy.test.tflow import terr

    silent, broken = flow(b"{}", b""), flow(b"{}", b"data: x\n\n")
    silent.response, broken.error = None, terr()
    cassette = imported(written(silent, broken))
    assert [each.response.end for each in cassette.interactions] == ["reset"]
    assert f"flow 1: POST {URL} was never answered, and is left out" in cassette.provenance.gaps


def test_the_websocket_of_an_app_server_becomes_a_codex_cassette(written: Any) -> None:
    from mitmproxy.test.tflow import twebsocketflow
    from mitmproxy.websocket import WebSocketMessage
    from wsproto.frame_protocol import Opcode

    opened, at = twebsocketflow(), 100.0
    opened.websocket.messages = []
    for frame in CODEX.frames:
        at += frame.delay / 1000
        message = WebSocketMessage(Opcode.TEXT, frame.direction == "client", frame.data, at)
        opened.websocket.messages.append(message)
    cassette = imported(written(opened))
    assert list(map(said, cassette.frames)) == list(map(said, CODEX.frames))
    delays = [each.delay for each in CODEX.frames]
    assert [each.delay for each in cassette.frames] == pytest.approx(delays, abs=0.01)
    assert cassette.model == CODEX.model


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", "expected HTTP flows, got none"), (b"nonsense", "expected a file of mitmproxy's flows")],
)
def test_another_file_is_refused(
    data: bytes, why: str, written: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written()
    file.write_bytes(data)
    assert main(["import", "mitmproxy", str(file), "--out", str(tmp_path / "s.yaml")]) == 2
    assert f"s.flow: {why}" in capsys.readouterr().err
