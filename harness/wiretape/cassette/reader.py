"""Plain data to Cassette: the format's keys and types, level by level, as tables."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from wiretape.cassette.chunk_table import read_chunks
from wiretape.cassette.document import read_document
from wiretape.cassette.model import (
    Cassette,
    CassetteError,
    Expect,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
)
from wiretape.cassette.refusal import in_file, nearest, refusal, shown

FORMAT = 1

_Read: TypeAlias = Callable[[Any, str], Any]
"""Gets a value and its key path, gives what the model holds. Raises CassetteError."""


@dataclass(frozen=True, slots=True)
class _Key:
    read: _Read
    required: bool = False


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
    mapping = _mapping(document, "the top level")
    _check_format(mapping)
    own = {key: value for key, value in mapping.items() if not key.startswith("x-")}
    fields = _record(own, "", _CASSETTE)
    del fields["format"]
    return fields | {"extensions": {key: value for key, value in mapping.items() if key not in own}}


def _check_format(mapping: Mapping[str, Any]) -> None:
    got = mapping.get("format", "no such key")
    if type(got) is not int or got != FORMAT:
        raise refusal(
            at="format",
            want=f"format: {FORMAT}",
            got=shown(got),
            hint=f"this version reads format {FORMAT}; a file of a later format needs a later wiretape",
        )


def _record(value: Any, at: str, keys: Mapping[str, _Key]) -> dict[str, Any]:
    """Read a mapping whose keys are all known."""
    mapping = _mapping(value, at)
    for name in mapping:
        if name not in keys:
            raise _unknown_key(name, at, keys)
    for name, key in keys.items():
        if key.required and name not in mapping:
            raise refusal(
                at=at or "the top level",
                want=f"the key {name!r}",
                got="no such key",
                hint=f"add {name}: docs/cassette-format.md has an example",
            )
    return {name: keys[name].read(item, f"{at}.{name}" if at else name) for name, item in mapping.items()}


def _unknown_key(name: str, at: str, keys: Mapping[str, _Key]) -> CassetteError:
    guess = nearest(name, keys)
    own = "" if at else "; keys of your own begin with x-"
    return refusal(
        at=at or "the top level",
        want=f"only these keys: {', '.join(keys)}",
        got=f"the key {name!r}",
        hint=(f"did you mean {guess!r}?" if guess else "remove it") + own,
    )


def _wrong(at: str, want: str, got: object, hint: str) -> CassetteError:
    return refusal(at=at, want=want, got=shown(got), hint=hint)


def _mapping(value: Any, at: str, want: str = "a mapping") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(at, want, value, "write key: value lines, indented below it")
    return value


def _text(value: Any, at: str) -> str:
    if not isinstance(value, str):
        raise _wrong(at, "text", value, "put it in double quotes, or leave the key out")
    return value


def _list_of(read: _Read, *, least: int = 0) -> _Read:
    def read_list(value: Any, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _wrong(at, "a list", value, "write one entry a line, each behind a dash")
        if len(value) < least:
            raise _wrong(
                at, f"at least {least} entry", value, "an empty recording can't be played; record again"
            )
        return tuple(read(item, f"{at}[{index}]") for index, item in enumerate(value))

    return read_list


def _mapping_of(read: _Read) -> _Read:
    return lambda value, at: {key: read(item, f"{at}.{key}") for key, item in _mapping(value, at).items()}


def _one_of(*words: str) -> _Read:
    def read_word(value: Any, at: str) -> str:
        if not isinstance(value, str) or value not in words:
            raise _wrong(at, f"one of {', '.join(words)}", value, "choose one of these words")
        return value

    return read_word


def _matching(pattern: str, want: str) -> _Read:
    def read_matching(value: Any, at: str) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise _wrong(at, want, value, "write it as it stood in the request line")
        return value

    return read_matching


def _status(value: Any, at: str) -> int:
    if type(value) is not int or not 100 <= value <= 599:
        raise _wrong(at, "an HTTP status from 100 to 599", value, "write the number without quotes")
    return value


def _result(value: Any, at: str) -> dict[str, Any] | str:
    return "echo" if value == "echo" else _mapping(value, at, 'the result object, or the word "echo"')


def _body(value: Any, at: str) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and list(value) == ["base64"] and isinstance(value["base64"], str):
        return _base64(value["base64"], f"{at}.base64")
    raise _wrong(at, 'text, or {base64: "…"}', value, "write the exact text as a literal block: |+ or |-")


def _base64(text: str, at: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _wrong(
            at, "base64 with its padding, on one line", text, f"encode the bytes again: {error}"
        ) from None


def _chunks(value: Any, at: str) -> str:
    return value.decode() if isinstance(value, bytes) else _text(value, at)


def _response(value: Any, at: str) -> RecordedResponse:
    fields = _record(value, at, _RESPONSE)
    if "chunks" in fields:
        size = len(fields.get("body", b""))
        fields["chunks"] = read_chunks(fields["chunks"], size, f"{at}.chunks")
    return RecordedResponse(**fields)


def _of(model: Callable[..., Any], keys: Mapping[str, _Key]) -> _Read:
    return lambda value, at: model(**_record(value, at, keys))


_HEADERS = _Key(_mapping_of(_text))
_REQUEST = {
    "method": _Key(_matching("[A-Z]+", "an HTTP method in capitals"), required=True),
    "path": _Key(_matching("/[!-~]*", "a path that begins with /, query included"), required=True),
    "headers": _HEADERS,
    "body": _Key(_body),
}
_RESPONSE = {
    "status": _Key(_status),
    "headers": _HEADERS,
    "end": _Key(_one_of("complete", "reset", "hang")),
    "chunks": _Key(_chunks),
    "body": _Key(_body),
}
_INTERACTION = {
    "request": _Key(_of(RecordedRequest, _REQUEST), required=True),
    "response": _Key(_response, required=True),
}
_PROVENANCE = {
    "kind": _Key(_one_of("recorded", "reconstructed", "synthetic"), required=True),
    "captured_at": _Key(_text),
    "tool": _Key(_text),
    "basis": _Key(_list_of(_text)),
    "gaps": _Key(_list_of(_text)),
}
_EXPECT = {
    "user_message": _Key(_text),
    "tools": _Key(_list_of(_mapping)),
    "results": _Key(_mapping_of(_result)),
    "rules": _Key(_list_of(_text)),
}
_CASSETTE = {
    "format": _Key(lambda value, _: value),
    "protocol": _Key(_one_of("flow_a", "codex"), required=True),
    "title": _Key(_text, required=True),
    "profile": _Key(_text),
    "provenance": _Key(_of(Provenance, _PROVENANCE), required=True),
    "expect": _Key(_of(Expect, _EXPECT)),
    "interactions": _Key(_list_of(_of(Interaction, _INTERACTION), least=1), required=True),
}
