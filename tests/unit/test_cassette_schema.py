"""The published schema of the format takes what the loader takes, and refuses what it refuses."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from tests.schemas import complaint
from wiretape.cassette import CassetteError, bundled, bundled_directory, loads


@pytest.mark.parametrize("name", bundled())
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
}


@pytest.mark.parametrize("case", SPOILT)
def test_schema_and_loader_refuse_a_spoilt_cassette(case: str) -> None:
    (*way, last), value = SPOILT[case]
    document: Any = copy.deepcopy(parsed("alefita_way"))
    holder = document
    for step in way:
        holder = holder[step]
    holder[last] = value
    assert complaint("cassette", document) is not None
    with pytest.raises(CassetteError):
        loads(yaml.safe_dump(document).encode())


def parsed(name: str) -> Any:
    return yaml.safe_load((bundled_directory() / "flow_a" / f"{name}.yaml").read_bytes())
