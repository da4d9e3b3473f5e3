"""initialize: who the client is, and what it wants to hear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from wiretape_server.codex import serde
from wiretape_server.codex.errors import RefusedError
from wiretape_server.codex.home import Home
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.shapes import shaped

_INFO: Final[serde.Types] = {
    "name": serde.STRING,
    "version": serde.STRING,
    "title": serde.STRING + serde.OR_NULL,
}
_CAPABILITIES: Final[serde.Types] = {
    "experimentalApi": serde.BOOLEAN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """What a client said of itself."""

    name: str
    version: str
    experimental: bool = False
    opted_out: frozenset[str] = frozenset()
    """Notifications that it does not want, by their exact names."""


def read_client(params: Mapping[str, Any], profile: Profile) -> Client:
    """Read the params of initialize. Raises UnreadableError and RefusedError."""
    info, capabilities = params["clientInfo"], params.get("capabilities") or {}
    serde.check_members(info, _INFO, ("name", "version"), "struct ClientInfo")
    serde.check_members(capabilities, _CAPABILITIES, (), "struct InitializeCapabilities")
    opted_out = _opted_out(capabilities) if profile.opt_out else frozenset()
    if not _is_header_value(info["name"]):
        raise RefusedError(f"Invalid clientInfo.name: '{info['name']}'. Must be a valid HTTP header value.")
    return Client(
        name=info["name"],
        version=info["version"],
        experimental=capabilities.get("experimentalApi", False),
        opted_out=opted_out,
    )


def _opted_out(capabilities: Mapping[str, Any]) -> frozenset[str]:
    methods = capabilities.get("optOutNotificationMethods")
    if methods is None:
        return frozenset()
    serde.check_type(methods, serde.SEQUENCE)
    for method in methods:
        serde.check_type(method, serde.STRING)
    return frozenset(methods)


def _is_header_value(text: str) -> bool:
    return all(char == "\t" or (char >= " " and char != "\x7f") for char in text)


def greeting(profile: Profile, home: Home, client: Client) -> dict[str, Any]:
    """The result of initialize. Clients read the server's version out of ``userAgent``."""
    about = f"{client.name}; {client.version}".rstrip()
    agent = f"{client.name}/{profile.version} (Debian 12.0.0; x86_64) xterm ({about})"
    full = {"userAgent": agent, "codexHome": home.path, "platformFamily": "unix", "platformOs": "linux"}
    return shaped(profile, "initialize", full)
