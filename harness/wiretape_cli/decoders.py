"""The decoders that can be attacked: a Python function, a process that stays up, a command run per stream."""

from __future__ import annotations

import base64
import importlib
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from wiretape.fuzzing import CrashedError, Decoder, RefusedError
from wiretape_cli.client import TAIL, end_tree, start
from wiretape_cli.errors import SetupError
from wiretape_cli.line_process import LineProcess, NoAnswerError, read_json

EMPTY = b'event: delta_encoding\ndata: "v1"\n\ndata: [DONE]\n\n'
"""A stream without a message, asked first: whoever can't answer it is not set up."""


def from_python(spec: str) -> Decoder:
    """Import ``module:function``, also from the working directory. Raises SetupError."""
    module, _, name = spec.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function = getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # a module may raise anything
        why = f"{type(error).__name__}: {error}"
        raise SetupError(f"--python {spec}: expected MODULE:FUNCTION that can be imported: {why}") from None
    if not callable(function):
        raise SetupError(f"--python {spec}: expected a function, got {function!r:.80}")

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
        with start(self._command) as process:
            try:
                stdout, stderr = process.communicate(data, self._limit)
            except subprocess.TimeoutExpired as late:
                raise CrashedError(f"no answer within {self._limit:g} s", _end(late.stderr)) from None
            finally:
                end_tree(process)
        if process.returncode < 0:
            raise CrashedError(f"ended by signal {-process.returncode}", _end(stderr))
        if process.returncode:
            raise RefusedError(f"exit code {process.returncode}{_last_words(stderr)}")
        return _read(stdout)

    def close(self) -> None:
        """Nothing stays open."""


class Served:
    """Asks a process that stays up, a JSON line for a JSON line.

    ``{"id", "sse_base64"}`` in, ``{"id", "messages"}`` or ``{"id", "error"}`` out.
    """

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self._process = LineProcess(command, limit)

    def __call__(self, data: bytes) -> Any:
        try:
            answer = self._process.ask({"sse_base64": base64.b64encode(data).decode("ascii")})
        except NoAnswerError as error:
            raise CrashedError(str(error), error.stderr) from None
        if "error" in answer:
            raise RefusedError(str(answer["error"]))
        return answer.get("messages")

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _read(answer: bytes) -> Any:
    try:
        return read_json(answer)
    except NoAnswerError as error:
        raise CrashedError(str(error)) from None


def _end(stderr: bytes | None) -> str:
    return (stderr or b"")[-TAIL:].decode(errors="replace")


def _last_words(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""
