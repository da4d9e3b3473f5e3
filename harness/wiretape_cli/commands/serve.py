"""``wiretape serve``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wiretape_cli import faulting, options
from wiretape_cli.exits import Exit

EPILOG = """\b
Example:
  wiretape serve alefita_way --port 8123
  curl -N http://127.0.0.1:8123/play/alefita_way/backend-api/f/conversation \\
       -H 'content-type: application/json' -d '{"action": "next", "messages": []}'
"""


@click.command(short_help="Start the mock server.", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[CASSETTE]...")
@click.option("--host", default="127.0.0.1", show_default=True, help="Another one is reachable from outside.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0 takes a free one."
)
@click.option(
    "--transcript-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="At the end write what went over the wire here, one JSONL file a cassette.",
)
@options.protocol
@options.playing
@faulting.faulty
@options.websocket
def serve(
    *,
    names: tuple[str, ...],
    host: str,
    port: int,
    transcript_dir: Path | None,
    protocol: str,
    profiles: tuple[str, ...],
    **playing: Any,
) -> Exit:
    """Start the mock server and play cassettes to whoever asks (default: every bundled one).

    When ready, one JSON line on stdout says where: base_url, codex_ws_url, inspector_url, pid. A cassette
    plays below <base_url>/play/<cassette>; <base_url> alone plays the first one. Ctrl-C or SIGTERM ends it.

    The name auto plays whatever tools a client declares: each is called once.

    Codex cassettes play on a websocket at <base_url>/play/<cassette>/codex, and their model's provider at
    /play/<cassette>/v1. The line has codex_bin and codex_bridge too, a program to start in place of codex and
    the value of WIRETAPE_CODEX_BRIDGE for 'wiretape codex'; codex_… are those of the first codex cassette.
    """
    from wiretape_cli.serving import run

    faults, only_list = faulting.said(playing)
    cassettes = options.cassettes(names, protocol)
    server = options.app_server(playing)
    play_options = options.play_options(profiles, cassettes, app_server=server, faults=faults, **playing)
    fit = cassettes if names else options.fitting(cassettes, play_options)
    fit = faulting.struck(fit, faults, named=bool(names))
    if only_list:
        return faulting.listed(fit, faults)
    return run(
        fit,
        play_options,
        host=host,
        port=port,
        transcript_dir=transcript_dir,
    )
