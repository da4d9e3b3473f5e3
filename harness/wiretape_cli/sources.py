"""A file that holds a recorded session: a cassette, a saved transcript, or a log of the app-server."""

from __future__ import annotations

from pathlib import Path

from wiretape import strictjson
from wiretape.cassette import Cassette, load_cassette, loads
from wiretape.codex.foreign import read as read_log
from wiretape.profiles import PROFILES
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import Frame, Transcript
from wiretape.transcript_file import TranscriptError, load
from wiretape_cli.errors import SetupError

CASSETTE_ENDINGS = (".yaml", ".yml")
_MADE_BY = {
    ".har": ". A cassette is made of it by: wiretape import har",
    ".sse": ". A cassette is made of it by: wiretape import sse",
    ".flow": ". A cassette is made of it by: wiretape import mitmproxy",
    ".partial": ". A cassette is made of it by: wiretape record --recover",
}
"""What to do with a file that holds something else, by its ending."""


def find_session(name: str) -> Cassette | Transcript:
    """Read a file, or the bundled cassette of this name. Raises SetupError or CassetteError."""
    return read_session(Path(name)) if Path(name).is_file() else load_cassette(name)


def read_session(path: Path) -> Cassette | Transcript:
    """Read a file. Raises SetupError or CassetteError, also for a protocol or profile that has no rules."""
    subject = _read(path)
    known = PROFILES.get(subject.protocol)
    if known is None:
        names = " or ".join(PROFILES)
        raise SetupError(f"{path}: protocol: expected {names}, got {subject.protocol!r}")
    if subject.profile not in ("", *known):
        raise SetupError(f"{path}: profile: expected one of {', '.join(known)}, got {subject.profile!r}")
    return subject


def _read(path: Path) -> Cassette | Transcript:
    data = path.read_bytes()
    if path.suffix in CASSETTE_ENDINGS:
        return loads(data, name=path.stem, source=str(path))
    is_log = is_codex_log(data)
    try:
        transcript = read_log(data, path.stem) if is_log else load(data, path.stem)
    except TranscriptError as error:
        raise SetupError(f"{path}: {error}{_MADE_BY.get(path.suffix.lower(), '')}") from None
    if is_log and not any(isinstance(entry, Frame) for entry in transcript.entries):
        raise SetupError(
            f"{path}: expected lines whose 'dir' is 'client->server' or 'server->client', got none. "
            "A log that is written otherwise: wiretape import codex-jsonl."
        )
    return transcript


def is_codex_log(data: bytes) -> bool:
    """Whether the first line is that of an app-server log: an object with ``dir`` and ``msg``."""
    try:
        first = strictjson.loads(data.partition(b"\n")[0])
    except StrictJSONError:
        return False
    return isinstance(first, dict) and {"dir", "msg"} <= first.keys()
