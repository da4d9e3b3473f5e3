"""``record codex`` over a websocket: stand before the app-server until a signal, then save the cassette."""

from __future__ import annotations

import os
from pathlib import Path

from wiretape import strictjson
from wiretape_cli.codex_recording import begin_session
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.recording_screen import watch
from wiretape_cli.saving import conclude
from wiretape_cli.screen import put
from wiretape_cli.serving import started
from wiretape_cli.signals import ended_by_signal
from wiretape_server.recording.codex_ws import Address, WebsocketTeeThread
from wiretape_server.recording.upstream import trust


def record_websocket(
    listen: str, upstream: str, *, ca: Path | None, out: Path, append: bool, redact: Path | None
) -> Exit:
    """Record until a signal. Raises SetupError, OptionError, CassetteError."""
    here, there, tls = Address(listen, "--listen"), Address(upstream, "--upstream"), trust(ca)
    before, session = begin_session(out, f"a tee before the websocket {there.authority}", append, redact)
    ended = ended_by_signal()
    try:
        with started(WebsocketTeeThread(here, there, session, tls)) as tee:
            put(strictjson.dumps({"codex_ws_url": tee.url, "pid": os.getpid()}))
            watch(session.recording, ended)
    except SetupError:
        session.recording.discard()
        raise
    session.close()
    return conclude(session.recording, out, behind=before)
