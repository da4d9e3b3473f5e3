"""Cassettes: files with recorded exchanges. The format is described in docs/cassette-format.md."""

from __future__ import annotations

from wiretape.cassette.lookup import bundled, bundled_directory, load_cassette
from wiretape.cassette.model import (
    Cassette,
    CassetteError,
    Chunks,
    ClientStep,
    Expect,
    Interaction,
    ModelCall,
    ModelError,
    ModelText,
    Provenance,
    RecordedFrame,
    RecordedRequest,
    RecordedResponse,
    Step,
)
from wiretape.cassette.reader import loads
from wiretape.cassette.saving import save
from wiretape.cassette.writer import dumps

__all__ = [
    "Cassette",
    "CassetteError",
    "Chunks",
    "ClientStep",
    "Expect",
    "Interaction",
    "ModelCall",
    "ModelError",
    "ModelText",
    "Provenance",
    "RecordedFrame",
    "RecordedRequest",
    "RecordedResponse",
    "Step",
    "bundled",
    "bundled_directory",
    "dumps",
    "load_cassette",
    "loads",
    "save",
]
