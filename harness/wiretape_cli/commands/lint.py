"""``wiretape lint``."""

from __future__ import annotations

from pathlib import Path

import click

from wiretape_cli.exits import Exit

EPILOG = """\b
Example:
  wiretape lint cassettes/
"""


@click.command(short_help="Check cassette files.", epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
def lint(*, paths: tuple[Path, ...]) -> Exit:
    """Check cassettes (files, or folders of *.yaml): they load, fit the schema, decode, and conform.

    Exits 0 when all of them do, 4 when one does not.
    """
    from wiretape_cli.linting import run

    return run(paths)
