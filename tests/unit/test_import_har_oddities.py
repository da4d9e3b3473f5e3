"""HAR files as tools really write them: with parts that are missing, broken, or about something else."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.unit.test_import_har import entry, imported, recorded, socket

ELSE = "https://chat.example/logo.png"


@pytest.mark.parametrize(
    "odd",
    [
        {"request": {"method": "GET", "url": ELSE}},
        {"request": {"method": "GET", "url": ELSE}, "response": None},
        entry({"text": "*", "encoding": "base64"}, url=ELSE),
        entry({"text": ""}, url="http://[no-url"),
        entry({"text": ""}, url="data:image/png;base64,AAAA"),
    ],
)
def test_an_entry_of_something_else_does_no_harm_whatever_it_lacks(odd: dict[str, Any]) -> None:
    cassette = imported(odd, *recorded())
    assert len(cassette.interactions) == 2
    assert "1 other exchanges of the source are left out." in cassette.provenance.gaps


def test_a_request_body_that_is_not_there_is_named() -> None:
    posted = entry({"text": "data: x\n\n"})
    posted["request"] |= {"postData": {"mimeType": "application/json"}, "bodySize": 9}
    assert "entry 1: the request's body of 9 bytes is not in the source" in imported(posted).provenance.gaps


def test_base64_may_be_broken_into_lines() -> None:
    text = base64.encodebytes(b"data: x\n\n" * 20).decode()
    body = imported(entry({"text": text, "encoding": "base64"})).interactions[0].response.body
    assert body == b"data: x\n\n" * 20


def test_what_a_browser_tells_of_a_connection_is_no_message() -> None:
    said = {"type": "send", "opcode": None, "data": '{"method": "initialized"}'}
    told = [
        {"type": "error", "opcode": -1, "data": "net::ERR_CONNECTION_RESET"},
        {"type": "receive", "opcode": 9, "data": ""},
        {"type": "receive", "opcode": 8, "data": "normal closure"},
    ]
    assert [each.data for each in imported(socket([said, *told])).frames] == [b'{"method": "initialized"}']
