"""The tee on stdio: stands in for the program, runs the real one, and passes every byte on at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Final

from wiretape.jsonrpc import LineDecoder
from wiretape.transcript import Side
from wiretape_server.recording.codex_session import CodexRecording, Stamp

TAIL: Final = 20
"""Lines of the program's stderr that are kept."""
_PIECE: Final = 1 << 16
_WINDOWS: Final = sys.platform == "win32"
_TICK: Final = 0.5 if _WINDOWS else None
"""Seconds. With a limit: on Windows a wait without one can't be interrupted."""
_LAST_WORDS: Final = 1.0
"""Seconds to read what a program has written that is gone; one of its own children may hold the pipe open."""
_FORWARDED: Final = ("SIGINT", "SIGTERM", "SIGHUP")

Note = Callable[[bytes, Stamp], None]


def run(command: Sequence[str], recording: CodexRecording | None = None) -> int:
    """Be the program ``command`` for whoever started this process, and give its exit code.

    A program that a signal ended gives 128 and its number, as shells have it. Without a recording nothing is
    noted. Signals go on to the program. Raises OSError when it can't be started.
    """
    # A group of its own: a terminal's Ctrl-C comes to it once, by way of this process.
    own_group = {} if _WINDOWS else {"process_group": 0}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **own_group)
    _forward_signals(process)
    assert process.stdin and process.stdout and process.stderr
    tail: deque[str] = deque(maxlen=TAIL)
    connection = recording.name_connection() if recording else ""
    outputs = [
        _pump(recording, process.stdout, 1, _noting(recording, "server", connection)),
        _pump(recording, process.stderr, 2, _keeping(tail)),
    ]
    _pump(recording, 0, process.stdin, _noting(recording, "client", connection))
    code = _wait(process)
    for each in outputs:
        each.join(_LAST_WORDS)
    if recording is not None:
        recording.ended(connection, code, list(tail))
    return code


def _pump(recording: CodexRecording | None, source: IO[bytes] | int, sink: IO[bytes] | int, note: Note) -> threading.Thread:
    thread = threading.Thread(target=_pass_on, args=(recording, source, sink, note), daemon=True)
    thread.start()
    return thread


def _pass_on(recording: CodexRecording | None, source: IO[bytes] | int, sink: IO[bytes] | int, note: Note) -> None:
    """Every piece goes on first and is noted second; the end of the source is that of the sink."""
    read, write = _descriptor(source), _descriptor(sink)
    try:
        while piece := os.read(read, _PIECE):
            stamp = recording.stamp() if recording else Stamp(0, 0.0)
            _write(write, piece)
            note(piece, stamp)
    except OSError:
        pass  # whoever reads or wrote it is gone, which the other side of it learns by the close
    finally:
        note(b"", recording.stamp() if recording else Stamp(0, 0.0))
        for end in (source, sink):
            if not isinstance(end, int):
                with suppress(OSError):
                    end.close()
