"""Random traffic: what goes to a server on one connection, from a seed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal, TypeAlias

Ending: TypeAlias = Literal["read", "abort", "half-close"]
"""What the client does when all is sent: it reads all answers; breaks the connection, having read a bit or
nothing; or ends its own side of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One connection. ``pieces`` are written one by one; ``methods`` are those of its requests."""

    pieces: tuple[bytes, ...]
    methods: tuple[str, ...]
    ending: Ending
    patience: int = 0
    """Bytes that are read before an abort."""


_METHODS: Final = ("GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW")
_PATHS: Final = (
    "/backend-api/f/conversation",
    "/backend-api/f/conversation",
    "/backend-anon/f/conversation",
    "/backend-api/f/conversation/prepare",
    "/backend-api/f/conversation/resume",
    "/backend-api/ios/attestation_challenge",
    "/backend-api/conversation/{id}",
    "/backend-api/conversation/{id}/stream_status",
    "/backend-api/stop_conversation",
    "/backend-api/f/convers%61tion",
    "/backend-api/models",
    "/backend-api/%00",
    "/backend-api/f/conversation/../x",
    "/codex",
    "/codex/readyz",
    "/codex/v1/responses",
    "/codex/v1/models",
    "/v1/responses",
    "/v1/nothing",
    "/readyz",
    "/healthz",
    "/inspector",
    "/inspector/",
    "/inspector/static/inspector.css",
    "/inspector/play/quiet/",
    "/inspector/play/quiet/rules",
    "/inspector/play/quiet/rows?from=5",
    "/inspector/play/quiet/moment?line=3",
    "/inspector/play/quiet/transcript.jsonl",
    "/inspector/play/quiet/cassette.yaml",
    "/inspector/play/nobody/",
    "/inspector/%2e%2e/x",
    "/",
    "//",
    "/play",
    "/play/nobody/backend-api/f/conversation",
    "/%ff%fe",
    "*",
)
_HEADERS: Final = (
    "content-type: application/json",
    "content-type: application/json; charset=utf-16",
    "content-type: text/plain",
    "content-type: multipart/form-data; boundary=x",
    "content-encoding: gzip",
    "content-encoding: br",
    "content-encoding: identity",
    "expect: 100-continue",
    "expect: nothing",
    "connection: close",
    "connection: keep-alive",
    "connection: upgrade",
    "upgrade: websocket",
    "upgrade: h2c",
    "origin: https://a.example",
    "authorization: Bearer x",
    "accept-encoding: gzip, br",
    "x-conduit-token: made-up",
    "x-conduit-token: " + "x" * 4000,
    "x: \xe9\x80",
    "range: bytes=0-5",
    "cookie: a=b; a=c",
)
_IDS: Final = ("00000000-0000-4000-8000-000000000001", "", "x" * 300, "é", "../..", "null")
_BODIES: Final = (b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 5000, b'{"a": NaN}', b"x" * 9000)
_JSON: Final = (None, True, 0, -1, 1e300, "", "next", "x" * 2000, [], [[]], {}, {"a": {}}, "\ud800")


def script(random: Random, prefix: str, known: Sequence[str] = ()) -> Script:
    """What one client does: right and wrong requests to the play at ``prefix``, or to none.

    ``known``: ids of conversations and messages that servers told of.
    """
    count = random.choice((1, 1, 2, 3, 8))
    ids = (*known[-20:], *_IDS) if random.random() < 0.7 else _IDS
    requests = [_request(random, prefix, ids, last=number == count - 1) for number in range(count)]
    methods = tuple(method for method, _ in requests)
    data = b"".join(text for _, text in requests)
    shape = random.random()
    if shape < 0.70:
        return Script(pieces=_pieces(random, data), methods=methods, ending="read")
    if shape < 0.80:  # leaves when it has read a bit of the answers, or nothing
        patience = random.choice((0, 1, 20, 300, 1500))
        return Script(pieces=(data,), methods=methods, ending="abort", patience=patience)
    if shape < 0.92:  # half a request
        cut = data[: random.randrange(1, len(data))]
        return Script(
            pieces=_pieces(random, cut), methods=methods, ending=random.choice(("abort", "half-close"))
        )
    return Script(pieces=(_no_http(random, data),), methods=methods, ending="half-close")


def _pieces(random: Random, data: bytes) -> tuple[bytes, ...]:
    """The bytes at once, or cut somewhere."""
    if random.random() < 0.7:
        return (data,)
    cuts = sorted(random.randrange(len(data) + 1) for _ in range(random.choice((1, 2, 5))))
    return tuple(data[start:end] for start, end in zip((0, *cuts), (*cuts, len(data)), strict=True))


def _request(random: Random, prefix: str, ids: Sequence[str], *, last: bool) -> tuple[str, bytes]:
    """A whole request that is HTTP, whatever else it is; the last one ends the connection."""
    right = random.random() < 0.35
    method = "POST" if right else random.choice(_METHODS)
    path = random.choice(_PATHS[:9]) if right else random.choice(_PATHS)
    if path != "*" and not path.startswith("/inspector"):
        path = random.choice((prefix, prefix, prefix, "")) + path.format(id=_quoted(random.choice(ids)))
    body = b"" if method == "GET" else _body(random, ids)
    lines = [f"{method} {path or '/'} HTTP/1.1", "host: 127.0.0.1"]
    lines += ["content-type: application/json"] if right else random.sample(_HEADERS, random.randrange(4))
    if not last:  # who asks for another protocol has to wait for the answer
        lines = [each for each in lines if not each.startswith("upgrade: ")]
    else:
        lines = [each for each in lines if not each.startswith("connection: ")] + ["connection: close"]
        if random.random() < 0.1:
            lines[0] = lines[0].replace("HTTP/1.1", "HTTP/1.0")
    if body and "HTTP/1.1" in lines[0] and random.random() < 0.2:
        return method, _joined([*lines, "transfer-encoding: chunked"], _chunked(random, body))
    return method, _joined([*lines, f"content-length: {len(body)}"] if body else lines, body)


def _joined(lines: Sequence[str], body: bytes) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


def _chunked(random: Random, body: bytes) -> bytes:
    size = random.choice((1, 7, 1000))
    pieces = [body[at : at + size] for at in range(0, len(body), size)][:50] if size > 1 else [body]
    return b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in pieces) + b"0\r\n\r\n"


def _quoted(text: str) -> str:
    return text.replace("é", "%C3%A9").replace("/", "%2F") or "x"


def _body(random: Random, ids: Sequence[str]) -> bytes:
    shape = random.random()
    if shape < 0.15:
        return random.choice(
            (b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 5000, b'{"a": NaN}', b"x" * 9000)
        )
    if shape < 0.2:
        return random.randbytes(random.choice((1, 100, 3000)))
    body = turn(random, ids) if random.random() < 0.6 else answer(random, ids)
    for _ in range(random.choice((0, 0, 1, 3))):
        body[random.choice([*body, "more"])] = random.choice(_JSON)
    return json.dumps(body).encode()


def turn(random: Random, ids: Sequence[str]) -> dict[str, Any]:
    """A user's turn, in a new conversation or in one that may exist."""
    content = {"content_type": "text", "parts": [random.choice(("hi", "", "é" * 50))]}
    message = {"id": _uuid(random), "author": {"role": "user"}, "content": content}
    body: dict[str, Any] = {
        "action": "next",
        "messages": [message],
        "model": "m",
        "supported_encodings": ["v1"],
        "local_function_signatures": [],
        "offset": random.choice((0, 1, 10**9, -1, None)),
    }
    return body | ({"conversation_id": random.choice(ids)} if random.random() < 0.4 else {})


