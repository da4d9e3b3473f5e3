"""The recording itself: exchanges as they happen, appended to the sidecar file at once, without secrets.

Nothing of an answer stays in memory but the piece at hand and what may still turn out to be a secret, so a
stream may last for hours; a process that is killed loses no more than that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import StreamEnd
from wiretape.redaction import Redactor
from wiretape_server.recording.decoding import Plain, decoder
from wiretape_server.recording.framing import Head
from wiretape_server.recording.holding import Hold

FORMAT: Final = 1
_CONNECTION_ONLY: Final = frozenset(("connection", "keep-alive", "transfer-encoding"))
"""Headers that speak of the connection: the chunk table says how a body was cut."""

Pairs = Iterable[tuple[str, str]]


@dataclass(slots=True)
class Totals:
    """What went by so far, for people."""

    requests: int = 0
    kept: int = 0
    """Those of the protocol: they are in the recording."""
    open: int = 0
    events: int = 0
    size: int = 0
    """Bytes of answers."""


class Recording:
    """Appends to the sidecar ``partial``. Raises FileExistsError, OSError when that can't be begun.

    ``clock`` gives seconds from any start, ``captured_at`` is the wall clock's time in ISO form. Once the
    file can't be written any more (a full disk) ``failure`` says why, and nothing more is recorded.
    """

    def __init__(
        self,
        partial: Path,
        *,
        redactor: Redactor,
        clock: Callable[[], float],
        captured_at: str,
        basis: str,
    ) -> None:
        self.partial = partial
        self.redactor = redactor
        self.totals = Totals()
        self.troubles: list[str] = []
        """What went wrong between the client and the upstream, one sentence each."""
        self.failure = ""
        self._clock = clock
        self._began = clock()
        self._file = partial.open("xb", buffering=0)
        self._lock = threading.Lock()
        self.write({"recording": FORMAT, "protocol": "flow_a", "captured_at": captured_at, "basis": basis})

    def exchange(self, method: str, target: str, headers: Pairs, body: bytes) -> RecordedExchange:
        """Note a request of the protocol."""
        self.totals.kept += 1
        exchange = RecordedExchange(self, self.totals.kept)
        exchange.requested(method, target, headers, body)
        return exchange

    def write(self, record: dict[str, Any]) -> None:
        """Append one line. Never raises: the client's traffic goes on without the recording."""
        if self.failure:
            return
        try:
            with self._lock:
                self._file.write(strictjson.dumps(record).encode() + b"\n")
        except OSError as error:
            self.failure = f"{self.partial}: {error.strerror or error}"

    def now(self) -> float:
        """Seconds since the recording began."""
        return round(self._clock() - self._began, 6)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class RecordedExchange:
    """One request and its answer on their way into the file."""

    def __init__(self, recording: Recording, number: int) -> None:
        self._recording = recording
        self._number = number
        self._decoder: Any = Plain()
        self._hidden: Any = None
        self._tail = b""
        self._target = ""

    def requested(self, method: str, target: str, headers: Pairs, body: bytes) -> None:
        hide = self._recording.redactor
        self._target = target
        self._write(
            "request",
            method=method,
            path=hide.target(target),
            headers=_pairs(hide.headers(headers)),
            body=_text(hide.body(body, target=target)),
        )

    def answered(self, head: Head) -> None:
        """Note the answer's head; from it follows how the body is read."""
        decoding = decoder(head.get("content-encoding"))
        if decoding is None:
            self.gap(f"the body is kept as it came: {head.get('content-encoding')!r} can't be decoded here")
        self._decoder = decoding or Plain()
        left_out = _CONNECTION_ONLY | (
            {"content-encoding", "content-length"} if _decodes(decoding) else set()
        )
        headers = [(name, value) for name, value in head.headers if name.lower() not in left_out]
        hide = self._recording.redactor
        self._write("response", status=head.status, headers=_pairs(hide.headers(headers)))
        self._hidden = Hold(hide, self._target)

    def piece(self, data: bytes) -> None:
        """Note a piece of the body, as it came over the wire."""
        for piece in self._decoder.feed(data):
            self._count(piece)
            self._write("chunk", length=len(piece), body=_text(self._hidden.feed(piece)))

    def ended(self, how: StreamEnd, why: str = "") -> None:
        """Note how the answer ended, and what stays unknown because of it."""
        self._decoder.close()
        for gap in filter(None, (why, self._decoder.fault)):
            self.gap(gap)
        rest = self._hidden.close() if self._hidden is not None else b""
        self._write("end", how=how, body=_text(rest))

    def gap(self, text: str) -> None:
        """Note something that the file can't show."""
        self._write("gap", text=text)

    def _count(self, piece: bytes) -> None:
        seen = self._tail + piece
        self._recording.totals.events += seen.count(b"\n\n") + seen.count(b"\r\n\r\n")
        self._tail = piece[-3:].lstrip() if piece[-2:] == b"\n\n" else piece[-3:]

    def _write(self, entry: str, **members: Any) -> None:
        recording = self._recording
        recording.write({"entry": entry, "number": self._number, "at": recording.now(), **members})


def _decodes(decoding: object) -> bool:
    return decoding is not None and not isinstance(decoding, Plain)


def _pairs(headers: Pairs) -> list[list[str]]:
    return [[name, value] for name, value in headers]


def _text(data: bytes) -> str:
    """Bytes as text that JSON can hold: what is no UTF-8 becomes lone surrogates, as Python has it."""
    return data.decode("utf-8", "surrogateescape")
