"""The pages and the pieces of pages, rendered. Whatever came over the wire is text in them, never markup."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from wiretape.contract import Rule
from wiretape.difference import lines
from wiretape.report import counted, printable, printable_lines, shown
from wiretape.strictjson import ABSENT
from wiretape.verdict import VERIFIERS
from wiretape_server.inspector.hexdump import hex_lines

PACKAGE: Final = "wiretape_server.inspector"
_USUAL: Final = re.compile(r"/backend-(?:api|anon)/|(?<= )/message/(?:content/)?")
"""Beginnings of paths that say nothing new, where room is short."""
TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""Of the static files, by their names' endings."""


def render(template: str, **values: Any) -> str:
    """Render a template of this package."""
    return _environment().get_template(template).render(values)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "wire": printable,
        "wire_lines": printable_lines,
        "shown": shown,
        "short": lambda text: _USUAL.sub("…/", text),
        "seconds": lambda at: f"{at:.3f}",
        "play": play_url,
    }
    environment.globals |= {
        "ABSENT": ABSENT,
        "counted": counted,
        "difference": lines,
        "hex_lines": hex_lines,
        "rule": rule,
    }
    return environment


def play_url(key: str) -> str:
    """Where the pages of a play are."""
    return f"/inspector/play/{quote(key, safe='/')}"


def rule(rule_id: str) -> Rule:
    """A rule of whatever protocol. Raises KeyError."""
    return VERIFIERS[rule_id.partition(".")[0]].rule(rule_id)


@lru_cache(maxsize=16)
def static(name: str) -> bytes | None:
    """A static file; None when there is none of this name."""
    known = {each.name: each for each in files(PACKAGE).joinpath("static").iterdir()}
    return known[name].read_bytes() if name in known else None
