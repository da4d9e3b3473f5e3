"""``wiretape decode``."""

from __future__ import annotations

from typing import BinaryIO

import click

from wiretape_cli.exits import Exit
from wiretape_cli.screen import put

EPILOG = """\b
Example:
  curl -sN … | wiretape decode -
"""


@click.command(short_help="Decode an event stream to JSON.", epilog=EPILOG)
@click.argument("file", type=click.File("rb"))
def decode(file: BinaryIO) -> Exit:
    """Decode an event stream (FILE, or - for stdin) to ASCII JSON on stdout.

    Shows the value of every delta channel, every message in its final state, the typed events, and every
    error with the number of its event. Exits 0 without errors, 1 with.
    """
    from wiretape import strictjson
    from wiretape.flow_a.stream import decode as decoded

    result = decoded(file.read())
    put(strictjson.dumps(result))
    return Exit.VIOLATIONS if result["errors"] else Exit.FINE
