"""``wiretape record codex``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wiretape_cli.errors import SetupError

EPILOG = """\b
Over stdio the command itself stands in for codex: a client starts it as it would start codex,
for example by way of a script that is called codex:
  #!/bin/sh
  exec wiretape record codex --out my.yaml --append -- /usr/local/bin/codex "$@"

\b
Over a websocket it stands before an app-server that listens, until Ctrl-C or SIGTERM:
  wiretape record codex --out my.yaml --listen ws://127.0.0.1:8123 --upstream ws://127.0.0.1:8200
"""

redact_option = click.option(
    "--redact",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Your own redaction rules, beside those that always hold.",
)


@click.command(
    short_help="A codex app-server, over stdio or a websocket.",
    epilog=EPILOG,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The cassette to write."
)
@click.option(
    "--append", is_flag=True, help="Go on with the cassette, where there is one: a client starts codex again."
)
@click.option(
    "--listen", metavar="ws://127.0.0.1:PORT", help="Where clients connect; port 0 takes a free one."
)
@click.option("--upstream", metavar="ws://HOST:PORT", help="Where the app-server listens; or wss://HOST.")
@click.option(
    "--ca",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Certificates to trust for a wss upstream, PEM; else the system's.",
)
@redact_option
@click.argument(
    "command", nargs=-1, type=click.UNPROCESSED, metavar="[-- codex [ARG]... app-server [ARG]...]"
)
def codex(
    *, command: tuple[str, ...], listen: str | None, upstream: str | None, ca: Path | None, **kept: Any
) -> int:
    """Record what a client and a codex app-server say to each other.

    With a command: runs it, with the client on stdin and stdout, and exits with its exit code. A command
    other than app-server is run and not recorded. With --listen and --upstream: prints one JSON line on
    stdout (codex_ws_url, pid) when ready. What is said on either side goes to the other at once, unchanged.
    """
    if command and not (listen or upstream or ca):
        from wiretape_cli.codex_recording import record_stdio

        return record_stdio(command, **kept)
    if listen and upstream and not command:
        from wiretape_cli.codex_relaying import record_websocket

        return record_websocket(listen, upstream, ca=ca, **kept)
    raise SetupError("give either a command behind --, or --listen and --upstream")
