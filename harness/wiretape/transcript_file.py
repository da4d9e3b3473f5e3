"""Transcripts as JSON lines: a header, then one entry a line, readable by any language.

Secrets do not reach the file: they are redacted, the same value by the same pseudonym, so that a saved
transcript draws the same verdict.
Schema: ``schemas/transcript.schema.json``.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, get_args

from wiretape import strictjson
from wiretape.redaction import Redactor
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import (
    Body,
    Chunk,
    End,
    EndHow,
    Entry,
    Frame,
    Headers,
    Link,
    Request,
    Response,
    Struck,
    Transcript,
)

FORMAT: Final = 1


class TranscriptError(ValueError):
    """A file is no transcript. The text says which line, what was expected and what came."""


def dump(transcript: Transcript) -> bytes:
    """Write a transcript as JSON lines."""
    writer = _Writer(transcript.entries)
    lines = [_header(transcript), *(writer.write[type(entry)](entry) for entry in transcript.entries)]
    text = "".join(strictjson.dumps(line) + "\n" for line in lines)
    return writer.redactor.known(text).encode()


def load(data: bytes, name: str = "") -> Transcript:
    """Read what ``dump`` wrote. Raises TranscriptError."""
    lines = enumerate(data.split(b"\n"), 1)
    records = {number: _record(line, number) for number, line in lines if line.strip()}
    line, header = next(iter(records.items()), (1, {}))
    if not strictjson.equal(header.get("transcript"), FORMAT):
        came = header.get("transcript") if records else "an empty file"
        raise TranscriptError(f'line {line}: expected a header with "transcript": {FORMAT}, got {came!r}')
    transcript = Transcript(
        protocol=_member(header, "protocol", str, line),
        name=str(header.get("name", name)),
        live=header.get("live") is True,
        pace=str(header.get("pace", "recorded")),
        profile=str(header.get("profile", "")),
        expect=_read_expect(header, line),
        faults=_read_texts(header, "faults", line),
        unplayed=_read_texts(header, "unplayed", line),
        errors=_read_texts(header, "errors", line),
    )
    del records[line]
    transcript.entries = [_entry(record, number) for number, record in records.items()]
    return transcript


def _header(transcript: Transcript) -> dict[str, Any]:
    return {
        "transcript": FORMAT,
        "protocol": transcript.protocol,
        "name": transcript.name,
        "live": transcript.live,
        "pace": transcript.pace,
        "profile": transcript.profile,
        "expect": dict(transcript.expect),
        "faults": list(transcript.faults),
        "unplayed": list(transcript.unplayed),
        "errors": list(transcript.errors),
    }


class _Writer:
    """Turns entries into records, with the pseudonyms of this transcript."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.redactor = Redactor()
        frames = self.redactor.frames(entry.data for entry in entries if isinstance(entry, Frame))
        self.frames = iter(frames)
        self.write: dict[type, Callable[[Any], dict[str, Any]]] = {
            Request: self.request,
            Response: self.response,
            Chunk: self.chunk,
            End: self.end,
            Frame: self.frame,
            Link: self.link,
            Struck: self.struck,
        }

    def request(self, entry: Request) -> dict[str, Any]:
        record = self.head("request", entry.number, entry.at)
        return record | {
            "method": entry.method,
            "path": self.redactor.target(entry.path),
            "headers": self.headers(entry.headers),
            **_data(self.redactor.body(entry.body, target=entry.path)),
        }

    def response(self, entry: Response) -> dict[str, Any]:
        record = self.head("response", entry.number, entry.at)
        return record | {
            "status": entry.status,
            "headers": self.headers(entry.headers),
            **_data(self.redactor.body(entry.body.bytes())),
        }

    def chunk(self, entry: Chunk) -> dict[str, Any]:
        return self.head("chunk", entry.number, entry.at) | {"start": entry.start, "stop": entry.stop}

    def end(self, entry: End) -> dict[str, Any]:
        return self.head("end", entry.number, entry.at) | {"how": entry.how}

    def frame(self, entry: Frame) -> dict[str, Any]:
        record = {"entry": "frame", "connection": entry.connection, "at": round(entry.at, 6)}
        record |= {"direction": entry.direction} | ({"binary": True} if entry.binary else {})
        return record | _data(next(self.frames))

    def link(self, entry: Link) -> dict[str, Any]:
        record = {"entry": "link", "connection": entry.connection, "at": round(entry.at, 6)}
        return record | {
            "what": entry.what,
            "by": entry.by,
            "transport": entry.transport,
            "detail": entry.detail,
        }

    @staticmethod
    def struck(entry: Struck) -> dict[str, Any]:
        record = {"entry": "struck", "connection": entry.connection, "at": round(entry.at, 6)}
        return record | {"fault": entry.fault}

    @staticmethod
    def head(kind: str, number: int, at: float) -> dict[str, Any]:
        return {"entry": kind, "number": number, "at": round(at, 6)}

    def headers(self, headers: Headers) -> list[list[str]]:
        return [list(each) for each in self.redactor.headers(headers)]


def _data(body: bytes) -> dict[str, str]:
    """Bytes as text where UTF-8 gives them back exactly, else as base64."""
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode()}


