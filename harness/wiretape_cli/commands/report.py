"""``wiretape report``."""

from __future__ import annotations

from pathlib import Path

import click

from wiretape.reporting.files import Target
from wiretape_cli import options
from wiretape_cli.exits import Exit

EPILOG = """\b
Example, which lays two clients side by side on one page:
  wiretape check --report json:python.json -- python client.py
  wiretape check --report json:node.json -- node client.mjs
  wiretape report python.json node.json --report html:clients.html
"""


@click.command(short_help="Turn JSON reports into other ones; compare clients.", epilog=EPILOG)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@options.report
def report(*, files: tuple[Path, ...], targets: tuple[Target, ...]) -> Exit:
    """Make other reports out of JSON reports; several become one page with the matrix of all clients.

    Without --report the text goes to stdout. Exits 1 when a report tells of violations, 3 when of a session
    that was not played to its end.
    """
    from wiretape_cli.merging import run

    return run(files, targets)
