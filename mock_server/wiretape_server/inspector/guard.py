"""Who may look: a browser on this machine, under a name of this machine; and what the pages may do there.

A page of a stranger can point a name of its own at 127.0.0.1 (DNS rebinding); its requests carry that name as
their Host, so they are refused here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final

from aiohttp import web

_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^:%\[\]]+)(?::[0-9]{1,5})?", re.IGNORECASE)

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Of every answer. No script or style but the files that are served here, no other origin at all."""


def refusal(request: web.BaseRequest) -> web.Response | None:
    """Refuse a request that does not come from here, or that wants more than to read."""
    if not (is_here(request.remote or "") and names_this_machine(request.headers.get("Host", ""))):
        return answer(
            403, "The inspector answers to a browser on this machine only: http://127.0.0.1:PORT/inspector/"
        )
    if request.method not in ("GET", "HEAD"):
        return answer(405, "The inspector only shows things: GET or HEAD.", {"Allow": "GET, HEAD"})
    return None


def is_here(address: str) -> bool:
    """Whether a peer's address is one of this machine's loopback."""
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def names_this_machine(host: str) -> bool:
    """Whether a Host header names this machine's loopback, with any port."""
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found["name"].strip("[]").lower()
    return name == "localhost" or is_here(name)


def answer(status: int, text: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """Answer with a sentence."""
    return web.Response(
        status=status, text=f"{text}\n", headers={**HEADERS, **(headers or {})}, content_type="text/plain"
    )
