"""Plain data to Cassette: the format's keys and types, level by level, as tables."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from wiretape.cassette.chunk_table import read_chunks
from wiretape.cassette.document import read_document
from wiretape.cassette.fields import (
    Key,
    http_status,
    list_of,
    mapping,
    mapping_of,
    matching,
    of,
    one_of,
    record,
    text,
    wrong,
)
from wiretape.cassette.frame_table import read_frames
from wiretape.cassette.model import (
    Cassette,
    CassetteError,
    Expect,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
)
from wiretape.cassette.refusal import in_file, refusal, shown
from wiretape.cassette.script import read_client, read_model

FORMAT = 1


def loads(data: bytes, *, name: str = "", source: str = "") -> Cassette:
    """Read a cassette from the bytes of its file. ``source`` is the file that error messages name.

    Raises CassetteError: the file, the place, what was expected, what came, what to do next.
    """
    try:
        fields = _file(read_document(data))
    except CassetteError as error:
        raise in_file(source or name, error) from None
    return Cassette(name=name, source=source, **fields)


def _file(document: Any) -> dict[str, Any]:
    whole = mapping(document, "the top level")
    _check_format(whole)
    own = {key: value for key, value in whole.items() if not key.startswith("x-")}
    fields = record(own, "", _CODEX if own.get("protocol") == "codex" else _FLOW_A)
    del fields["format"]
    return fields | {"extensions": {key: value for key, value in whole.items() if key not in own}}


def _check_format(whole: Mapping[str, Any]) -> None:
    got = whole.get("format", "no such key")
    if type(got) is not int or got != FORMAT:
        raise refusal(
            at="format",
            want=f"format: {FORMAT}",
            got=shown(got),
            hint=f"this version reads format {FORMAT}; a file of a later format needs a later wiretape",
        )


def _result(value: Any, at: str) -> dict[str, Any] | str:
    return "echo" if value == "echo" else mapping(value, at, 'the result object, or the word "echo"')


def _body(value: Any, at: str) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and list(value) == ["base64"] and isinstance(value["base64"], str):
        return _base64(value["base64"], f"{at}.base64")
    raise wrong(at, 'text, or {base64: "…"}', value, "write the exact text as a literal block: |+ or |-")


def _base64(value: str, at: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except ValueError as error:
        raise wrong(
            at, "base64 with its padding, on one line", value, f"encode the bytes again: {error}"
        ) from None


def _chunks(value: Any, at: str) -> str:
    return value.decode() if isinstance(value, bytes) else text(value, at)


def _response(value: Any, at: str) -> RecordedResponse:
    fields = record(value, at, _RESPONSE)
    if "chunks" in fields:
        size = len(fields.get("body", b""))
        fields["chunks"] = read_chunks(fields["chunks"], size, f"{at}.chunks")
    return RecordedResponse(**fields)


_HEADERS = Key(mapping_of(text))
_REQUEST = {
    "method": Key(matching("[A-Z]+", "an HTTP method in capitals"), required=True),
    "path": Key(matching("/[!-~]*", "a path that begins with /, query included"), required=True),
    "headers": _HEADERS,
    "body": Key(_body),
}
_RESPONSE = {
    "status": Key(http_status),
    "headers": _HEADERS,
    "end": Key(one_of("complete", "reset", "hang")),
    "chunks": Key(_chunks),
    "body": Key(_body),
}
_INTERACTION = {
    "request": Key(of(RecordedRequest, _REQUEST), required=True),
    "response": Key(_response, required=True),
}
_PROVENANCE = {
    "kind": Key(one_of("recorded", "reconstructed", "synthetic"), required=True),
    "captured_at": Key(text),
    "tool": Key(text),
    "basis": Key(list_of(text)),
    "gaps": Key(list_of(text)),
}
_EXPECT = {
    "user_message": Key(text),
    "tools": Key(list_of(mapping)),
    "results": Key(mapping_of(_result)),
    "rules": Key(list_of(text)),
}
_COMMON = {
    "format": Key(lambda value, _: value),
    "protocol": Key(one_of("flow_a", "codex"), required=True),
    "title": Key(text, required=True),
    "profile": Key(text),
    "provenance": Key(of(Provenance, _PROVENANCE), required=True),
    "expect": Key(of(Expect, _EXPECT)),
}
_FLOW_A = _COMMON | {
    "interactions": Key(list_of(of(Interaction, _INTERACTION), least=1), required=True),
}
_CODEX = _COMMON | {
    "model": Key(read_model, required=True),
    "client": Key(read_client),
    "frames": Key(read_frames),
}
