"""Logs of an app-server's messages: JSON lines, with a member that says who sent each."""

from __future__ import annotations

from typing import Final

from wiretape.cassette.model import Cassette, Provenance
from wiretape.codex.foreign import LogKeys, read
from wiretape.imports.exchange import SourceError
from wiretape.imports.sessions import codex_cassette, recorded_frames
from wiretape.transcript import Frame
from wiretape.transcript_file import TranscriptError

_HINT: Final = (
    "Say how this log writes it: --direction-key NAME, --message-key NAME, --client VALUE, --server VALUE"
)


def read_codex_log(data: bytes, *, name: str, keys: LogKeys, tool: str) -> Cassette:
    """Make a cassette of a log. Raises SourceError, with the number of the line where there is one."""
    try:
        entries = read(data, name, keys).entries
    except TranscriptError as error:
        raise SourceError(f"{error}\n{_HINT}") from None
    frames = [each for each in entries if isinstance(each, Frame)]
    lines = sum(bool(line.strip()) for line in data.split(b"\n"))
    if not frames:
        raise SourceError(
            f"{name}: expected lines whose {keys.direction!r} is {keys.client!r} or {keys.server!r}, "
            f"got none of {lines}\n{_HINT}"
        )
    gaps = ["The log holds messages as JSON values: their blanks and escapes are not captured."]
    if not any(each.at for each in frames):
        gaps.append("The log has no times.")
    if lines > len(frames):
        gaps.append(f"{lines - len(frames)} lines of other directions are left out.")
    gaps.append("When it was captured is not known.")
    provenance = Provenance(kind="recorded", tool=tool, basis=(f"the log {name}",), gaps=tuple(gaps))
    return codex_cassette(recorded_frames(frames), provenance)
