"""Who may connect to an app-server's websocket: the ``--ws-auth`` options of the real one.

``capability-token``: a fixed token, given as a file or as its SHA-256. ``signed-bearer-token``: a JSON Web
Token that is signed with a shared secret (HS256) and expires.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
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


class Lock(Protocol):
    """Decides who may connect."""

    def opens(self, token: str | None, now: float) -> bool:
        """Whether a bearer token opens it at that time, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Open:
    """No lock: any token will do, and none."""

    def opens(self, _token: str | None, _now: float) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Capability:
    """One token opens it, known by its SHA-256."""

    digest: bytes

    def opens(self, token: str | None, _now: float) -> bool:
        given = hashlib.sha256((token or "").encode()).digest()
        return token is not None and hmac.compare_digest(given, self.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedBearer:
    """A token that was signed with the secret opens it until it expires."""

    secret: bytes
    issuer: str | None = None
    audience: str | None = None
    skew: float = _SKEW

    def opens(self, token: str | None, now: float) -> bool:
        claims = self._claims(token or "")
        return claims is not None and self._is_timely(claims, now) and self._is_for_us(claims)

    def _claims(self, token: str) -> Mapping[str, Any] | None:
        """What a token that we signed says; None for any other."""
        signed, _, signature = token.rpartition(".")
        head, _, body = signed.partition(".")
        own = hmac.new(self.secret, signed.encode(), hashlib.sha256).digest()
        if _object(head).get("alg") != "HS256" or not hmac.compare_digest(own, _decoded(signature)):
            return None
        return _object(body)

    def _is_timely(self, claims: Mapping[str, Any], now: float) -> bool:
        expires, begins = claims.get("exp"), claims.get("nbf", now)
        if not isinstance(expires, (int, float)) or not isinstance(begins, (int, float)):
            return False
        return begins - self.skew <= now <= expires + self.skew

    def _is_for_us(self, claims: Mapping[str, Any]) -> bool:
        audience = claims.get("aud")
        meant = audience if isinstance(audience, list) else [audience]
        return self.issuer in (None, claims.get("iss")) and (self.audience is None or self.audience in meant)


def read_lock(options: Mapping[str, str], folder: Path) -> Lock:
    """The lock that the options describe; files are looked up in ``folder``. Raises OptionError."""
    match options.get("--ws-auth"):
        case None:
            return Open()
        case "capability-token":
            return Capability(_digest(options, folder))
        case "signed-bearer-token":
            return SignedBearer(
                secret=_file(options, "--ws-shared-secret-file", folder),
                issuer=options.get("--ws-issuer"),
                audience=options.get("--ws-audience"),
                skew=_seconds(options),
            )
        case other:
            raise OptionError(f"--ws-auth is {other!r}; give capability-token or signed-bearer-token")


def _digest(options: Mapping[str, str], folder: Path) -> bytes:
    if "--ws-token-sha256" not in options:
        return hashlib.sha256(_file(options, "--ws-token-file", folder)).digest()
    text = options["--ws-token-sha256"]
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    if len(digest) != hashlib.sha256().digest_size:
        raise OptionError(f"--ws-token-sha256 is {text!r}; give the 64 hexadecimal digits of a SHA-256")
    return digest


def _file(options: Mapping[str, str], option: str, folder: Path) -> bytes:
    if option not in options:
        raise OptionError(f"--ws-auth {options['--ws-auth']} needs {option}")
    try:
        content = (folder / options[option]).read_bytes().strip()
    except OSError as error:
        raise OptionError(f"{option} {options[option]}: {error.strerror}") from None
    if not content:
        raise OptionError(f"{option} {options[option]}: the file is empty")
    return content


def _seconds(options: Mapping[str, str]) -> float:
    text = options.get("--ws-max-clock-skew-seconds", str(_SKEW))
    if not text.isascii() or not text.isdigit():
        raise OptionError(f"--ws-max-clock-skew-seconds is {text!r}; give a whole number")
    return float(text)


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""


def _object(part: str) -> Mapping[str, Any]:
    try:
        value = strictjson.loads(_decoded(part))
    except StrictJSONError:
        return {}
    return value if isinstance(value, dict) else {}
