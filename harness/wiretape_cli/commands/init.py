"""``wiretape init``."""

from __future__ import annotations

from pathlib import Path

import click

from wiretape_cli.exits import Exit
from wiretape_cli.options import protocol_for

EPILOG = """\b
Examples:
  wiretape init
  wiretape init --protocol codex -- node my_client.mjs
"""


@click.command(
    short_help="Put a working test and a CI workflow into a repository.",
    epilog=EPILOG,
    context_settings={"allow_interspersed_args": False},
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=".",
    show_default=True,
    help="The repository.",
)
@protocol_for("What the client talks to.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- CMD [ARG]...]")
def init(*, folder: Path, protocol: str, command: tuple[str, ...]) -> Exit:
    """Write tests/test_wiretape.py, a GitHub Actions workflow and pytest's setting of a cassette folder.

    The test runs CMD, your client's command, from the repository's root; without one a small example client
    is written too and the test passes at once. Nothing that exists is overwritten or changed, but for a
    pyproject.toml without any setting of pytest, which gets a section at its end.
    """
    from wiretape_cli.starting import start

    return start(folder, protocol, command)
