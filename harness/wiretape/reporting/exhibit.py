"""What a finding is about, as it was on the wire: the bytes, their offset, and the message around them."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from dataclasses import replace
from typing import Any, Final

from wiretape import strictjson
from wiretape.contract import Finding, Report
from wiretape.redaction import Redactor
from wiretape.report import printable, to_text
from wiretape.reporting.outline import Line, outline
from wiretape.reporting.place import Place, find
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import Frame, Request, Response, Transcript

_PLACE: Final = re.compile(r"\((?:request|frame) [0-9]+")
_CONTEXT: Final = 60
"""Bytes that are shown before and after those that are meant."""
_SHOWN: Final = 240
"""Bytes that are shown of these themselves."""
_MOST_READ: Final = 64_000_000
"""Bytes of messages that are read for all findings: of megabytes with faults in thousands of members only the
first ones are shown."""
_INSIDE_A_CHARACTER: Final = bytes(range(0x80, 0xC0))


class Exhibits:
    """What a client sent in one session, without its secrets."""

    def __init__(self, transcript: Transcript) -> None:
        self._redactor = Redactor()
        self._left = _MOST_READ
        self._bodies: dict[str, bytes] = {}
        """What the client sent, by ``request 6`` or ``frame 12``, as findings name the place."""
        for entry in transcript.entries:
            if isinstance(entry, Request):
                self._redactor.headers(entry.headers)
                body = self._redactor.body(entry.body, target=entry.path)
                self._bodies[f"request {entry.number}"] = body
            elif isinstance(entry, Response):
                self._redactor.headers(entry.headers)
                self._redactor.body(entry.body.bytes())
        frames = [entry.data for entry in transcript.entries if isinstance(entry, Frame)]
        for number, data in enumerate(self._redactor.frames(frames), 1):
            self._bodies[f"frame {number}"] = data

    def hide(self, record: Any) -> Any:
        """The JSON value without the session's secrets."""
        return strictjson.loads(self._redactor.known(strictjson.dumps(record)))

    def report(self, report: Report) -> Report:
        """The verdict without secrets in its values, which are cut later: nobody knows half a secret."""
        return replace(report, findings=tuple(map(self._finding, report.findings)))

    def text(self, report: Report, *, source: str) -> str:
        """The verdict as the screen shows it, without secrets."""
        return str(self.hide(to_text(self.report(report), source=source)))

    def _finding(self, finding: Finding) -> Finding:
        if not finding.failed:
            return finding
        return replace(finding, want=self._value(finding.want), got=self._value(finding.got))

    def _value(self, value: object) -> object:
        if not isinstance(value, (str, list, dict)):
            return value
        try:
            return self.hide(value)
        except (TypeError, ValueError):  # it is no JSON, and shown as it is
            return value

    def exhibit(self, at: str, path: str) -> dict[str, Any] | None:
        """Show what stands at a finding's place; None where it is no message of the client's, or too much."""
        named = _PLACE.search(at)
        place = named[0][1:] if named else ""
        if at.startswith("answer ") and place.startswith("request"):
            return None  # of the server's, which a client was to read
        if place not in self._bodies or path.startswith("header "):
            return None
        data = self._bodies[place]
        if self._left < len(data) and self._left < _MOST_READ:
            return None
        self._left -= len(data)
        start, stop, lines = _spotted(data, path)
        return {
            "place": place,
            "offset": start,
            "length": stop - start,
            **_excerpt(data, start, stop),
            "lines": [{"text": printable(line.text), "marked": line.marked} for line in lines],
        }


def _spotted(data: bytes, path: str) -> tuple[int, int, list[Line]]:
    """The bytes that a path leads to, and the message around them; of what is no JSON, where that shows."""
    try:
        value = strictjson.loads(data)
    except StrictJSONError as error:
        text = data.decode("utf-8", "surrogateescape")
        at = error.position or 0
        return (at if error.kind == "invalid_utf8" else _size(text[:at])), len(data), []
    text = data.decode("utf-8")
    place = find(text, path) if path else Place(0, len(text), (), "")
    lines = outline(value, place) if path else []
    return _size(text[: place.start]), _size(text[: place.end]), lines


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _excerpt(data: bytes, start: int, stop: int) -> dict[str, str]:
    shown = min(stop, start + _SHOWN)
    cut = f"… ({stop - start} bytes)" if shown < stop else ""
    first, last = max(0, start - _CONTEXT), stop + _CONTEXT
    before = data[first:start].lstrip(_INSIDE_A_CHARACTER) if first else data[:start]
    return {
        "before": ("…" if first else "") + _text(before),
        "value": _text(data[start:shown]) + cut,
        "after": "" if cut else _text(data[stop:last]) + ("…" if last < len(data) else ""),
    }


def _text(data: bytes) -> str:
    """Bytes as text, without the beginning of a character that the cut went through."""
    decoder = getincrementaldecoder("utf-8")("backslashreplace")
    return printable(decoder.decode(data))