def _record(line: bytes, number: int) -> dict[str, Any]:
    try:
        record = strictjson.loads(line)
    except StrictJSONError as error:
        raise TranscriptError(f"line {number}: expected a JSON object, got {line[:60]!r} ({error})") from None
    if not isinstance(record, dict):
        raise TranscriptError(f"line {number}: expected a JSON object, got {line[:60]!r}")
    return record


def _read_texts(header: dict[str, Any], key: str, line: int) -> tuple[str, ...]:
    texts = header.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        raise TranscriptError(f"line {line}: {key}: expected a list of texts, got {texts!r}")
    return tuple(texts)


def _read_expect(header: dict[str, Any], line: int) -> Mapping[str, Any]:
    expect: Any = header.get("expect", {})
    results = expect.get("results", {}) if isinstance(expect, dict) else None
    if isinstance(results, dict) and all(r == "echo" or isinstance(r, dict) for r in results.values()):
        outputs = expect.get("outputs")
        return {"results": results} | ({"outputs": outputs} if isinstance(outputs, dict) else {})
    raise TranscriptError(f'line {line}: expect: expected results, each an object or "echo", got {expect!r}')


def _member(record: Mapping[str, Any], key: str, kind: type | tuple[type, ...], line: int) -> Any:
    value = record.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TranscriptError(f"line {line}: {key}: expected {_name(kind)}, got {value!r}")
    return value


def _name(kind: type | tuple[type, ...]) -> str:
    return " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))


def _entry(record: dict[str, Any], line: int) -> Entry:
    kind = record.get("entry")
    if not isinstance(kind, str) or kind not in _READ:
        raise TranscriptError(f"line {line}: entry: expected one of {sorted(_READ)}, got {kind!r}")
    of, of_kind = ("connection", str) if kind in _OF_CONNECTION else ("number", int)
    owner, at = _member(record, of, of_kind, line), float(_member(record, "at", (int, float), line))
    return _READ[kind](record, line, {of: owner, "at": at})


def _read_request(record: dict[str, Any], line: int, head: dict[str, Any]) -> Entry:
    return Request(
        **head,
        method=_member(record, "method", str, line),
        path=_member(record, "path", str, line),
        headers=_read_headers(record, line),
        body=_read_data(record, line),
    )


def _read_response(record: dict[str, Any], line: int, head: dict[str, Any]) -> Entry:
    return Response(
        **head,
        status=_member(record, "status", int, line),
        headers=_read_headers(record, line),
        body=Body(_read_data(record, line)),
    )


def _read_chunk(record: dict[str, Any], line: int, head: dict[str, Any]) -> Entry:
    return Chunk(**head, start=_member(record, "start", int, line), stop=_member(record, "stop", int, line))


def _read_end(record: dict[str, Any], line: int, head: dict[str, Any]) -> Entry:
    return End(**head, how=_choice(record, "how", _ENDS, line))


def _read_frame(record: dict[str, Any], line: int, head: dict[str, Any]) -> Entry:
    direction = _choice(record, "direction", _SIDES, line)
    binary = record.get("binary") is True
    return Frame(**head, direction=direction, data=_read_data(record, line), binary=binary)


def _read_link(record: dict[str, Any], line: int, head: dict[str, Any]) -> Entry:
    return Link(
        **head,
        what=_choice(record, "what", ("opened", "closed"), line),
        by=_choice(record, "by", _SIDES, line),
        transport=_choice(record, "transport", ("stdio", "websocket"), line),
        detail=_member(record, "detail", str, line),
    )


def _read_struck(record: dict[str, Any], line: int, head: dict[str, Any]) -> Entry:
    return Struck(**head, fault=_member(record, "fault", str, line))


def _choice(record: dict[str, Any], key: str, known: tuple[str, ...], line: int) -> Any:
    value = record.get(key)
    if value not in known:
        *first, last = known
        raise TranscriptError(f"line {line}: {key}: expected {', '.join(first)} or {last}, got {value!r}")
    return value


_SIDES: Final = ("client", "server")
_ENDS: Final = get_args(EndHow)
_OF_CONNECTION: Final = frozenset(("frame", "link", "struck"))
_READ: Final[Mapping[str, Callable[[dict[str, Any], int, dict[str, Any]], Entry]]] = {
    "request": _read_request,
    "response": _read_response,
    "chunk": _read_chunk,
    "end": _read_end,
    "frame": _read_frame,
    "link": _read_link,
    "struck": _read_struck,
}


def _read_headers(record: dict[str, Any], line: int) -> Headers:
    headers = _member(record, "headers", list, line)
    if not all(isinstance(h, list) and len(h) == 2 and all(isinstance(x, str) for x in h) for h in headers):
        raise TranscriptError(f"line {line}: headers: expected [name, value] pairs, got {headers!r}")
    return tuple((name, value) for name, value in headers)


def _read_data(record: dict[str, Any], line: int) -> bytes:
    if "body" in record:
        text: str = _member(record, "body", str, line)
        return text.encode("utf-8", "surrogatepass")
    coded = _member(record, "body_base64", str, line)
    try:
        return base64.b64decode(coded, validate=True)
    except ValueError as error:
        raise TranscriptError(
            f"line {line}: body_base64: expected base64, got {coded[:40]!r} ({error})"
        ) from None
