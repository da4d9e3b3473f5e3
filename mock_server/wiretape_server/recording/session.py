"""The recording itself: exchanges as they happen, appended to the sidecar file at once, without secrets.

Nothing of an answer stays in memory but the piece at hand and what may still turn out to be a secret, the
last word of a text that grows. So a stream may last for hours, and a process that is killed loses no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from wiretape import strictjson
from wiretape.cassette.model import StreamEnd
from wiretape.redaction import Redactor
from wiretape_server.recording.decoding import Decoder, decoder
from wiretape_server.recording.framing import Head
from wiretape_server.recording.locking import lock

FORMAT: Final = 1
_CONNECTION_ONLY: Final = frozenset(("connection", "keep-alive", "transfer-encoding"))
"""Headers that speak of the connection: the chunk table says how a body was cut."""
_COMPRESSED: Final = frozenset(("content-encoding", "content-length"))
"""Headers that a body has no more without its compression."""

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
        protocol: Literal["flow_a", "codex"] = "flow_a",
    ) -> None:
        self.partial = partial
        self.redactor = redactor
        self.totals = Totals()
        self.troubles: list[str] = []
        """What went wrong between the client and the upstream, one sentence each."""
        self.failure = ""
        self.stopped = False
        """Whether it is being stopped: what breaks off now breaks off because of that."""
        self._clock = clock
        self._began = clock()
        self._file = partial.open("xb", buffering=0)
        lock(self._file)
        begin = {"recording": FORMAT, "protocol": protocol, "captured_at": captured_at}
        self.write({**begin, "basis": redactor.text(basis)})

    def exchange(self, method: str, target: str, headers: Pairs, body: bytes) -> RecordedExchange:
        """Note a request of the protocol."""
        self.totals.kept += 1
        return RecordedExchange(self, self.totals.kept, method, target, list(headers), body)

    def write(self, record: dict[str, Any]) -> None:
        """Append a record. Never raises: the client's traffic goes on without the recording."""
        self.write_line(strictjson.dumps(record))

    def write_line(self, text: str) -> None:
        """Append a record that is JSON already: there are as many as chunks."""
        if self.failure:
            return
        line = text.encode() + b"\n"
        try:
            while line:  # a disk that is nearly full takes a part
                line = line[self._file.write(line) :]
        except OSError as error:
            self.failure = f"{self.partial}: {error.strerror or error}"

    def now(self) -> float:
        """Seconds since the recording began."""
        return round(self._clock() - self._began, 6)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def discard(self) -> None:
        """Close the file and take it away."""
        self.close()
        self.partial.unlink(missing_ok=True)


class RecordedExchange:
    """One request and its answer on their way into the file."""

    def __init__(
        self,
        recording: Recording,
        number: int,
        method: str,
        target: str,
        headers: list[tuple[str, str]],
        body: bytes,
    ) -> None:
        self._recording = recording
        self._number = number
        self._hidden = recording.redactor.stream(target=target)
        self._decoder: Decoder | None = None
        self._coding = ""
        self._undecoded = 0
        self._tail = b""
        self._requested(method, target, headers, body)

    def answered(self, head: Head) -> None:
        """Note the answer's head; from it follows how the body is read."""
        self._coding = head.get("content-encoding")
        self._decoder = decoder(self._coding)
        headers = _without_coding(head.headers, self._coding) if self._decoder else list(head.headers)
        self._write("response", status=head.status, headers=self._headers(headers))

    def pieces(self, data: list[bytes]) -> None:
        """Note pieces of the body, as they came over the wire at once.

        They are in the file then; what of them may be a part of a secret is there in a form for now, which
        what is written later takes the place of.
        """
        if self._decoder is None:
            self._undecoded += sum(map(len, data))
            return
        at = self._recording.now()
        pieces = [piece for each in data for piece in self._decoder.feed(each)]
        body = b"".join(pieces)
        self._count(body)
        hidden = self._hidden.feed(body)
        held = self._hidden.held()
        cuts = ",".join([f"[{at},{len(piece)}]" for piece in pieces])
        self._recording.write_line(
            f'{{"entry":"chunks","number":{self._number},"cuts":[{cuts}],'
            f'"body":{strictjson.dumps(hidden)},"held":{strictjson.dumps(held)}}}'
        )

    def ended(self, how: StreamEnd, why: str = "") -> None:
        """Note how the answer ended, and what stays unknown because of it."""
        for gap in filter(None, (why, self._undecoded_part())):
            self.gap(gap)
        self._write("end", how=how, body=self._hidden.close())

    def gap(self, text: str) -> None:
        """Note something that the file can't show."""
        self._write("gap", text=text)

    def _requested(self, method: str, target: str, headers: list[tuple[str, str]], body: bytes) -> None:
        redactor = self._recording.redactor
        coding = next((value for name, value in headers if name.lower() == "content-encoding"), "")
        unpack = decoder(coding)
        if unpack is not None:
            body, headers = b"".join(unpack.feed(body)), _without_coding(headers, coding)
        self._write(
            "request",
            method=method,
            path=redactor.target(target),
            headers=self._headers(headers),
            body=text_of(redactor.body(body, target=target) if unpack else b""),
        )
        if unpack is None or unpack.fault:
            self.gap(unpack.fault if unpack else f"the request's body is not kept: {_unknown(coding)}")

    def _undecoded_part(self) -> str:
        """Why some of the body is not kept: what can't be read can't be redacted either."""
        if self._decoder is not None:
            self._decoder.close()
            return self._decoder.fault
        size = self._undecoded
        return f"the body, {size} bytes, is not kept: {_unknown(self._coding)}" if size else ""

    def _headers(self, headers: Pairs) -> list[list[str]]:
        hidden = self._recording.redactor.headers(headers)
        return [[name, value] for name, value in hidden if name.lower() not in _CONNECTION_ONLY]

    def _count(self, piece: bytes) -> None:
        seen = self._tail + piece
        self._recording.totals.events += _ends(seen) - _ends(self._tail)
        self._tail = seen[-3:]

    def _write(self, entry: str, **members: Any) -> None:
        recording = self._recording
        recording.write({"entry": entry, "number": self._number, "at": recording.now(), **members})


def _ends(data: bytes) -> int:
    """How many events end in it."""
    return data.count(b"\n\n") + data.count(b"\r\n\r\n")


def _without_coding(headers: Pairs, coding: str) -> list[tuple[str, str]]:
    left_out = _COMPRESSED if coding else frozenset()
    return [(name, value) for name, value in headers if name.lower() not in left_out]


def _unknown(coding: str) -> str:
    return f"content-encoding {coding!r} can't be undone here"


def text_of(data: bytes) -> str:
    """Bytes as text that JSON can hold: what is no UTF-8 becomes lone surrogates, as Python has it."""
    return data.decode("utf-8", "surrogateescape")
