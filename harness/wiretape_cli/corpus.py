"""The folder of an attack: what failed, what was tried so far, and the finds as files."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from hypothesis.database import ExampleDatabase

from wiretape import __version__, strictjson
from wiretape.cassette import load_cassette, save
from wiretape.fuzzing import Find, Misdeed, cassette, session_cassettes, vector
from wiretape.imports import SourceError
from wiretape_cli.databases import Databases, databases_at
from wiretape_cli.errors import SetupError

TOOL = f"wiretape {__version__}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A folder that may be kept, and shared by runs, also by some that go on at the same time.

    ``examples/`` is Hypothesis's database, ``finds/`` has a cassette for each find, and for a decoder's a
    vector; ``progress/`` has a file for each attack, which says how far a run came that was not finished.
    """

    folder: Path
    examples: Databases | None = None
    """The database, where it is kept in another place."""

    def database(self, kind: str) -> ExampleDatabase:
        databases = self.examples or databases_at(str(self.folder / "examples"))
        return databases(kind)

    def _progress(self, attack: Mapping[str, Any]) -> Path:
        name = sha256(_text(attack)).hexdigest()[:16]
        return self.folder / "progress" / f"{name}.json"

    def progress(self, attack: Mapping[str, Any]) -> dict[str, int]:
        """How many examples of each kind an unfinished run of the same attack has tried."""
        try:
            kept = strictjson.loads(self._progress(attack).read_bytes())
        except (FileNotFoundError, strictjson.StrictJSONError):
            return {}
        same = isinstance(kept, dict) and strictjson.equal(kept.get("attack"), dict(attack))
        return dict(kept["examples"]) if same else {}

    def keep_progress(self, attack: Mapping[str, Any], examples: Mapping[str, int]) -> None:
        _write(self._progress(attack), _text({"attack": attack, "examples": examples}))

    def finish(self, attack: Mapping[str, Any]) -> None:
        """Let the next run of this attack begin anew."""
        self._progress(attack).unlink(missing_ok=True)

    def keep(self, find: Find) -> list[Path]:
        """Write a find, as a vector and as a cassette; the newest of a kind takes the place of the others."""
        written = self.folder / "finds" / f"{find.kind}.json"
        _write(written, json.dumps(vector(find), indent=2).encode() + b"\n")
        try:
            played = cassette(find, tool=TOOL)
        except SourceError:
            return [written]
        save(played, written.with_suffix(".yaml"), overwrite=True)
        return [written.with_suffix(".yaml"), written]

    def keep_session(self, kind: str, found: Misdeed) -> list[Path]:
        """Write the session of a find as a cassette, and its usual form beside it where the two differ."""
        folder = self.folder / "finds"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{kind}.yaml"
        plain_of(file).unlink(missing_ok=True)
        written = session_cassettes(kind, found, tool=TOOL)
        files = [file, plain_of(file)][: len(written)]
        for each, to in zip(written, files, strict=True):
            save(each, to, overwrite=True)
        return files


def _text(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode()


def _write(file: Path, data: bytes) -> None:
    """Write a file whole or not at all, whoever else writes it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    draft.write_bytes(data)
    draft.replace(file)


def plain_of(file: Path) -> Path:
    """Where the usual form of a saved session is."""
    return file.with_suffix(".plain.yaml")


def stream_in(file: Path) -> bytes:
    """The stream of a saved find: a vector's (.json), or that of a cassette's first answer."""
    if file.suffix != ".json":
        interactions = load_cassette(file).interactions
        if not interactions:
            raise SetupError(f"{file}: expected a cassette with a stream, got one without any interaction")
        return interactions[0].response.body
    try:
        return base64.b64decode(strictjson.loads(file.read_bytes())["sse_base64"], validate=True)
    except (ValueError, KeyError, TypeError):
        raise SetupError(f"{file}: expected a vector with a stream under sse_base64") from None
