"""``wiretape diff``."""

from __future__ import annotations

import click

from wiretape_cli.exits import Exit

EPILOG = """\b
Examples:
  wiretape diff may.yaml june.yaml
  wiretape diff --shape --json may.yaml june.yaml
"""


@click.command(short_help="Compare two recordings of the same scenario.", epilog=EPILOG)
@click.argument("old")
@click.argument("new")
@click.option(
    "--shape", is_flag=True, help="Compare which members there are and their types, not their values."
)
@click.option("--json", "as_json", is_flag=True, help="The differences as one JSON object.")
def diff(*, old: str, new: str, shape: bool, as_json: bool) -> Exit:
    """Say what changed on the wire from OLD to NEW (cassettes, their names, transcripts, app-server logs).

    New, gone and changed types of messages, members and headers, and another order. An id is the same when
    it stands for the same thing all through both; times, delays and cuts are not compared. Exits 0 without
    drift, 5 with.
    """
    from wiretape_cli.diffing import run

    return run(old, new, shape=shape, as_json=as_json)
