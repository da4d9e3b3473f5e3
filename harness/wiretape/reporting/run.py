"""What a report says about the run itself: everything that knows how it came about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from wiretape.cassette import Cassette, dumps
from wiretape.codex.rules import source as codex
from wiretape.flow_a.rules import source as flow_a
from wiretape.redaction import Redactor
from wiretape.transcript import Request, Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Hashed:
    """A file that the run went by: a cassette, a transcript, or the source document of a protocol's rules."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientEnd:
    """How the client's run with one cassette ended. ``exit_code``: None when the time limit ended it."""

    cassette: str
    exit_code: int | None
    timed_out: bool
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of ``check``, ``verify`` or pytest. What does not apply to it is None and not reported."""

    version: str
    command: tuple[str, ...] | None = None
    """The client's command, or pytest's."""
    files: tuple[str, ...] | None = None
    """What was judged, where nothing was played."""
    sources: tuple[Hashed, ...] = ()
    """The source documents of the rules."""
    cassettes: tuple[Hashed, ...] = ()
    pace: str | None = None
    chunks: str | None = None
    ids: str | None = None
    strict: bool | None = None
    profile: str | None = None
    seed: int | str | None = None
    faults: tuple[str, ...] | None = None
    timeout: float | None = None
    seconds: float | None = None
    clients: tuple[ClientEnd, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """The report's ``run``."""
        return {
            each.name: _plain(value)
            for each in fields(self)
            if (value := getattr(self, each.name)) is not None
        }


def hidden(command: Sequence[str], transcripts: Iterable[Transcript] = ()) -> tuple[str, ...]:
    """A command without secrets, as told by their looks, the option before them, or the headers sent."""
    redactor = Redactor()
    for transcript in transcripts:
        for entry in transcript.entries:
            if isinstance(entry, Request):
                redactor.headers(entry.headers)
    words = []
    for before, word in pairwise(("", *command)):
        option = f"{before}=" if before.startswith("-") and not word.startswith("-") else ""
        words.append(redactor.text(option + redactor.text(word))[len(option) :])
    return tuple(words)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, (Hashed, ClientEnd)):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return value


_SOURCES: Final = {
    "flow_a": Hashed(name=flow_a.SEED, sha256=flow_a.SEED_SHA256),
    "codex": Hashed(name=codex.SEED, sha256=codex.SEED_SHA256),
}
"""The source document of each protocol's rules."""


def sources(protocols: Iterable[str]) -> tuple[Hashed, ...]:
    """The source documents of these protocols, each once."""
    return tuple(_SOURCES[each] for each in sorted(set(protocols)))


def cassette_file(cassette: Cassette) -> Hashed:
    """A cassette's identity: its file's hash, or, where none holds it, that of the file it would be."""
    source = Path(cassette.source) if cassette.source else None
    data = source.read_bytes() if source is not None and source.is_file() else dumps(cassette)
    return Hashed(name=cassette.name, sha256=hashlib.sha256(data).hexdigest())


def short(file: str) -> str:
    """A file as findings name it where no project is around it: its folder and name."""
    return "/".join(Path(file).parts[-2:])


def judged_file(path: Path) -> Hashed:
    """A file that is judged as it is."""
    return Hashed(name=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest())
