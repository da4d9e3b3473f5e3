"""The begin of a recording: its sidecar beside the cassette to be, under the clocks of this machine."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from wiretape.redaction import Redactor
from wiretape_server.recording.finishing import partial_of
from wiretape_server.recording.session import Recording


def begin(
    out: Path, redactor: Redactor, *, basis: str, protocol: Literal["flow_a", "codex"] = "flow_a"
) -> Recording:
    """Open the sidecar of a cassette's file. Only one can be open: raises FileExistsError, OSError."""
    out.parent.mkdir(parents=True, exist_ok=True)
    return Recording(
        partial_of(out),
        redactor=redactor,
        clock=time.monotonic,
        captured_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        basis=basis,
        protocol=protocol,
    )
