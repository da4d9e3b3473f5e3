"""The decoders that can be attacked: a Python function, a process that stays up, a command run per stream."""

from __future__ import annotations

import base64
import importlib
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any, cast

from wiretape import strictjson
from wiretape.fuzzing import CrashedError, Decoder, RefusedError
from wiretape.strictjson import StrictJSONError
from wiretape_cli.errors import SetupError

EMPTY = b'event: delta_encoding\ndata: "v1"\n\ndata: [DONE]\n\n'
"""A stream without a message, asked first: whoever can't answer it is not set up."""


def from_python(spec: str) -> Decoder:
    """Import ``module:function``, also from the working directory. Raises SetupError."""
    module, _, name = spec.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SetupError(f"--python {spec}: expected MODULE:FUNCTION that can be imported: {error}") from None

    def decoder(data: bytes) -> Any:
        try:
            return function(data)
        except Exception as error:
            raise RefusedError(f"{type(error).__name__}: {error}") from error

    return decoder


def argv(command: str) -> list[str]:
    """Split a command line as a shell does. Raises SetupError for one that is empty or has open quotes."""
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise SetupError(f"--command {command!r}: {error}") from None
    if not words:
        raise SetupError("--command: expected a program and its arguments, got nothing")
    return words


class OneShot:
    """Runs a command for each stream: bytes on its stdin, the JSON list of messages on its stdout.

    It refuses a stream by ending with another exit code than 0.
    """

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self._command, self._limit = command, limit

    def __call__(self, data: bytes) -> Any:
        try:
            run = subprocess.run(
                self._command, input=data, capture_output=True, timeout=self._limit, check=False
            )
        except subprocess.TimeoutExpired:
            raise CrashedError(f"no answer within {self._limit:g} s") from None
        except OSError as error:
            raise SetupError(f"{self._command[0]} can't be started: {error.strerror}") from None
        if run.returncode < 0:
            raise CrashedError(f"ended by signal {-run.returncode}{_last_words(run.stderr)}")
        if run.returncode:
            raise RefusedError(f"exit code {run.returncode}{_last_words(run.stderr)}")
        return _read(run.stdout)

    def close(self) -> None:
        """Nothing stays open."""


class _Child:
    """A running process, and the lines that it has written; an empty one is its end."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise SetupError(f"{command[0]} can't be started: {error.strerror}") from None
        self.stdin = cast(IO[bytes], self.process.stdin)
        self.lines: Queue[bytes] = Queue()
        self._reader = Thread(target=_pump, args=(self.process.stdout, self.lines), daemon=True)
        self._reader.start()

    def ask(self, question: bytes, limit: float) -> bytes:
        """Give its next line, empty when it has ended. Raises Empty when none comes in time."""
        try:
            self.stdin.write(question)
            self.stdin.flush()
        except OSError:
            return b""
        return self.lines.get(timeout=limit)

    def end(self, patience: float = 1.0) -> int:
        """End it, by the end of its input or for good, and give its exit code."""
        with suppress(OSError):
            self.stdin.close()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
        code = self.process.wait()
        self._reader.join(patience)
        return code


class Served:
    """Asks a process that stays up, a JSON line for a JSON line; one that ends or hangs is started again.

    ``{"id", "sse_base64"}`` in, ``{"id", "messages"}`` or ``{"id", "error"}`` out.
    """

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self._command, self._limit = command, limit
        self._child: _Child | None = None
        self._number = 0

    def __call__(self, data: bytes) -> Any:
        self._number += 1
        question = {"id": self._number, "sse_base64": base64.b64encode(data).decode("ascii")}
        answer = _read(self._asked(strictjson.dumps(question).encode() + b"\n"))
        if not isinstance(answer, dict) or not strictjson.equal(answer.get("id"), self._number):
            raise CrashedError(f"expected an object with the id {self._number}, got {answer!r:.200}")
        if "error" in answer:
            raise RefusedError(str(answer["error"]))
        return answer.get("messages")

    def _asked(self, question: bytes) -> bytes:
        child = self._child = self._child or _Child(self._command)
        try:
            line = child.ask(question, self._limit)
        except Empty:
            self._child = None
            child.end(0)
            raise CrashedError(f"no answer within {self._limit:g} s") from None
        if not line:
            self._child = None
            raise CrashedError(f"the process ended with exit code {child.end()}, without an answer")
        return line

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.end()


def _pump(pipe: IO[bytes], lines: Queue[bytes]) -> None:
    with pipe:
        for line in pipe:
            lines.put(line)
    lines.put(b"")


def _read(answer: bytes) -> Any:
    try:
        return strictjson.loads(answer)
    except StrictJSONError as error:
        raise CrashedError(f"the answer is no JSON: {error}: {answer[:200]!r}") from None


def _last_words(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""
