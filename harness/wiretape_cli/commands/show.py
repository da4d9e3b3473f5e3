"""``wiretape show``."""

from __future__ import annotations

import click

from wiretape_cli.exits import Exit

EPILOG = """\b
Examples:
  wiretape show alefita_way
  wiretape show --final transcripts/alefita_way.jsonl
"""


@click.command(short_help="Show a recorded session as a timeline.", epilog=EPILOG)
@click.argument("file")
@click.option(
    "--raw", "view", flag_value="raw", help="The very bytes: every chunk or frame, with its length."
)
@click.option("--final", "view", flag_value="final", help="Only every message or item in its last state.")
def show(*, file: str, view: str | None) -> Exit:
    """Show a cassette (FILE or a bundled one's name), a transcript or an app-server log as a timeline.

    One line for each request, event and message: seconds, request and event number, direction, what it is,
    what it does, what it says. In a text that grows, what is new stands behind the end of what was there.
    Times of a cassette begin anew with each request. Characters that could harm a terminal are escaped.
    """
    from wiretape_cli.showing import run

    return run(file, view or "decoded")
