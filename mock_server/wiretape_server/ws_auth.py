"""Who may connect to an app-server's websocket: the ``--ws-auth`` options of the real one.

``capability-token``: a fixed token, given as a file or as its SHA-256. ``signed-bearer-token``: a JSON Web
Token that is signed with a shared secret (HS256) and expires.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from wiretape import strictjson
from wiretape.strictjson import StrictJSONError
from wiretape_server.options import OptionError

OPTIONS: Final = (
    "--ws-auth",
    "--ws-token-file",
    "--ws-token-sha256",
    "--ws-shared-secret-file",
    "--ws-issuer",
    "--ws-audience",
    "--ws-max-clock-skew-seconds",
)
"""Each takes a value."""
_SKEW: Final = 30
"""Seconds, where ``--ws-max-clock-skew-seconds`` says nothing (inferred)."""
_SHORTEST_SECRET: Final = 32
_NO_JWT: Final = "invalid websocket jwt"
_DIGEST: Final = re.compile("[0-9a-fA-F]{64}")


class LockedError(Exception):
    """Somebody may not come in; the text is what the app-server tells them."""


class Lock(Protocol):
    """Decides who may connect."""

    def open(self, authorization: str | None, now: float) -> None:
        """Let somebody in who comes with this header, at that time in Unix seconds. Raises LockedError."""


@dataclass(frozen=True, slots=True)
class Unlocked:
    """Lets everybody in."""

    def open(self, _authorization: str | None, _now: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Capability:
    """One token opens it, known by its SHA-256."""

    digest: bytes

    def open(self, authorization: str | None, _now: float) -> None:
        given = hashlib.sha256(_token(authorization).encode()).digest()
        _demand(hmac.compare_digest(given, self.digest), "invalid websocket bearer token")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedBearer:
    """A token that was signed with the secret opens it until it expires."""

    secret: bytes
    issuer: str | None = None
    audience: str | None = None
    skew: float = _SKEW

    def open(self, authorization: str | None, now: float) -> None:
        claims = self._claims(_token(authorization))
        _demand(now <= _time(claims.get("exp")) + self.skew, "expired websocket jwt")
        _demand(_time(claims.get("nbf", now)) - self.skew <= now, "websocket jwt is not valid yet")
        _demand(self.issuer in (None, claims.get("iss")), "websocket jwt issuer mismatch")
        audience = claims.get("aud")
        meant = audience if isinstance(audience, list) else [audience]
        _demand(self.audience is None or self.audience in meant, "websocket jwt audience mismatch")

    def _claims(self, token: str) -> dict[str, Any]:
        """What a token that we signed says. Raises LockedError for any other."""
        signed, _, signature = token.rpartition(".")
        head, _, body = signed.partition(".")
        own = hmac.new(self.secret, signed.encode(), hashlib.sha256).digest()
        is_ours = _object(head).get("alg") == "HS256" and hmac.compare_digest(own, _decoded(signature))
        _demand(is_ours, _NO_JWT)
        return _object(body)


def read_lock(options: Mapping[str, str], folder: Path) -> Lock:
    """The lock that the options describe; files are looked up in ``folder``. Raises OptionError."""
    match options.get("--ws-auth"):
        case None:
            return Unlocked()
        case "capability-token":
            return Capability(_digest(options, folder))
        case "signed-bearer-token":
            return SignedBearer(
                secret=_secret(options, folder),
                issuer=options.get("--ws-issuer"),
                audience=options.get("--ws-audience"),
                skew=_seconds(options),
            )
        case other:
            raise OptionError(f"--ws-auth is {other!r}; give capability-token or signed-bearer-token")


def _digest(options: Mapping[str, str], folder: Path) -> bytes:
    if "--ws-token-file" in options:
        return hashlib.sha256(_content(folder / options["--ws-token-file"])).digest()
    if "--ws-token-sha256" not in options:
        raise OptionError(
            "`--ws-token-file` or `--ws-token-sha256` is required when `--ws-auth capability-token` is set"
        )
    text = options["--ws-token-sha256"].strip()
    if not _DIGEST.fullmatch(text):
        raise OptionError("--ws-token-sha256 must be a 64-character hex SHA-256 digest")
    return bytes.fromhex(text)


def _secret(options: Mapping[str, str], folder: Path) -> bytes:
    if "--ws-shared-secret-file" not in options:
        raise OptionError("`--ws-shared-secret-file` is required when `--ws-auth signed-bearer-token` is set")
    path = folder / options["--ws-shared-secret-file"]
    secret = _content(path)
    if len(secret) < _SHORTEST_SECRET:
        raise OptionError(f"signed websocket bearer secret {path} must be at least {_SHORTEST_SECRET} bytes")
    return secret


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes().strip()
    except OSError as error:
        why = f"{error.strerror} (os error {error.errno})"
        raise OptionError(f"failed to read websocket auth secret {path}: {why}") from None
    if not content:
        raise OptionError(f"websocket auth secret {path} must not be empty")
    return content


def _seconds(options: Mapping[str, str]) -> float:
    text = options.get("--ws-max-clock-skew-seconds", str(_SKEW))
    if not text.isascii() or not text.isdigit():
        raise OptionError(f"--ws-max-clock-skew-seconds is {text!r}; give a whole number")
    return float(text)


def _token(authorization: str | None) -> str:
    """The token of an ``Authorization: Bearer`` header, whatever the scheme's case. Raises LockedError."""
    _demand(authorization is not None, "missing websocket bearer token")
    scheme, _, token = (authorization or "").partition(" ")
    good = scheme.lower() == "bearer" and token.strip() and token.isascii()
    _demand(good, "invalid authorization header")
    return token.strip()


def _demand(good: object, why_not: str) -> None:
    if not good:
        raise LockedError(why_not)


def _time(value: object) -> float:
    """A claim that is a time. Raises LockedError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise LockedError(_NO_JWT)
    return float(value)


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:  # binascii's is one too
        return b""


def _object(part: str) -> dict[str, Any]:
    try:
        value = strictjson.loads(_decoded(part))
    except StrictJSONError:
        return {}
    return value if isinstance(value, dict) else {}
