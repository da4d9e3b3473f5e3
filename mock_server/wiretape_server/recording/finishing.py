"""The end of a recording: the sidecar becomes a cassette, without secrets, and then goes away."""

from __future__ import annotations

from pathlib import Path

from wiretape.cassette import Cassette, dumps, save
from wiretape.codex.script import scripted, unscripted
from wiretape.imports.told import told
from wiretape.redaction import Redactor, refuse_secrets
from wiretape_server.recording.codex_recovery import joined
from wiretape_server.recording.locking import lock
from wiretape_server.recording.recovery import EmptyRecordingError, SidecarError, recover


def partial_of(out: Path) -> Path:
    """The sidecar of a cassette's file."""
    return out.with_name(f"{out.name}.partial")


def _refuse_live(partial: Path) -> None:
    with partial.open("r+b") as file:
        if not lock(file):
            raise SidecarError(
                f"{partial} is still being written: the recording goes on. End it (Ctrl-C in its terminal, "
                "or the client that started it); then it saves itself"
            )


def finish(
    partial: Path,
    out: Path,
    redactor: Redactor,
    *,
    overwrite: bool = False,
    behind: Cassette | None = None,
) -> Cassette:
    """Save what a sidecar holds as a cassette, and take the sidecar away.

    ``behind``: the codex cassette of the same client's session so far, to go on with.

    Raises EmptyRecordingError when it holds no answer: then too it goes away. Raises CassetteError when
    ``out`` can't be written or the recording goes on, SaveRefused when a secret is left: then it stays.
    """
    _refuse_live(partial)
    try:
        recovered = recover(partial)
    except EmptyRecordingError:
        partial.unlink()
        raise
    cassette = redactor.cassette(recovered)
    if cassette.protocol == "codex":
        cassette = scripted(cassette if behind is None else joined(unscripted(behind), cassette))
    cassette = told(cassette, "Recorded")
    refuse_secrets(dumps(cassette), redactor)
    out.parent.mkdir(parents=True, exist_ok=True)
    save(cassette, out, overwrite=overwrite)
    partial.unlink()
    return cassette
