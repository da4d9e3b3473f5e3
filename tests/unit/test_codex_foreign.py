from __future__ import annotations

import json
from typing import Any

import pytest

from wiretape.codex.foreign import read
from wiretape.transcript import Frame, Link
from wiretape.transcript_file import TranscriptError


def log(*lines: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps({"t": 0.5, "conn": "c1"} | line) for line in lines).encode()


def test_messages_become_frames_in_their_order() -> None:
    transcript = read(
        log(
            {"dir": "client->server", "msg": {"id": 1, "method": "é"}},
            {"dir": "server->client", "msg": {"id": 1, "result": 1.0}},
            {"dir": "client->server", "msg": {"_raw": "not json"}, "conn": "c2", "t": 1},
        ),
        "x",
    )
    assert (transcript.protocol, transcript.name, transcript.live) == ("codex", "x", False)
    assert transcript.entries == [
        Frame(direction="client", data=b'{"id":1,"method":"\\u00e9"}', connection="c1", at=0.5),
        Frame(direction="server", data=b'{"id":1,"result":1.0}', connection="c1", at=0.5),
        Frame(direction="client", data=b"not json", connection="c2", at=1.0),
    ]


@pytest.mark.parametrize("raw", ["", "[1]", "\ud800", '{"a":\n'])
def test_raw_text_is_kept_as_it_was(raw: str) -> None:
    (entry,) = read(log({"dir": "client->server", "msg": {"_raw": raw}})).entries
    assert isinstance(entry, Frame)
    assert entry.data == raw.encode("utf-8", "surrogatepass")


def links(*remarks: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    lines = ({"dir": "meta", "msg": remark} for remark in remarks)
    entries = [entry for entry in read(log(*lines)).entries if isinstance(entry, Link)]
    return [(entry.what, entry.transport, entry.by, entry.detail) for entry in entries]


def test_a_process_is_a_connection_that_ends_once() -> None:
    remarks = links({"spawn": ["codex"]}, {"stdout": "EOF"}, {"exit": 0}, {"exit": 0})
    assert remarks == [("opened", "stdio", "client", ""), ("closed", "stdio", "client", "exit code 0")]


def test_a_process_that_dies_went_by_itself() -> None:
    assert links({"spawn": ["codex"]}, {"exit": 3})[-1] == ("closed", "stdio", "server", "exit code 3")


def test_a_websocket_is_opened_where_it_was_accepted() -> None:
    assert links({"connect": "ws://x", "accepted": True}, {"closed": None}) == [
        ("opened", "websocket", "client", ""),
        ("closed", "websocket", "client", ""),
    ]
    assert links({"connect": "ws://x", "accepted": False}, {"closed": None}) == []


def test_what_is_not_about_the_client_is_left_out() -> None:
    transcript = read(
        log(
            {"dir": "stderr", "msg": "text"},
            {"dir": "codex->provider", "msg": {}, "conn": None},
            {"dir": "meta", "msg": {"spawn": ["codex"]}, "conn": None},
            {"dir": "meta", "msg": "remark"},
            {"dir": None, "msg": {}},
        )
        + b"\n\n"
    )
    assert transcript.entries == []


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"{", "x: line 1: expected a JSON object"),
        (b"[]", 'line 1: expected an object with "dir" and "msg"'),
        (b'{"dir": "stderr", "msg": ""}\n{"dir": 1}', 'line 2: expected an object with "dir" and "msg"'),
        (b'{"dir": "stderr", "msg": "", "t": "0"}', "line 1: t: expected seconds, got '0'"),
        (b'{"dir": "stderr", "msg": "", "t": true}', "line 1: t: expected seconds, got True"),
    ],
)
def test_what_is_no_log_is_refused_with_its_line(data: bytes, complaint: str) -> None:
    with pytest.raises(TranscriptError, match=complaint):
        read(data, "x")
