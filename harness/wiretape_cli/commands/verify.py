"""``wiretape verify``."""

from __future__ import annotations

from pathlib import Path

import click

from wiretape.reporting.files import Target
from wiretape_cli import options
from wiretape_cli.exits import Exit

EPILOG = """\b
Example:
  wiretape serve alefita_way --transcript-dir transcripts
  wiretape verify transcripts/alefita_way.jsonl
"""


@click.command(short_help="Judge saved transcripts or cassettes.", epilog=EPILOG)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option("--json", "as_json", is_flag=True, help="The JSON report on stdout instead of text on stderr.")
@options.report
@options.profile
def verify(
    *, files: tuple[Path, ...], as_json: bool, targets: tuple[Target, ...], profiles: tuple[str, ...]
) -> Exit:
    """Judge saved transcripts (JSONL) or cassettes, offline.

    Exits 0 without violations, 1 with, 2 when a file can't be read.
    """
    from wiretape_cli.verifying import run

    if as_json and any(target.file is None for target in targets):
        raise click.UsageError("--json and --report github both go to stdout; give one of them a file")

    return run(files, as_json=as_json, targets=targets, profiles=profiles)