def answer(random: Random, ids: Sequence[str]) -> dict[str, Any]:
    """A tool's return, to anything or nothing."""
    text = json.dumps({"call_id": random.choice(ids), "result": {}, "tool": "alefita_way"})
    message = {
        "id": _uuid(random),
        "author": {"role": random.choice(("tool", "assistant")), "name": "alefita_way"},
        "content": {"content_type": "code", "text": text},
        "recipient": "all",
    }
    return {"action": "next", "messages": [message], "parent_message_id": random.choice(ids)}


def _uuid(random: Random) -> str:
    number = f"{random.getrandbits(128):032x}"
    return f"{number[:8]}-{number[8:12]}-4{number[13:16]}-8{number[17:20]}-{number[20:]}"


def _no_http(random: Random, data: bytes) -> bytes:
    """What is no HTTP, or frames its body wrongly."""
    line = b"POST /backend-api/f/conversation HTTP/1.1\r\nhost: x\r\n"
    return random.choice(
        (
            random.randbytes(random.choice((1, 50, 2000))) + b"\r\n\r\n",
            data.replace(b"HTTP/1.1", b"HTTP/9.9", 1),
            data.replace(b"\r\n", b"\n"),
            data.replace(b": ", b" ", 1),
            b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 20000 + b"\r\n\r\n",
            b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\nhost: x\r\n\r\n",
            line + b"content-length: 5\r\ncontent-length: 6\r\n\r\n{}",
            line + b"content-length: -1\r\n\r\n{}",
            line + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            line + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
            line + b"transfer-encoding: chunked\r\n\r\n2\r\n{}x",
            line + b"transfer-encoding: chunked\r\n\r\nffffffffffff\r\n{}",
            line + b"transfer-encoding: gzip\r\n\r\n{}",
            line + b"content-length: 99\r\n\r\n{}",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.randbytes(200),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"\r\n" * 50,
        )
    )
