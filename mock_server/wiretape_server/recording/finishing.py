"""The end of a recording: the sidecar becomes a cassette, without secrets, and then goes away."""

from __future__ import annotations

from pathlib import Path

from wiretape.cassette import Cassette, dumps, save
from wiretape.redaction import Redactor, SaveRefused, scan
from wiretape_server.recording.recovery import recover


def partial_of(out: Path) -> Path:
    """The sidecar of a cassette's file."""
    return out.with_name(f"{out.name}.partial")


def finish(partial: Path, out: Path, redactor: Redactor, *, overwrite: bool = False) -> Cassette:
    """Save what a sidecar holds as a cassette, and take the sidecar away.

    Raises SidecarError when it holds nothing, CassetteError when ``out`` can't be written, SaveRefused when a
    secret is left: the sidecar then stays.
    """
    cassette = redactor.cassette(recover(partial))
    hits = scan(dumps(cassette), redactor.secrets, redactor.rules)
    if hits:
        raise SaveRefused(hits)
    out.parent.mkdir(parents=True, exist_ok=True)
    save(cassette, out, overwrite=overwrite)
    partial.unlink()
    return cassette
