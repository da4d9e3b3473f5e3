"""Secrets of every kind, and every place of a session to plant one in."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import quote

from wiretape.cassette import (
    Cassette,
    Interaction,
    ModelText,
    Provenance,
    RecordedFrame,
    RecordedRequest,
    RecordedResponse,
    Step,
)
from wiretape.delta_encoder import ANNOUNCEMENT, delta_event
from wiretape.redaction import Redactor
from wiretape.sse import ServerSentEvent, encode

JWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJTRUNSRVQ2In0.c2ln"
BY_SHAPE = {
    "jwt": JWT,
    "unsigned jwt": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJTRUNSRVQ2In0.",
    "encrypted jwt": "eyJhbGciOiJkaXIifQ..c2VjcmV0MQ.c2VjcmV0Mg.c2VjcmV0Mw",
    "sk key": "sk-proj-AbC123dEf456GhI789",
    "session key": "sess-AbC123dEf456GhI789jkl",
    "github token": "ghp_AbC123dEf456GhI789jklMNO",
    "cloud key": "AKIAABCDEFGHIJKLMNOP",
    "sentinel token": "gAAAAABoSECRETsentinelSECRETtoken",
    "e-mail": "jane.doe+chat@corp-mail.co.uk",
    "e-mail, not ASCII": "josé@caixa-postal.com.br",
    "password in a URL": "https://jane:SECRETpw4@db.corp-net.co.uk:8443/x",
    "password in a URL of a socket": "wss://SECRETjane:SECRETpw%404%21@localhost/x",
    "token in a URL": "https://SECRETtoken4@git.corp-net.co.uk/a/b.git",
    "private key": "-----BEGIN PRIVATE KEY-----\nMIIE+SECRET/Key4711\nAbC123==\n-----END PRIVATE KEY-----",
    "home path": "/home/jdoe-work/project",
    "home path of a Mac": "file:///Users/jdoe/project",
    "home path of Windows": "C:\\Users\\bnjdoe\\project",
}
BY_NAME = {
    "authorization": "SECRET-authorization",
    "cookie": "SECRETcookie01",
    "set-cookie": "SECRETsetcookie",
    "x-conduit-token": "SECRET-conduit",
    "conduit_token": "SECRET-conduit-answer",
    "OpenAI-Sentinel-Chat-Requirements-Token": "SECRET-requirements",
    "OpenAI-Sentinel-Proof-Token": "SECRET-proof",
    "OpenAI-Sentinel-Turnstile-Token": "SECRET-turnstile",
    "app_attest_challenge": "SECRET-challenge",
    "attestation_challenge": "SECRET-challenge-2",
    "accessToken": "SECRET-access",
    "idToken": "SECRET-id-token",
    "refresh_token": "SECRET-refresh",
    "chatgptAccountId": "org-SECRETaccount",
    "account_id": "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab",
    "oai-device-id": "11111111-2222-4333-8444-0123456789ab",
    "oai-did": "33333333-2222-4333-8444-0123456789ab",
    "api_key": "SECRET/key+with=signs",
    "passphrase": "SECRET\\nand\nbroken",
    "password": "pass wörd 王 🔑 1",
    "verify": "SECRET-verify",
    "email": "local-user-SECRET",
}
PIECES = (1, 3, 5)


def body(**members: object) -> bytes:
    return json.dumps({"action": "next", **members}).encode()


def session(
    *,
    path: str = "/backend-api/f/conversation",
    sent: dict[str, str] | None = None,
    got: dict[str, str] | None = None,
    request: bytes = b"{}",
    response: bytes = b"",
) -> Cassette:
    return Cassette(
        protocol="flow_a",
        provenance=Provenance(kind="recorded"),
        interactions=(
            Interaction(
                request=RecordedRequest(method="POST", path=path, headers=sent or {}, body=request),
                response=RecordedResponse(headers=got or {}, body=response),
            ),
        ),
    )


def frames(*messages: object) -> Cassette:
    return Cassette(
        protocol="codex",
        provenance=Provenance(kind="recorded"),
        model=(Step(items=(ModelText(text="Hello."),)),),
        frames=tuple(
            RecordedFrame(direction="server", delay=0, data=json.dumps(each).encode()) for each in messages
        ),
    )


def stream(*deltas: dict[str, object]) -> bytes:
    root = {"p": "", "o": "add", "c": 0, "v": {"message": {"content": {"parts": [""]}}}}
    return b"".join(map(encode, [ANNOUNCEMENT, *map(delta_event, [root, *deltas])]))


def split(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def growing(text: str, size: int, path: str = "/message/content/parts/0") -> bytes:
    first, *others = split(text, size)
    return stream({"p": path, "o": "append", "v": first}, *({"v": piece} for piece in others))


TEXT_PLACES: dict[str, Callable[[str], Cassette]] = {
    "JSON request": lambda s: session(request=body(text=f"it is {s} now")),
    "JSON response": lambda s: session(response=body(text=f"it is\n{s}\nnow")),
    "JSON in JSON": lambda s: session(request=body(text=json.dumps({"result": f"it is {s}"}))),
    "JSON in JSON in JSON": lambda s: session(request=body(text=json.dumps({"r": json.dumps(["", s])}))),
    "escaped letters": lambda s: session(request=b'{"text":"%s"}' % escaped(s).encode()),
    "percent-encoded": lambda s: session(request=body(url="https://x.example/a?b=" + quote(s, safe=""))),
    "percent-encoded letters": lambda s: session(
        request=body(url="https://x.example/a?b=" + "".join(f"%{byte:02X}" for byte in s.encode()))
    ),
    "base64": lambda s: session(request=body(data=base64.b64encode(f"it is {s}".encode()).decode())),
    "base64 for URLs": lambda s: session(
        request=body(d=base64.urlsafe_b64encode(f"{{'{s}'}}".encode()).decode())
    ),
    "typed event": lambda s: session(
        response=encode(ServerSentEvent(data=json.dumps({"type": "x", "s": s})))
    ),
    "root add": lambda s: session(response=stream({"p": "", "o": "add", "v": {"message": {"t": s}}})),
    "plain text": lambda s: session(response=f"<html>it is {s}</html>".encode()),
    "kept header": lambda s: session(sent={"User-Agent": f"client {s}"}),
    "unknown header": lambda s: session(got={"X-Whatever": s.encode("ascii", "replace").decode()}),
    "query": lambda s: session(path="/backend-api/x?a=" + quote(s, safe="")),
    "websocket URL": lambda s: session(response=body(url=f"wss://ws.example/x?t={quote(s, safe='')}&u=1")),
    "frame": lambda s: frames({"method": "x", "params": {"cwd": s}}),
    "title": lambda s: replace(session(), title=f"Of {s}"),
    **{
        f"deltas of {size}": lambda s, size=size: session(response=growing(f"it is {s} now", size))  # type: ignore[misc]
        for size in PIECES
    },
    **{
        f"JSON over deltas of {size}": lambda s, size=size: session(  # type: ignore[misc]
            response=growing(json.dumps({"message": s}), size)
        )
        for size in PIECES
    },
    **{
        f"frames' deltas of {size}": lambda s, size=size: frames(  # type: ignore[misc]
            *(
                {"method": "item/agentMessage/delta", "params": {"itemId": "i", "delta": p}}
                for p in split(s, size)
            )
        )
        for size in PIECES
    },
}
NAMED_PLACES: dict[str, Callable[[str, str], Cassette]] = {
    "request header": lambda n, s: session(sent={n.upper(): header(n, s)}),
    "response header": lambda n, s: session(got={n.title(): header(n, s)}),
    "JSON request": lambda n, s: session(request=body(**{n: s})),
    "JSON response": lambda n, s: session(response=json.dumps({"a": [{n: s}]}, indent=1).encode()),
    "JSON in JSON": lambda n, s: session(request=body(text=json.dumps({n: s}))),
    "list": lambda n, s: session(request=body(**{n: [s, "other"]})),
    "escaped name": lambda n, s: session(
        request=b'{"%s":%s}' % (escaped(n).encode(), json.dumps(s).encode())
    ),
    "query": lambda n, s: session(path=f"/x?a=1&{n}={quote(s, safe='')}"),
    "URL in JSON": lambda n, s: session(request=body(url=f"https://x.example/?{n}={quote(s, safe='')}&b=1")),
    "typed event": lambda n, s: session(
        response=encode(ServerSentEvent(data=json.dumps({"type": "x", n: s})))
    ),
    "data lines": lambda n, s: session(
        response=encode(ServerSentEvent(data=json.dumps({"type": "x", n: s}, indent=1)))
    ),
    "frame": lambda n, s: frames({"id": 1, "result": {n: s}}),
    "patch": lambda n, s: session(
        response=stream({"p": "", "o": "patch", "v": [{"p": f"/message/{n}", "o": "add", "v": s}]})
    ),
    "result": lambda n, s: frames({"id": 1, "result": {"text": json.dumps({n: s})}}),
    **{
        f"deltas of {size}": lambda n, s, size=size: session(response=growing(s, size, f"/message/{n}"))  # type: ignore[misc]
        for size in PIECES
    },
    **{
        f"JSON over deltas of {size}": lambda n, s, size=size: session(  # type: ignore[misc]
            response=growing(json.dumps({"a": 1, n: s}), size)
        )
        for size in PIECES
    },
    "seen later": lambda n, s: session(request=body(text=f"it is {s} now"), response=body(**{n: s})),
    "seen later, in deltas": lambda n, s: session(
        response=growing(f"it is {s} now", 3) + encode(ServerSentEvent(data=json.dumps({"type": "x", n: s})))
    ),
}


def header(name: str, value: str) -> str:
    """A value as a header can carry it."""
    plain = value.encode("ascii", "replace").decode().replace("\n", " ")
    return {
        "authorization": f"Bearer {plain}",
        "cookie": f"a={plain}; b=1",
        "set-cookie": f"a={plain}; Path=/",
    }.get(name, plain)


def escaped(text: str) -> str:
    """Each UTF-16 unit as a JSON escape."""
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def planted() -> Iterator[tuple[str, str, Cassette]]:
    """Where a secret stands, the secret, and the session."""
    for kind, secret in BY_SHAPE.items():
        for place, plant in TEXT_PLACES.items():
            yield f"{kind}, {place}", secret, plant(secret)
    for name, secret in BY_NAME.items():
        for place, named in NAMED_PLACES.items():
            yield f"{name}, {place}", secret, named(name, secret)


def fed(data: bytes, size: int, redactor: Redactor | None = None) -> bytes:
    """A body without its secrets, that came in pieces of a size."""
    hide = (redactor or Redactor()).stream()
    parts = [*(hide.feed(data[at : at + size]) for at in range(0, len(data), size)), hide.close()]
    return "".join(parts).encode("utf-8", "surrogateescape")
