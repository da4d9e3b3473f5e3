"""``wiretape record``."""

from __future__ import annotations

from pathlib import Path

import click

from wiretape_cli.commands.record_codex import codex, redact_option
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit

EPILOG = """\b
Examples:
  wiretape record flow-a --upstream https://backend.example --out my.yaml --port 8123
  wiretape record codex --out my.yaml -- codex app-server
  wiretape record --recover my.yaml.partial --out my.yaml
"""
FLOW_A_EPILOG = """\b
Example:
  wiretape record flow-a --upstream http://127.0.0.1:8200/play/alefita_way --out my.yaml --port 8123
  WIRETAPE_BASE_URL=http://127.0.0.1:8123 python my_client.py     (then Ctrl-C in the first terminal)
  wiretape check --cassette my.yaml -- python my_client.py
"""

FILE = click.Path(path_type=Path, dir_okay=False)


@click.group(
    short_help="Record a new cassette.", epilog=EPILOG, invoke_without_command=True, no_args_is_help=True
)
@click.option(
    "--recover",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE.partial",
    help="Save what a recording that was killed has left there.",
)
@click.option("--out", type=FILE, help="With --recover: the cassette to write.")
@click.pass_context
def record(context: click.Context, *, recover: Path | None, out: Path | None) -> Exit | None:
    """Record a new cassette from live traffic, or recover one from a recording that was killed.

    Secrets are replaced by pseudonyms before anything is written. While it is made, a recording is in
    FILE.partial; --recover makes a cassette of what a killed one left there.
    """
    if recover is None:
        if out is not None:
            raise click.UsageError("--out: give it behind flow-a or codex, or beside --recover FILE.partial")
        return None
    if context.invoked_subcommand is not None or out is None:
        raise SetupError("--recover FILE.partial needs --out FILE, and nothing else")
    from wiretape_cli.saving import save

    return save(recover, out)


@record.command("flow-a", short_help="A conversation backend, by a reverse proxy.", epilog=FLOW_A_EPILOG)
@click.option("--upstream", required=True, metavar="URL", help="The real backend.")
@click.option("--out", required=True, type=FILE, help="The cassette to write. It must not exist.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0 takes a free one."
)
@click.option("--ca", type=FILE, help="Certificates to trust for the upstream, PEM; else the system's.")
@redact_option
def flow_a(*, upstream: str, out: Path, port: int, ca: Path | None, redact: Path | None) -> Exit:
    """Pass a client's requests on to the real backend and record the exchanges, until Ctrl-C or SIGTERM.

    When ready, one JSON line on stdout says where: base_url, pid. Every byte of an answer goes to the client
    at once and unchanged. Environment variables for proxies are not looked at, redirects are passed on.
    """
    from wiretape_cli.recording import record_flow_a

    return record_flow_a(upstream, out, port=port, ca=ca, redact=redact)


record.add_command(codex)
