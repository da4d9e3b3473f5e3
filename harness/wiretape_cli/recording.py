"""``record flow-a``: run a reverse proxy until a signal comes, then save the cassette."""

from __future__ import annotations

import os
from pathlib import Path

from wiretape import strictjson
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.recording_screen import watch
from wiretape_cli.saving import begin, conclude, redactor_of, refuse_existing
from wiretape_cli.screen import put
from wiretape_cli.serving import started
from wiretape_cli.signals import ended_by_signal
from wiretape_server.recording.server import RecorderThread
from wiretape_server.recording.upstream import Upstream, parse, trust


def record_flow_a(upstream: str, out: Path, *, port: int, ca: Path | None, redact: Path | None) -> Exit:
    """Record until a signal. Raises SetupError, OptionError, CassetteError."""
    refuse_existing(out)
    backend = Upstream(parse(upstream), trust(ca))
    redactor = redactor_of(redact)
    recording = begin(out, redactor, basis=f"a reverse proxy before {backend.address.authority}")
    ended = ended_by_signal()
    try:
        with started(RecorderThread(backend, recording, port=port)) as recorder:
            put(strictjson.dumps({"base_url": recorder.base_url, "pid": os.getpid()}))
            watch(recording, ended)
    except SetupError:
        recording.discard()
        raise
    recording.close()
    return conclude(recording, out)
