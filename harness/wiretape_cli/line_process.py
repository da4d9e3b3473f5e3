"""A process that stays up and answers line by line in JSON; one that ends or hangs is started again."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any, Final, cast

from wiretape import strictjson
from wiretape.strictjson import StrictJSONError
from wiretape_cli.client import Tail, end_tree, start

_LONGEST: Final = 1 << 26
"""Bytes of a line."""
_UNREAD: Final = 16
"""Lines that may wait to be read."""


class NoAnswerError(Exception):
    """The process gave no answer, or one that can't be read. The text says what came.

    ``stderr`` is the end of what it wrote there, where it does not run any more.
    """

    def __init__(self, text: str, stderr: str = "") -> None:
        super().__init__(text)
        self.stderr = stderr


class LineProcess:
    """Asks a command's process one question at a time. ``limit``: seconds that an answer may take."""

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self._command, self._limit = command, limit
        self._child: _Child | None = None
        self._number = 0

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Send the question with an ``id``, and give the answer, which has the same one.

        Raises NoAnswerError, and StartError when the command can't be started.
        """
        self._number += 1
        line = strictjson.dumps({"id": self._number, **question}).encode() + b"\n"
        answer = read_json(self._asked(line))
        if not isinstance(answer, dict) or not strictjson.equal(answer.get("id"), self._number):
            raise NoAnswerError(f"expected an object with the id {self._number}, got {answer!r:.200}")
        return answer

    def _asked(self, question: bytes) -> bytes:
        child = self._child = self._child or _Child(self._command)
        try:
            line = child.ask(question, self._limit)
        except Empty:
            self._child = None
            child.end(0)
            raise NoAnswerError(f"no answer within {self._limit:g} s", child.stderr.text()) from None
        if not line:
            self._child = None
            code = child.end()
            how = "closed its stdin or stdout" if code is None else f"ended with exit code {code}"
            raise NoAnswerError(f"the process {how}, without an answer", child.stderr.text())
        return line

    def close(self) -> None:
        """End the process."""
        child, self._child = self._child, None
        if child is not None:
            child.end()


def read_json(answer: bytes) -> Any:
    """Read an answer. Raises NoAnswerError."""
    try:
        return strictjson.loads(answer)
    except StrictJSONError as error:
        raise NoAnswerError(f"the answer is no JSON: {error}: {answer[:200]!r}") from None


class _Child:
    """A running process, and the lines that it has written; an empty one is its end."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = start(command)
        self.stdin = cast(IO[bytes], self.process.stdin)
        self.lines: Queue[bytes] = Queue()
        self._reader = Thread(target=_pump, args=(self.process.stdout, self.lines), daemon=True)
        self._reader.start()
        self.stderr = Tail(self.process.stderr)

    def ask(self, question: bytes, limit: float) -> bytes:
        """Give its next line, empty when it has ended. Raises Empty when none comes in time."""
        try:
            self.stdin.write(question)
            self.stdin.flush()
        except OSError:
            return b""
        return self.lines.get(timeout=limit)

    def end(self, patience: float = 1.0) -> int | None:
        """End it and all that it started, by the end of its input or for good. None: not by itself."""
        with suppress(OSError):
            self.stdin.close()
        code = None
        with suppress(subprocess.TimeoutExpired):
            code = self.process.wait(patience)
        end_tree(self.process)
        self._reader.join(patience)
        self.stderr.join(patience)
        return code


def _pump(pipe: IO[bytes], lines: Queue[bytes]) -> None:
    """Read the lines until the end; of a process that says more than it was asked, no more than a few."""
    with pipe:
        while lines.qsize() < _UNREAD and (line := pipe.readline(_LONGEST)):
            lines.put(line)
    lines.put(b"")
