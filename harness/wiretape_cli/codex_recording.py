"""``record codex`` over stdio: be the program, then save the cassette."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from wiretape.cassette import Cassette, load_cassette
from wiretape_cli.errors import SetupError
from wiretape_cli.saving import begin, conclude, redactor_of, refuse_existing, refuse_partial
from wiretape_cli.screen import say
from wiretape_server.recording.codex_session import CodexRecording
from wiretape_server.recording.codex_stdio import StdioTee, exit_code

_SERVER = "app-server"


def record_stdio(command: Sequence[str], *, out: Path, append: bool, redact: Path | None) -> int:
    """Be the program, and give its exit code; where that is 0, what became of the recording.

    Raises SetupError, CassetteError.
    """
    try:
        if _SERVER not in command:
            return exit_code(subprocess.call(command))
        # Its other arguments may be secrets, of any looks.
        basis = f"a tee on the stdio of {Path(command[0]).name} {_SERVER}"
        before, session = begin_session(out, basis, append, redact)
        try:
            code = StdioTee(command, session).run()
        except OSError:
            session.recording.discard()
            raise
    except OSError as error:
        raise SetupError(f"{command[0]} can't be started: {error.strerror or error}") from None
    session.close()
    try:
        saved = conclude(session.recording, out, behind=before)
    except SetupError as error:
        if not code:
            raise
        say(f"Error: {error}")
        return code
    return code or saved


def begin_session(
    out: Path, basis: str, append: bool, redact: Path | None
) -> tuple[Cassette | None, CodexRecording]:
    """Open the sidecar; also the cassette to go on with, if there is one."""
    redactor = redactor_of(redact)
    before = None
    if append and out.exists():
        refuse_partial(out)
        before = redactor.cassette(load_cassette(out))  # so that its pseudonyms stay apart from new ones
        if before.protocol != "codex":
            raise SetupError(f"{out} holds {before.protocol}, not codex. Choose another --out.")
    else:
        refuse_existing(out)
    return before, CodexRecording(begin(out, redactor, basis=basis, protocol="codex"))
