"""What counts as a secret: by the name of a member, header, cookie or parameter, and by shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

Hook: TypeAlias = Callable[[str], Iterable[str]]
"""Gets a text (a header's value, a target, a body), gives the secret values that it knows in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A secret that is known by its looks: group 1 of ``pattern``, the whole match where there is none.

    ``marks``: one of these stands in every text with such a secret, which is cheap to ask first.
    """

    name: str
    pattern: re.Pattern[str]
    marks: tuple[str, ...] = ()

    def may_be_in(self, text: str) -> bool:
        return not self.marks or any(mark in text for mark in self.marks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A secret that stands somewhere: what kind of secret, and where. The value is not told."""

    name: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionRules:
    """What is hidden and what stays. Names are compared without case, ``-`` and ``_``."""

    names: frozenset[str]
    """Members, headers, cookies and parameters whose value is a secret, as ``plain_name`` writes them."""
    endings: tuple[str, ...]
    """A name that ends so is such a name too."""
    kept_headers: frozenset[str]
    """Headers, in small letters, that are kept but for secrets inside; all others get a pseudonym."""
    shapes: tuple[Shape, ...]
    placeholders: re.Pattern[str]
    """Values that are no secrets wherever they stand."""
    values: tuple[str, ...] = ()
    """Values that are secrets wherever they stand."""
    hook: Hook | None = None

    def is_secret_name(self, name: str) -> bool:
        plain = plain_name(name)
        return plain in self.names or plain.endswith(self.endings)

    def is_placeholder(self, value: str) -> bool:
        return self.placeholders.fullmatch(value) is not None


def plain_name(name: str) -> str:
    """A name in the form in which names are compared."""
    return name.lower().replace("-", "").replace("_", "")


_NAMES: Final = """
    authorization proxyauthorization cookie cookies setcookie apikey xapikey openaiapikey privatekey accesskey
    secretkey clientsecret secret password passwd passphrase credential credentials otp
    accesstoken refreshtoken idtoken sessiontoken conduittoken xconduittoken csrftoken token tokens jwt bearer
    appattestchallenge attestationchallenge attestation codeverifier signature sig
    turnstile dx seed prooftoken proofofwork deviceattestation
    accountid chatgptaccountid previousaccountid accountuserid chatgptaccountuserid account
    userid chatgptuserid organizationid orgid workspaceid deviceid oaideviceid oaidid did installationid
    machineid email emailaddress useremail phone phonenumber ipaddress verify
"""
_ENDINGS: Final = (
    "accesstoken authtoken token secret password apikey attestchallenge accountid deviceid email"
)
_KEPT_HEADERS: Final = """
    accept accept-encoding accept-language access-control-allow-origin alt-svc cache-control cf-mitigated
    connection content-encoding content-length content-type date expires host last-modified location
    oai-client-build-number oai-client-version oai-language origin originator pragma referer retry-after
    sec-fetch-dest sec-fetch-mode sec-fetch-site sec-websocket-protocol sec-websocket-version server te
    transfer-encoding upgrade user-agent vary x-openai-target-path x-openai-target-route
"""
_PLACEHOLDERS: Final = re.compile(
    r"|no-token|<[^<>]*>(?:\.<[^<>]*>)*|…|true|false|null|none|user|org-abc|Shared|Public|Default|git@.*"
    r"|.*@(?:.*\.)?(?:example\.(?:com|org|net)|example|test|invalid|localhost)",
    re.IGNORECASE,
)
_GITHUB: Final = ("github_pat", *(f"gh{kind}{joint}" for kind in "opsur" for joint in "_-"))
_USERINFO: Final = r"[^\s/?#\"'<>\\]"
"""A character of a URL before its path; an ``@`` may be the user's or the password's, its escape undone."""
_USER: Final = r"[^\s/?#\"'<>\\:]"
_SHAPES: Final = (
    Shape(
        name="JSON Web Token",
        # Each way of going on succeeds or is short, so that a text of nothing but beginnings takes no time.
        pattern=re.compile(r"eyJ(?:[\w-]{16,}+(?:\.[\w-]*+)*+|[\w-]{6,15}+(?:\.[\w-]*+)++)", re.ASCII),
        marks=("eyJ",),
    ),
    Shape(
        name="bearer",
        pattern=re.compile(
            r"(?i:bearer)(?:\s|%20|\+)+((?=[\w~+/=.-]*\d)[\w~+/=.-]{6,}|[\w~+/=.-]{20,})", re.ASCII
        ),
        marks=("earer", "EARER"),
    ),
    Shape(
        name="API key",
        pattern=re.compile(
            r"(?<![A-Za-z0-9])(?:(?:sk|sess|rk)-[\w-]{8,}|(?:gh[opsur]|github_pat|glpat|xox[abprs]|npm)[_-][\w-]{10,}"
            r"|AKIA[A-Z0-9]{12,}|AIza[\w-]{20,})",
            re.ASCII,
        ),
        marks=("sk-", "sess-", "rk-", *_GITHUB, "glpat", "xox", "npm_", "AKIA", "AIza"),
    ),
    Shape(
        name="sentinel token", pattern=re.compile(r"gAAAAA[\w-]{8,}=*(?:~\w)?", re.ASCII), marks=("gAAAAA",)
    ),
    Shape(
        name="private key",
        pattern=re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----\s*([A-Za-z0-9+/=\s]+?)\s*(?:-----END|\Z)"),
        marks=("PRIVATE KEY",),
    ),
    Shape(
        name="password in a URL",
        pattern=re.compile(rf"(?<=://){_USER}{{0,200}}+:({_USERINFO}{{1,200}})@"),
        marks=("@",),
    ),
    Shape(
        name="user in a URL",
        pattern=re.compile(rf"(?<=://)(?!git@)({_USER}{{1,200}})(?=@|:{_USERINFO}{{1,200}}@)"),
        marks=("@",),
    ),
    Shape(
        name="e-mail address",
        pattern=re.compile(
            r"(?<![\w.%+\\-])(?<![:/]~)(?!-*hidden-\d+-*@)"  # not where the password of a URL was
            r"[\w.%+-]{1,64}+@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])"
        ),
        marks=("@",),
    ),
    Shape(
        name="home path",
        pattern=re.compile(
            r"(?:/(?:home|Users)(?:\\*/)+([\w.@+-]+)"
            r"|[A-Za-z]:[\\/]+Users[\\/]+([^\\/:*?\"<>|\r\n]{1,40}(?=[\\/])|[\w.@+-]+))"
        ),
        marks=("/home", "Users"),
    ),
)
DEFAULT: Final = RedactionRules(
    names=frozenset(_NAMES.split()),
    endings=tuple(_ENDINGS.split()),
    kept_headers=frozenset(_KEPT_HEADERS.split()),
    shapes=_SHAPES,
    placeholders=_PLACEHOLDERS,
)
"""The rules without a word of the user's."""
