"""What every ``record`` and ``import`` begins and ends with: no file is overwritten, no secret is saved.

A client starts ``record codex`` in the place of a program and waits for it: nothing heavy is imported here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from wiretape.cassette import Cassette, CassetteError
from wiretape.redaction import DEFAULT, Redactor, RulesError, SaveRefused, load_rules
from wiretape.report import counted
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import say
from wiretape_server.recording import beginning
from wiretape_server.recording.finishing import finish, partial_of
from wiretape_server.recording.session import Recording


def redactor_of(redact: Path | None) -> Redactor:
    """A redactor with the rules of a file beside its own. Raises SetupError."""
    try:
        return Redactor(load_rules(redact) if redact else DEFAULT)
    except RulesError as error:
        raise SetupError(str(error)) from None


def refuse_existing(out: Path) -> None:
    """Raise SetupError where a recording would overwrite a cassette or the rest of another recording."""
    if out.exists():
        raise SetupError(f"{out} exists. Choose another --out, or move it away.")
    refuse_partial(out)


def refuse_partial(out: Path) -> None:
    """Raise SetupError where the rest of another recording is."""
    partial = partial_of(out)
    if partial.exists():
        raise SetupError(
            f"{partial} exists: another recording is writing it, or one was killed. "
            f"Save that one with: wiretape record --recover {partial} --out FILE; or remove it."
        )


def begin(
    out: Path, redactor: Redactor, *, basis: str, protocol: Literal["flow_a", "codex"] = "flow_a"
) -> Recording:
    """Open the sidecar of a cassette's file. Raises SetupError."""
    try:
        return beginning.begin(out, redactor, basis=basis, protocol=protocol)
    except OSError as error:
        raise SetupError(f"{partial_of(out)} can't be written: {error.strerror or error}") from None


def conclude(recording: Recording, out: Path, *, behind: Cassette | None = None) -> Exit:
    """Save a recording that was closed. Raises SetupError when it broke off, and what ``save`` raises."""
    if recording.failure:
        raise SetupError(
            f"the recording broke off: {recording.failure}. The client's traffic went on. "
            f"What was written is kept: wiretape record --recover {recording.partial} --out FILE"
        )
    return save(recording.partial, out, recording.redactor, behind=behind)


def say_saved(cassette: Cassette, out: Path, *, gaps: str) -> None:
    """Say what a new cassette holds, and what it lacks, which is called ``gaps``."""
    what, parts = ("message", cassette.frames) if cassette.frames else ("interaction", cassette.interactions)
    say(f"saved {out}: {counted(len(parts), what)}")
    for gap in cassette.provenance.gaps:
        say(f"  {gaps}: {gap}")


def save(
    partial: Path, out: Path, redactor: Redactor | None = None, *, behind: Cassette | None = None
) -> Exit:
    """Make the cassette of a sidecar, which goes away then. Raises CassetteError.

    ``behind``: the cassette at ``out``, of the session so far.
    """
    try:
        cassette = finish(partial, out, redactor or Redactor(), behind=behind, overwrite=behind is not None)
    except SaveRefused as refused:
        say(f"Error: {out} was not saved, {partial} is kept: {refused}")
        return Exit.LINT
    except CassetteError as error:
        kept = f"\n{partial} is kept" if partial.exists() else ""
        raise SetupError(f"{error}{kept}") from None
    say_saved(cassette, out, gaps="note")
    if cassette.protocol == "codex":
        return Exit.FINE
    from wiretape_cli.playable import say_what_plays

    return say_what_plays(cassette, out)
