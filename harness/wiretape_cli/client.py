"""Run a client command with a time limit, and leave none of its processes behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from threading import Thread
from typing import IO, Any, cast

from wiretape_cli.errors import SetupError

TAIL = 8192
"""Bytes of each output stream that are kept to be shown."""

GRACE = 1.0
"""Seconds that a client gets to end by itself, and that its output gets to arrive."""


class StartError(SetupError):
    """A command can't be started; the text says why. ``why`` does without the command."""

    def __init__(self, why: str, command: Sequence[str]) -> None:
        self.why = f"the command can't be started: {why}"
        super().__init__(f"{self.why}. It was: {' '.join(command)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRun:
    """How a client ended. ``exit_code``: None when the time limit ended it; negative, a signal's number."""

    exit_code: int | None
    seconds: float
    stdout: str
    stderr: str

    @property
    def timed_out(self) -> bool:
        return self.exit_code is None

    @property
    def crashed(self) -> bool:
        return self.exit_code not in (0, None)


class Tail(Thread):
    """Reads a pipe to its end, so that the client never blocks, and keeps the last bytes."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        self._pipe = cast(BufferedReader, pipe)
        self._kept = b""
        self.start()

    def run(self) -> None:
        with self._pipe:
            while piece := self._pipe.read1(TAIL):
                self._kept = (self._kept + piece)[-TAIL:]

    def text(self) -> str:
        # Bounded: a process that left the client's group may hold the pipe open for ever.
        self.join(GRACE)
        return self._kept.decode("utf-8", "replace")


def run_client(
    command: Sequence[str],
    variables: Mapping[str, str],
    *,
    timeout: float,
    clock: Callable[[], float] = time.monotonic,
) -> ClientRun:
    """Run ``command`` once with these environment variables added, for ``timeout`` seconds at most.

    Raises StartError. Whatever happens, the client's whole process group (on Windows: its process tree,
    while it lives) has ended on return.
    """
    began = clock()
    exit_code: int | None = None
    process = start(command, stdin=subprocess.DEVNULL, variables=variables)
    try:
        out, err = Tail(process.stdout), Tail(process.stderr)
        with suppress(subprocess.TimeoutExpired):
            exit_code = process.wait(timeout)
    finally:
        end_tree(process)
    return ClientRun(exit_code=exit_code, seconds=clock() - began, stdout=out.text(), stderr=err.text())


def start(
    command: Sequence[str], *, stdin: int = subprocess.PIPE, variables: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a command at the head of a group of its own, for ``end_tree``. Raises StartError."""
    # which() also finds what only Windows' PATHEXT finds (npx.cmd).
    program = shutil.which(command[0])
    try:
        return subprocess.Popen(
            [program or command[0], *command[1:]],
            env={**os.environ, **(variables or {})},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **_own_group(),
        )
    except FileNotFoundError:
        why = (
            f"what the first line of {program} names is not there"
            if program
            else f"there is no program {command[0]!r} on PATH"
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
    raise StartError(why, command)


def _own_group() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """End the client and every process of its group: politely, then for good."""
    if sys.platform == "win32":
        if process.poll() is None:
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False
            )
        process.kill()
    else:
        if process.poll() is None:
            _signal_group(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
        # Also after a plain exit: what the client started and forgot must not outlive the run.
        _signal_group(process.pid, signal.SIGKILL)
    process.wait(GRACE)


def _signal_group(group: int, number: signal.Signals) -> None:
    if sys.platform != "win32":
        # No such process: all of them have ended. Not permitted: macOS says so of a group of zombies.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
