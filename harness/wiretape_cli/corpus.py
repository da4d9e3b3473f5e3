"""The folder of an attack: what failed, what was tried so far, and the finds as files."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis.database import DirectoryBasedExampleDatabase

from wiretape import __version__, strictjson
from wiretape.cassette import load_cassette, save
from wiretape.fuzzing import Find, Misdeed, cassette, session_cassettes, vector
from wiretape.imports import SourceError
from wiretape_cli.errors import SetupError

TOOL = f"wiretape {__version__}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A folder that may be kept, and shared by runs that follow one another.

    ``examples/`` is Hypothesis's database, ``finds/`` has a cassette and a vector for each find, and
    ``progress.json`` says how far a run came that was not finished.
    """

    folder: Path

    def database(self, kind: str) -> DirectoryBasedExampleDatabase:
        return DirectoryBasedExampleDatabase(self.folder / "examples" / kind)

    @property
    def _progress(self) -> Path:
        return self.folder / "progress.json"

    def progress(self, attack: Mapping[str, Any]) -> dict[str, int]:
        """How many examples of each kind an unfinished run of the same attack has tried."""
        try:
            kept = strictjson.loads(self._progress.read_bytes())
        except (FileNotFoundError, strictjson.StrictJSONError):
            return {}
        same = isinstance(kept, dict) and strictjson.equal(kept.get("attack"), dict(attack))
        return dict(kept["examples"]) if same else {}

    def keep_progress(self, attack: Mapping[str, Any], examples: Mapping[str, int]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self._progress.with_suffix(".draft")
        draft.write_text(json.dumps({"attack": attack, "examples": examples}), "utf-8")
        draft.replace(self._progress)

    def finish(self) -> None:
        """Let the next run begin anew."""
        self._progress.unlink(missing_ok=True)

    def keep(self, find: Find) -> list[Path]:
        """Write a find, as a vector and as a cassette; the newest of a kind takes the place of the others."""
        folder = self.folder / "finds"
        folder.mkdir(parents=True, exist_ok=True)
        written = folder / f"{find.kind}.json"
        written.write_text(json.dumps(vector(find), indent=2) + "\n", "ascii")
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


def plain_of(file: Path) -> Path:
    """Where the usual form of a saved session is."""
    return file.with_suffix(".plain.yaml")


def stream_in(file: Path) -> bytes:
    """The stream of a saved find: a vector's (.json), or that of a cassette's first answer."""
    if file.suffix != ".json":
        return load_cassette(file).interactions[0].response.body
    try:
        return base64.b64decode(strictjson.loads(file.read_bytes())["sse_base64"], validate=True)
    except (ValueError, KeyError, TypeError):
        raise SetupError(f"{file}: expected a vector with a stream under sse_base64") from None
