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
from typing import IO, Any, Final, TypeAlias

from wiretape.jsonrpc import LineDecoder
from wiretape.transcript import Side
from wiretape_server.recording.codex_session import CodexRecording, Stamp

STDERR_LINES: Final = 20
"""Of the program's last lines, that many are kept."""
_STDERR: Final = 2
_PIECE: Final = 1 << 16
_WINDOWS: Final = sys.platform == "win32"
_TICK: Final = 0.5 if _WINDOWS else None
"""Seconds. With a limit: on Windows a wait without one can't be interrupted."""
_LAST_WORDS: Final = 1.0
"""Seconds without a word after which a program that is gone has nothing more to say."""
_FORWARDED: Final = ("SIGINT", "SIGTERM", "SIGHUP")

Note: TypeAlias = Callable[[list[bytes], Stamp], None]
End: TypeAlias = int | IO[bytes]
"""A descriptor of this process's own, or an end of a pipe to the program."""


class StdioTee:
    """Is ``command`` for whoever started this process; what goes over stdio is noted in ``recording``."""

    def __init__(self, command: Sequence[str], recording: CodexRecording) -> None:
        self._command = command
        self._recording = recording
        self._connection = recording.name_connection()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._over = threading.Event()
        """Set once the program has ended."""

    def run(self) -> int:
        """Run the program to its end and give its exit code; signals go on to it.

        Raises OSError when it can't be started.
        """
        process = _start(self._command)
        signalled = _forward_signals(process)
        outputs = [
            self._pump(process.stdout, 1, self._noting("server")),
            self._pump(process.stderr, 2, self._keep),
        ]
        self._pump(0, process.stdin, self._noting("client"))
        code = _wait(process)
        self._over.set()
        for each in outputs:
            each.last_words(patient=not signalled.is_set())
        self._recording.ended(self._connection, code, list(self._stderr))
        return code

    def _pump(self, source: Any, sink: Any, note: Note) -> _Pump:
        pump = _Pump(source, sink, note, self._recording.stamp, self._over)
        pump.start()
        return pump

    def _noting(self, by: Side) -> Note:
        return lambda lines, stamp: self._recording.messages(by, lines, self._connection, stamp)

    def _keep(self, lines: list[bytes], _stamp: Stamp) -> None:
        self._stderr += [line.decode("utf-8", "replace") for line in lines]


class _Pump(threading.Thread):
    """Passes on to the end: every piece goes first to the other side, and then into the recording."""

    def __init__(
        self, source: End, sink: End, note: Note, stamp: Callable[[], Stamp], over: threading.Event
    ) -> None:
        super().__init__(daemon=True)
        self._source, self._sink = source, sink
        self._note, self._stamp, self._over = note, stamp, over
        self._waits = False
        """Whether it waits for its source, and not for its sink."""
        self._passed = 0

    def run(self) -> None:
        lines = LineDecoder()
        # An OSError says that one side is gone; the other one learns it by the close.
        with suppress(OSError):
            while piece := self._read():
                stamp = self._stamp()
                _write(_descriptor(self._sink), piece)
                self._note(lines.feed(piece), stamp)
                self._passed += 1
        self._note(lines.close(), self._stamp())
        for end in sorted((self._source, self._sink), key=lambda end: isinstance(end, int)):  # the pipe first
            with suppress(OSError):
                self._let_go(end)

    def last_words(self, *, patient: bool) -> None:
        """Wait until what a program wrote that is gone has gone through.

        A ``patient`` one waits for a client that is slow to read, but not for a pipe where nothing comes any
        more: a child of the program's may hold it open.
        """
        while self.is_alive():
            passed = self._passed
            self.join(_LAST_WORDS)
            if not patient or (self._waits and self._passed == passed):
                return

    def _let_go(self, end: End) -> None:
        """Close an end, so that who is behind it learns it.

        Of the own ones, stdin and stdout are closed where the program lives on without them. Else the end of
        this process closes them: a client that may start it again then finds the session saved.
        """
        if not isinstance(end, int):
            end.close()
        elif end != _STDERR and not self._over.wait(_LAST_WORDS):
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, end)
            os.close(nothing)

    def _read(self) -> bytes:
        self._waits = True
        piece = os.read(_descriptor(self._source), _PIECE)
        self._waits = False
        return piece


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    # A group of its own: a terminal's Ctrl-C reaches it once, by way of this process.
    group: dict[str, Any] = {} if _WINDOWS else {"process_group": 0}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **group)


def _forward_signals(process: subprocess.Popen[bytes]) -> threading.Event:
    """From now on; the event says that there was one."""
    signalled = threading.Event()

    def forward(number: int, _frame: object) -> None:
        signalled.set()
        if not _WINDOWS:  # there the whole console gets a Ctrl-C
            process.send_signal(number)

    for name in _FORWARDED:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), forward)
    return signalled


def _wait(process: subprocess.Popen[bytes]) -> int:
    while True:
        with suppress(subprocess.TimeoutExpired):
            return exit_code(process.wait(_TICK))


def exit_code(returned: int) -> int:
    """What a shell has for the end of a process: 128 and the number, where a signal ended it."""
    return returned if returned >= 0 else 128 - returned


def _descriptor(end: End) -> int:
    return end if isinstance(end, int) else end.fileno()


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
