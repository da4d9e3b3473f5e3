"""Who is let in to the app-server's websocket, and what the others are told."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.server.codex_wires import Process, Websocket
from wiretape import load_cassette
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.thread import CodexPlayback, ServerThread

DYNAMIC = "codex/dynamic_tool_text"
SECRET = b"a secret that two share, not a short one"
TOKEN = "a token"
DIGEST = hashlib.sha256(TOKEN.encode()).hexdigest()


def signed(claims: dict[str, Any], secret: bytes = SECRET, algorithm: str = "HS256") -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    text = f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(claims)}"
    own = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return f"{text}.{base64.urlsafe_b64encode(own).decode().rstrip('=')}"


def test_without_auth_any_bearer_will_do(codex: Callable[..., CodexPlayback]) -> None:
    with Websocket(codex().ws_url, authorization="Bearer whatever") as client:
        assert client.upgrade.status == 101


@pytest.mark.parametrize(
    ("authorization", "refusal"),
    [
        (f"Bearer {TOKEN}", ""),
        (f"bEARER {TOKEN}", ""),
        (f"Bearer {TOKEN}x", "invalid websocket bearer token"),
        (f"Basic {TOKEN}", "invalid authorization header"),
        (TOKEN, "invalid authorization header"),
        ("Bearer", "invalid authorization header"),
        ("Bearer caf\xe9", "invalid authorization header"),
        (None, "missing websocket bearer token"),
    ],
)
@pytest.mark.parametrize("by", ["digest", "file"])
def test_a_capability_token_opens(
    codex: Callable[..., CodexPlayback], tmp_path: Path, by: str, authorization: str | None, refusal: str
) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", "utf-8")
    given = ("--ws-token-sha256", DIGEST) if by == "digest" else ("--ws-token-file", str(file))
    playback = codex(DYNAMIC, "--ws-auth", "capability-token", *given)
    headers = {} if authorization is None else {"authorization": authorization}
    with Websocket(playback.ws_url, **headers) as client:
        assert told(client) == refusal
    assert [each.rpartition(": ")[2] for each in playback.transcript().errors] == [refusal][: bool(refusal)]


OLD = replace(load_cassette(DYNAMIC), profile="0.110")


def test_an_old_app_server_knows_no_lock(codex: Callable[..., CodexPlayback]) -> None:
    with pytest.raises(OptionError, match=r"--ws-auth is unknown to app-server 0\.110; leave it out"):
        codex(OLD, "--ws-auth", "capability-token", "--ws-token-sha256", DIGEST)
    options = ("--listen", "ws://127.0.0.1:0", "--ws-auth=capability-token", "--ws-token-sha256", DIGEST)
    with Process(codex(OLD), "app-server", *options) as program:
        assert program.end() == (2, "error: unexpected argument '--ws-auth' found\n")


def told(client: Websocket) -> str:
    """Why somebody was not let in; empty when they were."""
    if client.upgrade.status == 101:
        return ""
    assert client.upgrade.status == 401
    return client.upgrade.body().decode()


NOW = 1_796_049_354.0
GOOD = {"exp": NOW + 600, "iss": "ci", "aud": ["other", "codex"]}


@pytest.mark.parametrize(
    ("token", "refusal"),
    [
        (signed(GOOD), ""),
        (signed(GOOD | {"aud": "codex", "nbf": NOW - 5}), ""),
        (signed(GOOD | {"exp": NOW - 10}), ""),
        (signed(GOOD | {"exp": NOW - 600}), "expired websocket jwt"),
        (signed(GOOD | {"nbf": NOW + 600}), "websocket jwt is not valid yet"),
        (signed(GOOD | {"exp": "never"}), "invalid websocket jwt"),
        (signed(GOOD | {"exp": True}), "invalid websocket jwt"),
        (signed({name: value for name, value in GOOD.items() if name != "exp"}), "invalid websocket jwt"),
        (signed(GOOD | {"iss": "cd"}), "websocket jwt issuer mismatch"),
        (signed(GOOD | {"aud": "other"}), "websocket jwt audience mismatch"),
        (signed(GOOD, b"another secret"), "invalid websocket jwt"),
        (signed(GOOD, algorithm="none"), "invalid websocket jwt"),
        ("no.token", "invalid websocket jwt"),
        ("a.b.é", "invalid authorization header"),
    ],
)
def test_a_signed_bearer_token_opens_until_it_expires(tmp_path: Path, token: str, refusal: str) -> None:
    file = tmp_path / "secret"
    file.write_bytes(SECRET + b"\n")
    lock = (
        *("--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", str(file)),
        *("--ws-issuer", "ci", "--ws-audience", "codex", "--ws-max-clock-skew-seconds", "60"),
    )
    options = PlayOptions(pace="instant", app_server=lock)
    with ServerThread(wall=lambda: NOW) as server:
        playback = server.play(load_cassette("codex/dynamic_tool_text"), options)
        assert isinstance(playback, CodexPlayback)
        with Websocket(playback.ws_url, authorization=f"Bearer {token}") as client:
            assert told(client) == refusal


CAPABILITY = ("--ws-auth", "capability-token")
BEARER = ("--ws-auth", "signed-bearer-token")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--ws-auth", "password"), "give capability-token or signed-bearer-token"),
        (CAPABILITY, "`--ws-token-file` or `--ws-token-sha256` is required"),
        ((*CAPABILITY, "--ws-token-file", "no-such-file"), "failed to read websocket auth secret "),
        ((*CAPABILITY, "--ws-token-file", "empty"), "empty must not be empty"),
        ((*CAPABILITY, "--ws-token-sha256", "abc"), "must be a 64-character hex SHA-256 digest"),
        (BEARER, "`--ws-shared-secret-file` is required"),
        ((*BEARER, "--ws-shared-secret-file", "short"), "short must be at least 32 bytes"),
        (
            (*BEARER, "--ws-shared-secret-file", "long", "--ws-max-clock-skew-seconds", "soon"),
            "give a whole number",
        ),
    ],
)
def test_auth_options_that_do_not_go_together_are_refused(
    codex: Callable[..., CodexPlayback],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    options: tuple[str, ...],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in (("empty", b"\n"), ("short", b"short"), ("long", SECRET)):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(OptionError, match=why):
        codex(DYNAMIC, *options)
