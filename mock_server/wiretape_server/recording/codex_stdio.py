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
from typing import IO, Any, Final

from wiretape.jsonrpc import LineDecoder
from wiretape.transcript import Side
from wiretape_server.recording.codex_session import CodexRecording, Stamp

STDERR_LINES: Final = 20
"""Of the program's last lines, that many are kept."""
_PIECE: Final = 1 << 16
_WINDOWS: Final = sys.platform == "win32"
_TICK: Final = 0.5 if _WINDOWS else None
"""Seconds. With a limit: on Windows a wait without one can't be interrupted."""
_LAST_WORDS: Final = 1.0
"""Seconds to read what a program has written that is gone: a child of its own may hold the pipe open."""
_FORWARDED: Final = ("SIGINT", "SIGTERM", "SIGHUP")

Note = Callable[[list[bytes], Stamp], None]


class StdioTee:
    """Is ``command`` for whoever started this process; what goes over stdio is noted in ``recording``."""

    def __init__(self, command: Sequence[str], recording: CodexRecording) -> None:
        self._command = command
        self._recording = recording
        self._connection = recording.name_connection()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)

    def run(self) -> int:
        """Run the program to its end and give its exit code; signals go on to it.

        Raises OSError when it can't be started.
        """
        process = _start(self._command)
        _forward_signals(process)
        outputs = [
            self._pump(process.stdout, 1, self._noting("server")),
            self._pump(process.stderr, 2, self._keep),
        ]
        self._pump(0, process.stdin, self._noting("client"))
        code = _wait(process)
        for each in outputs:
            each.join(_LAST_WORDS)
        self._recording.ended(self._connection, code, list(self._stderr))
        return code

    def _pump(self, source: Any, sink: Any, note: Note) -> threading.Thread:
        thread = threading.Thread(target=self._pass_on, args=(source, sink, note), daemon=True)
        thread.start()
        return thread

    def _pass_on(self, source: int | IO[bytes], sink: int | IO[bytes], note: Note) -> None:
        """Pass on to the end: every piece goes first to the other side, and then into the recording."""
        read, write = _descriptor(source), _descriptor(sink)
        lines = LineDecoder()
        # An OSError says that one side is gone; the other one learns it by the close.
        with suppress(OSError):
            while piece := os.read(read, _PIECE):
                stamp = self._recording.stamp()
                _write(write, piece)
                note(lines.feed(piece), stamp)
        note(lines.close(), self._recording.stamp())
        for end in (source, sink):
            if not isinstance(end, int):
                with suppress(OSError):
                    end.close()

    def _noting(self, by: Side) -> Note:
        return lambda lines, stamp: self._recording.messages(by, lines, self._connection, stamp)

    def _keep(self, lines: list[bytes], _stamp: Stamp) -> None:
        self._stderr += [line.decode("utf-8", "replace") for line in lines]


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    # A group of its own: a terminal's Ctrl-C reaches it once, by way of this process.
    group: dict[str, Any] = {} if _WINDOWS else {"process_group": 0}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **group)


def _forward_signals(process: subprocess.Popen[bytes]) -> None:
    def forward(number: int, _frame: object) -> None:
        if not _WINDOWS:  # there the whole console gets a Ctrl-C
            process.send_signal(number)

    for name in _FORWARDED:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), forward)


def _wait(process: subprocess.Popen[bytes]) -> int:
    while True:
        with suppress(subprocess.TimeoutExpired):
            return exit_code(process.wait(_TICK))


def exit_code(returned: int) -> int:
    """What a shell has for the end of a process: 128 and the number, where a signal ended it."""
    return returned if returned >= 0 else 128 - returned


def _descriptor(end: int | IO[bytes]) -> int:
    return end if isinstance(end, int) else end.fileno()


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
