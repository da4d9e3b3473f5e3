"""Cassette to bytes, in the one canonical layout: fixed key order, block style, a body per literal block."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wiretape.cassette.blocks import block, block_holds
from wiretape.cassette.chunk_table import write_chunks
from wiretape.cassette.frame_table import write_frames
from wiretape.cassette.model import (
    Cassette,
    Expect,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
)
from wiretape.cassette.plain_yaml import is_text_unquoted
from wiretape.cassette.reader import FORMAT
from wiretape.cassette.refusal import refusal, shown
from wiretape.cassette.script import write_client, write_model

_PREFACE = b"""\
# wiretape cassette. Blanks at line ends and blank lines are part of the recording: an editor must keep them.
"""
_UNQUOTED = re.compile("[A-Za-z/](?:[A-Za-z0-9 ,.;()/_'-]*[A-Za-z0-9.)/_])?")
_ESCAPED = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def dumps(cassette: Cassette) -> bytes:
    """Write a cassette as the bytes of its file.

    Raises CassetteError for what the format can't hold: lone surrogates, and values that JSON doesn't have.
    """
    return b"".join([_PREFACE, *_pairs(_cassette(cassette), 0)])


def _cassette(cassette: Cassette) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "protocol": cassette.protocol,
        "title": cassette.title,
        **_given(profile=cassette.profile),
        "provenance": _provenance(cassette.provenance),
        **_given(expect=_expect(cassette.expect)),
        **(_session(cassette) if cassette.protocol == "codex" else _exchanges(cassette)),
        **cassette.extensions,
    }


def _exchanges(cassette: Cassette) -> dict[str, Any]:
    return {"interactions": [_interaction(interaction) for interaction in cassette.interactions]}


def _session(cassette: Cassette) -> dict[str, Any]:
    client, frames = write_client(cassette.client), write_frames(cassette.frames)
    return {"model": write_model(cassette.model), **_given(client=client, frames=frames)}


def _provenance(provenance: Provenance) -> dict[str, Any]:
    optional = {"captured_at": provenance.captured_at, "tool": provenance.tool}
    return {
        "kind": provenance.kind,
        **{key: value for key, value in optional.items() if value is not None},
        **_given(basis=provenance.basis, gaps=provenance.gaps),
    }


def _expect(expect: Expect) -> dict[str, Any]:
    message = {} if expect.user_message is None else {"user_message": expect.user_message}
    return message | _given(tools=expect.tools, results=expect.results, rules=expect.rules)


def _interaction(interaction: Interaction) -> dict[str, Any]:
    return {"request": _request(interaction.request), "response": _response(interaction.response)}


def _request(request: RecordedRequest) -> dict[str, Any]:
    return {
        "method": request.method,
        "path": request.path,
        **_given(headers=request.headers, body=request.body),
    }


def _response(response: RecordedResponse) -> dict[str, Any]:
    chunks = {} if response.chunks is None else {"chunks": write_chunks(response.chunks)}
    return {
        "status": response.status,
        **_given(headers=response.headers),
        "end": response.end,
        **chunks,
        **_given(body=response.body),
    }


def _given(**values: Any) -> dict[str, Any]:
    """Those that are not empty: an empty one and an absent one are the same."""
    return {key: value for key, value in values.items() if value}


def _pairs(mapping: Mapping[str, Any], column: int) -> Iterator[bytes]:
    for key, value in mapping.items():
        yield b" " * column + _key(key) + b":"
        yield from _behind_key(value, column)


def _key(key: object) -> bytes:
    if not isinstance(key, str):
        raise _unwritable(key, "text as a key")
    return _one_line(key)


def _behind_key(value: Any, column: int) -> Iterator[bytes]:
    if isinstance(value, Mapping) and value:
        yield b"\n"
        yield from _pairs(value, column + 2)
    elif isinstance(value, list | tuple) and value:
        yield b"\n"
        yield from _items(value, column)
    else:
        yield b" "
        yield from _scalar(value, column + 2)


def _items(values: Sequence[Any], column: int) -> Iterator[bytes]:
    for value in values:
        yield b" " * column + b"-"
        yield from _behind_dash(value, column)


def _behind_dash(value: Any, column: int) -> Iterator[bytes]:
    if isinstance(value, Mapping) and value:
        pairs = _pairs(value, column + 2)
        yield next(pairs)[column + 1 :]
        yield from pairs
    else:
        yield from _behind_key(value, column + 2 if isinstance(value, list | tuple) else column)


def _scalar(value: Any, column: int) -> Iterator[bytes]:
    """What stands on the key's own line and, of a literal block, below it; line end included."""
    data = value if isinstance(value, bytes) else _lines(value)
    if block_holds(data):
        yield from block(data, b" " * column)
    else:
        yield _flat(value) + b"\n"


def _lines(value: Any) -> bytes:
    """Text of more than one line, which reads best as a block."""
    return value.encode(errors="surrogatepass") if isinstance(value, str) and "\n" in value else b""


def _flat(value: Any) -> bytes:
    if isinstance(value, str):
        return _one_line(value)
    if isinstance(value, bytes):
        return _text_or_base64(value)
    if value is None or isinstance(value, bool | int | float):
        return _json_word(value)
    if isinstance(value, Mapping | list | tuple):
        return b"{}" if isinstance(value, Mapping) else b"[]"
    raise _unwritable(
        value, "what JSON has: objects with text keys, arrays, text, numbers, true, false, null"
    )


def _text_or_base64(data: bytes) -> bytes:
    try:
        return _quoted(data.decode())
    except UnicodeDecodeError:
        return b'{base64: "' + base64.b64encode(data) + b'"}'


def _one_line(text: str) -> bytes:
    plain = _UNQUOTED.fullmatch(text) and is_text_unquoted(text)
    return text.encode() if plain else _quoted(text)


def _quoted(text: str) -> bytes:
    """A double-quoted scalar on one line. YAML has JSON's escapes, but no pairs of surrogates."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _unwritable(text, "text without lone surrogates")
    raw = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", raw).encode()


def _json_word(value: float | None) -> bytes:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _unwritable(value, "a finite number")
        text = repr(value)
        return (text if "." in text else text.replace("e", ".0e")).encode()  # YAML 1.1 needs the point
    return json.dumps(value).encode()


def _unwritable(value: object, want: str) -> Exception:
    return refusal(
        at="a value to be written", want=want, got=shown(value), hint="a cassette holds what JSON can hold"
    )
