"""``record codex``: be the program, or stand before its websocket; then save the cassette."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from wiretape import strictjson
from wiretape.cassette import Cassette, load_cassette
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.recording import begin, conclude, redactor_of, refuse_existing, refuse_partial
from wiretape_cli.recording_screen import watch
from wiretape_cli.screen import put
from wiretape_cli.serving import ended_by_signal, started
from wiretape_server.recording.codex_session import CodexRecording
from wiretape_server.recording.codex_stdio import StdioTee
from wiretape_server.recording.codex_ws import Address, WebsocketTeeThread

_SERVER = "app-server"


def record_stdio(command: Sequence[str], *, out: Path, append: bool, redact: Path | None) -> int:
    """Be the program, and give its exit code; where that is 0, what became of the recording.

    Raises SetupError, CassetteError.
    """
    try:
        if _SERVER not in command:
            return subprocess.call(command)
        before, session = _begin(out, f"a tee on the stdio of {shlex.join(command)}", append, redact)
        try:
            code = StdioTee(command, session).run()
        except OSError:
            session.recording.discard()
            raise
    except OSError as error:
        raise SetupError(f"{command[0]} can't be started: {error.strerror or error}") from None
    session.close()
    saved = conclude(session.recording, out, behind=before)
    return code or saved


def record_websocket(listen: str, upstream: str, *, out: Path, append: bool, redact: Path | None) -> Exit:
    """Record until a signal. Raises SetupError, OptionError, CassetteError."""
    here, there = Address(listen, "--listen"), Address(upstream, "--upstream")
    before, session = _begin(out, f"a tee before the websocket {there.authority}", append, redact)
    ended = ended_by_signal()
    try:
        with started(WebsocketTeeThread(here, there, session)) as tee:
            put(strictjson.dumps({"codex_ws_url": tee.url, "pid": os.getpid()}))
            watch(session.recording, ended)
    except SetupError:
        session.recording.discard()
        raise
    session.close()
    return conclude(session.recording, out, behind=before)


def _begin(
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
