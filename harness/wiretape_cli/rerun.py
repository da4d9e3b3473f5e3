"""The one line that runs it again: what a report gives to whoever wants to see it fail."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from wiretape_server.options import PlayOptions

_NO_OPTIONS = ("app_server",)
"""What ``check`` has no option for."""


def check(cassette: str, options: PlayOptions, timeout: float, command: Sequence[str]) -> str:
    """The ``check`` of one cassette, with the options that are not the defaults."""
    said = [*_options(options), *(["--timeout", f"{timeout:g}"] if timeout != DEFAULT_TIMEOUT else [])]
    return shlex.join(["wiretape", "check", "--cassette", cassette, *said, "--", *command])


def verify(path: Path, profiles: Sequence[str]) -> str:
    """The ``verify`` of one file."""
    demanded = [word for each in profiles for word in ("--profile", each)]
    return shlex.join(["wiretape", "verify", *demanded, str(path)])


DEFAULT_TIMEOUT = 30
"""Seconds; what ``check`` gives a client."""


def _options(options: PlayOptions) -> Iterator[str]:
    for each in fields(options):
        value = getattr(options, each.name)
        if value == each.default or each.name in _NO_OPTIONS:
            continue
        if value is True:
            yield f"--{each.name}"
        elif isinstance(value, tuple):
            for one in value:
                yield from (f"--{each.name.removesuffix('s')}", str(one))
        else:
            yield from (f"--{each.name}", str(value))
