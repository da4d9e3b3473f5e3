"""The program as a command, and who is let in to one that listens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any, Final

from tests.differential.scenario import scenario
from tests.differential.stage import Stage

UPGRADE: Final = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
TOKEN: Final = "a-token-of-some-length"
SECRET: Final = "a-secret-that-both-sides-know-of-32-bytes"
SOON, LATE = 4_102_444_800, 1_000_000_000
"""Times of expiry: one to come, one that is over."""


@scenario("command: its version")
async def _(stage: Stage) -> None:
    await stage.run("--version")


@scenario("command: locks without a key")
async def _(stage: Stage) -> None:
    (stage.side.folder / "short").write_text("short")
    (stage.side.folder / "empty").write_text("")
    for lock in (
        ("capability-token",),
        ("capability-token", "--ws-token-file", "missing"),
        ("capability-token", "--ws-token-file", str(stage.side.folder.resolve() / "missing")),
        ("capability-token", "--ws-token-file", str(stage.side.folder.resolve() / "empty")),
        ("capability-token", "--ws-token-sha256", "abc"),
        ("signed-bearer-token",),
        ("signed-bearer-token", "--ws-shared-secret-file", str(stage.side.folder.resolve() / "short")),
    ):
        await stage.run("app-server", "--listen", "ws://127.0.0.1:0", "--ws-auth", *lock)


@scenario("listening: pages, paths and origins")
async def _(stage: Stage) -> None:
    await stage.listen()
    for path in ("/readyz", "/healthz", "/", "/other"):
        await stage.knock(path)
    for path in ("/", "/any/path?at=all"):
        await stage.knock(path, **UPGRADE)
    for path in ("/readyz", "/"):
        await stage.knock(path, Origin="http://127.0.0.1")
    await stage.knock(**UPGRADE, Origin="http://127.0.0.1")
    await stage.knock(**UPGRADE, Authorization="Bearer whatever")


@scenario("listening: a capability token")
async def _(stage: Stage) -> None:
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    await stage.listen("--ws-auth", "capability-token", "--ws-token-sha256", digest)
    await stage.knock("/readyz")
    await stage.knock(**UPGRADE)
    for bearer in (f"Bearer {TOKEN}", f"bearer {TOKEN}", "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer"):
        await stage.knock(**UPGRADE, Authorization=bearer)


@scenario("listening: a signed bearer token")
async def _(stage: Stage) -> None:
    (stage.side.folder / "secret").write_text(SECRET)
    secret = ("--ws-shared-secret-file", str((stage.side.folder / "secret").resolve()))
    limits = ("--ws-issuer", "issuer", "--ws-audience", "audience")
    await stage.listen("--ws-auth", "signed-bearer-token", *secret, *limits)
    good = {"exp": SOON, "iss": "issuer", "aud": "audience"}
    claims: tuple[dict[str, Any], ...] = (
        good,
        {**good, "aud": ["other", "audience"]},
        {**good, "exp": LATE},
        {**good, "nbf": SOON},
        {**good, "iss": "other"},
        {**good, "aud": "other"},
        {"iss": "issuer", "aud": "audience"},
        {"exp": SOON},
    )
    for each in claims:
        await stage.knock(**UPGRADE, Authorization=f"Bearer {signed(each)}")
    for bearer in (
        signed(good, "another-secret-of-at-least-32-bytes"),
        signed(good, algorithm="none"),
        "x.y.z",
    ):
        await stage.knock(**UPGRADE, Authorization=f"Bearer {bearer}")


def signed(claims: dict[str, Any], secret: str = SECRET, algorithm: str = "HS256") -> str:
    """A JSON Web Token."""
    text = f"{_part({'alg': algorithm, 'typ': 'JWT'})}.{_part(claims)}"
    signature = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    return f"{text}.{_encoded(signature)}"


def _part(value: dict[str, Any]) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
