"""The published schema of the format takes what the loader takes, and refuses what it refuses."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from tests.schemas import complaint
from wiretape.cassette import CassetteError, bundled, bundled_directory, loads


@pytest.mark.parametrize("name", [f"{each}/{name}" for each in ("flow_a", "codex") for name in bundled(each)])
def test_the_schema_takes_a_bundled_cassette(name: str) -> None:
    assert complaint("cassette", parsed(name)) is None


SPOILT: dict[str, tuple[list[str | int], object]] = {
    "another format": (["format"], 2),
    "an unknown key": (["titel"], "t"),
    "a title that is no text": (["title"], 1),
    "an unknown kind": (["provenance", "kind"], "real"),
    "an unknown key in the provenance": (["provenance", "from"], "here"),
    "a result that is neither object nor echo": (["expect", "results", "alefita_way"], "ECHO"),
    "no interactions": (["interactions"], []),
    "an unknown key in an interaction": (["interactions", 0, "frames"], ""),
    "a method in small letters": (["interactions", 0, "request", "method"], "post"),
    "a header that is no text": (["interactions", 0, "request", "headers", "content-length"], 12),
    "a status that is none": (["interactions", 0, "response", "status"], 99),
    "an unknown end": (["interactions", 0, "response", "end"], "finished"),
    "a bad chunk line": (["interactions", 0, "response", "chunks"], "0+1\n1+\n"),
    "a chunk of no bytes": (["interactions", 0, "response", "chunks"], "0+0\n"),
    "a body that is no text": (["interactions", 0, "response", "body"], {"base65": ""}),
    "a model beside exchanges": (["model"], [{"items": []}]),
    "a client beside exchanges": (["client"], [{"turn": "go"}]),
    "frames beside exchanges": (["frames"], "> 0 {}\n"),
}
SPOILT_SESSIONS: dict[str, tuple[list[str | int], object]] = {
    "exchanges beside a model": (["interactions"], [{"request": {"method": "GET", "path": "/"}}]),
    "a model that does nothing": (["model"], []),
    "a step of nothing": (["model", 0], {}),
    "a step of two kinds": (["model", 0, "wait"], "until_interrupt"),
    "an unknown wait": (["model", 0], {"wait": "forever"}),
    "an item of two kinds": (["model", 0, "items", 0, "text"], "done"),
    "a call without arguments": (["model", 0, "items", 0, "call"], {"id": "c", "tool": "t"}),
    "a call with its arguments twice": (["model", 0, "items", 0, "call", "arguments_text"], "{}"),
    "a call without a tool": (["model", 0, "items", 0, "call"], {"id": "c", "arguments": {}}),
    "an error of no status": (["model", 0], {"error": {"status": 99}}),
    "a client that does nothing": (["client"], []),
    "a client that does two things in one step": (["client"], [{"turn": "go", "login": "me"}]),
    "a client that resumes elsewhere": (["client"], [{"resume": "tomorrow"}]),
    "frames of nothing": (["frames"], ""),
    "a frame that goes nowhere": (["frames"], "> 0 {}\n0 {}\n"),
    "a frame with four decimals": (["frames"], "> 0.0001 {}\n"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_schema_and_loader_refuse_a_spoilt_cassette(case: str) -> None:
    refused_by_both("flow_a/alefita_way", *SPOILT[case])


@pytest.mark.parametrize("case", SPOILT_SESSIONS)
def test_schema_and_loader_refuse_a_spoilt_session(case: str) -> None:
    refused_by_both("codex/dynamic_tool_text", *SPOILT_SESSIONS[case])


def refused_by_both(name: str, place: list[str | int], value: object) -> None:
    *way, last = place
    document: Any = copy.deepcopy(parsed(name))
    holder = document
    for step in way:
        holder = holder[step]
    holder[last] = value
    assert complaint("cassette", document) is not None
    with pytest.raises(CassetteError):
        loads(yaml.safe_dump(document).encode())


def parsed(name: str) -> Any:
    return yaml.safe_load((bundled_directory() / f"{name}.yaml").read_bytes())
