"""The messages of an app-server session on their way into the sidecar, without secrets.

What may still be a part of a secret waits: a word in a text that grows by deltas. So a record has the length
of its message, of the text what is final by then, also of messages before, and what stands for the rest until
more is known.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from wiretape.transcript import Side
from wiretape_server.recording.giving_up import give_up
from wiretape_server.recording.session import Recording

HEAD: Final = b"data: "
TAIL: Final = b"\n\n"
"""A message is redacted as an event of a stream: so it may wait for those that come after it."""


class Stamp(NamedTuple):
    """When something was seen: before it went on, so an answer never stands before its request."""

    order: int
    at: float
    """Seconds since the recording began."""


class CodexRecording:
    """Notes what goes over the connections of one client. May be used from several threads."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._orders = itertools.count()
        self._connections = itertools.count(1)
        self._hidden = recording.redactor.stream()
        self._lock = threading.Lock()
        self._closed = False

    def name_connection(self) -> str:
        """A new connection's name; the first one needs none."""
        number = next(self._connections)
        return f"c{number}" if number > 1 else ""

    def stamp(self) -> Stamp:
        """Now."""
        return Stamp(next(self._orders), self.recording.now())

    def messages(self, by: Side, messages: Sequence[bytes], connection: str, stamp: Stamp) -> None:
        """Note messages that came at once."""
        with self._noting():
            for message in messages:
                self._count(by, message)
                hidden = self._hidden.feed(HEAD + message + TAIL)
                self.recording.write(
                    {
                        "entry": "message",
                        "by": by,
                        "connection": connection,
                        "order": stamp.order,
                        "at": stamp.at,
                        "length": len(message),
                        "body": hidden,
                        "held": self._hidden.held(),
                    }
                )

    def ended(self, connection: str, exit_code: int, stderr: Sequence[str]) -> None:
        """Note how the program ended, and its last words."""
        with self._noting():
            hidden = [self.recording.redactor.text(line, "stderr") for line in stderr]
            self.recording.write(
                {"entry": "exit", "connection": connection, "code": exit_code, "stderr": hidden}
            )

    def gap(self, text: str) -> None:
        """Note something that the file can't show."""
        with self._noting():
            self.recording.write({"entry": "gap", "text": text})

    def close(self) -> None:
        """Write what waited, and close the file. What is noted after this is lost."""
        with self._noting():
            self.recording.write({"entry": "end", "body": self._hidden.close()})
        with self._lock:
            self._closed = True
            self.recording.close()

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """One at a time, and none that does harm to the traffic."""
        with self._lock:
            try:
                yield
            except Exception as fault:
                if not self._closed:
                    give_up(self.recording, fault)

    def _count(self, by: Side, message: bytes) -> None:
        totals = self.recording.totals
        totals.size += len(message)
        if by == "server":
            totals.events += 1
        else:
            totals.requests += 1
            totals.kept += 1
