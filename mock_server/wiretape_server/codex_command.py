"""The command line of ``codex``, as far as clients use it: ``--version``, ``app-server`` and its options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

from wiretape_server import ws_auth
from wiretape_server.options import OptionError
from wiretape_server.ws_auth import Lock

_STDIO: Final = "stdio://"
_WEBSOCKET: Final = re.compile(r"ws://(127(?:\.[0-9]{1,3}){3}|\[::1\]):([0-9]{1,5})/?")
"""Other machines have no business here."""
_WITH_VALUE: Final = ("--listen", *ws_auth.OPTIONS)
_USAGE_ERROR: Final = 2
_FAILURE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A command that prints a line and ends; an error goes to stderr."""

    text: str
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunServer:
    """``app-server``: over stdio, or on a websocket behind a lock."""

    address: tuple[str, int] | None
    """Where to listen; None for stdio."""
    lock: Lock


def read_command(
    arguments: Sequence[str], *, version: str, folder: Path, locks: bool = True
) -> RunServer | Printed:
    """What a client wants of ``codex``. Options that mean nothing here are ignored, wherever they stand.

    ``version`` is the app-server's, ``folder`` is where files that options name are looked up; one without
    ``locks`` is too old to know ``--ws-auth``.
    """
    if "app-server" not in arguments:
        return _without_server(arguments, version)
    options = read_options(arguments)
    unknown = [] if locks else [name for name in options if name in ws_auth.OPTIONS]
    if unknown:
        return Printed(text=f"error: unexpected argument '{unknown[0]}' found", exit_code=_USAGE_ERROR)
    try:
        lock = ws_auth.read_lock(options, folder)
        return RunServer(address=_address(options.get("--listen", _STDIO)), lock=lock)
    except OptionError as error:
        return Printed(text=f"Error: {error}", exit_code=_FAILURE)


def read_options(arguments: Sequence[str]) -> dict[str, str]:
    """The options that mean something, as ``--name value`` or ``--name=value``; the last one counts."""
    found = {}
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        name, equals, value = argument.partition("=")
        if name in _WITH_VALUE:
            found[name] = value if equals else following
    return found


def _without_server(arguments: Sequence[str], version: str) -> Printed:
    if {"--version", "-V"} & set(arguments):
        return Printed(text=f"codex-cli {version}")
    return Printed(
        text=f"error: wiretape plays 'codex app-server' and 'codex --version'; got {list(arguments)}",
        exit_code=_USAGE_ERROR,
    )


def _address(listen: str) -> tuple[str, int] | None:
    """Host and port to listen on; None for stdio. Raises OptionError."""
    if listen == _STDIO:
        return None
    found = _WEBSOCKET.fullmatch(listen)
    if found is None:
        raise OptionError(f"--listen is {listen!r}; give stdio:// or ws://127.0.0.1:PORT")
    return found[1].strip("[]"), int(found[2])
