"""The one line that runs it again: what a report gives to whoever wants to see it fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from wiretape.reporting import shell
from wiretape_cli.options import DEFAULT_PROTOCOL, DEFAULT_TIMEOUT
from wiretape_server.options import PlayOptions

if TYPE_CHECKING:
    from wiretape.cassette import Cassette

_NO_OPTIONS = ("app_server",)
"""What ``check`` has no option for."""


def check(cassette: Cassette, options: PlayOptions, timeout: float, command: Sequence[str]) -> str:
    """The ``check`` of one cassette, with the options that are not the defaults."""
    said = ["--cassette", cassette.name]
    said += ["--protocol", cassette.protocol] if cassette.protocol != DEFAULT_PROTOCOL else []
    said += _options(options)
    said += ["--timeout", f"{timeout:g}"] if timeout != DEFAULT_TIMEOUT else []
    return shell.line(["wiretape", "check", *said, "--", *command])


def verify(path: Path, profiles: Sequence[str]) -> str:
    """The ``verify`` of one file."""
    demanded = [word for each in profiles for word in ("--profile", each)]
    return shell.line(["wiretape", "verify", *demanded, str(path)])


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
