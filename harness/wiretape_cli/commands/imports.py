"""``wiretape import``."""

from __future__ import annotations

from pathlib import Path

import click

from wiretape_cli.exits import Exit
from wiretape_cli.options import together

EPILOG = """\b
Examples:
  wiretape import har session.har --out session.yaml
  wiretape show session.yaml
"""
FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


common = together(
    click.argument("file", type=FILE),
    click.option(
        "--out",
        required=True,
        type=click.Path(path_type=Path, dir_okay=False),
        help="The cassette to write. It must not exist.",
    ),
    click.option("--redact", type=FILE, help="Your own redaction rules, beside those that always hold."),
)
"""What every import takes."""


def example(line: str) -> str:
    return f"\b\nExample:\n  {line}"


@click.group("import", short_help="Make a cassette of what another tool recorded.", epilog=EPILOG)
def import_() -> None:
    """Make a cassette of what another tool recorded. Secrets are replaced by pseudonyms.

    What the source does not hold (chunk cuts, times, a request) is named in the cassette's gaps. Exits 0
    when the cassette was saved, 2 when the file can't be imported, 4 when a secret would have been saved.
    """


@import_.command(epilog=example("wiretape import har session.har --out session.yaml"))
@common
def har(*, file: Path, out: Path, redact: Path | None) -> Exit:
    """A HAR file, as browsers and proxies export it.

    Takes its conversation requests with all that belongs to them, a turn on a websocket too; or else the
    JSON-RPC messages of an app-server's websocket.
    """
    from wiretape_cli.importing import har

    return har(file, out, redact=redact)


@import_.command(epilog=example("curl -sN … > answer.sse; wiretape import sse answer.sse --out answer.yaml"))
@common
@click.option("--request", type=FILE, help="The request's body; else one is made up from the stream.")
def sse(*, file: Path, out: Path, request: Path | None, redact: Path | None) -> Exit:
    """The bytes of one answer's event stream."""
    from wiretape_cli.importing import sse

    return sse(file, out, request=request, redact=redact)


@import_.command(
    epilog=example("mitmdump -w session.flow …; wiretape import mitmproxy session.flow --out s.yaml")
)
@common
def mitmproxy(*, file: Path, out: Path, redact: Path | None) -> Exit:
    """A file of mitmproxy's flows. Needs mitmproxy: pip install 'wiretape[mitmproxy]'."""
    from wiretape_cli.importing import mitmproxy

    return mitmproxy(file, out, redact=redact)


@import_.command(
    "codex-jsonl",
    short_help="A log of an app-server's messages, as JSON lines.",
    epilog=example("wiretape import codex-jsonl app-server.jsonl --out session.yaml"),
)
@common
@click.option(
    "--direction-key", "direction", default="dir", show_default=True, help="The member that says who sent it."
)
@click.option(
    "--message-key", "message", default="msg", show_default=True, help="The member that is the message."
)
@click.option(
    "--time-key", "time", default="t", show_default=True, help="The member with seconds; may be missing."
)
@click.option(
    "--connection-key",
    "connection",
    default="conn",
    show_default=True,
    help="The member that names the connection; may be missing.",
)
@click.option(
    "--client", default="client->server", show_default=True, help="Its value where the client sent it."
)
@click.option(
    "--server", default="server->client", show_default=True, help="Its value where the server sent it."
)
def codex_jsonl(*, file: Path, out: Path, redact: Path | None, **keys: str) -> Exit:
    """A log of an app-server's messages: JSON lines with a member that says who sent each."""
    from wiretape.imports import LogKeys
    from wiretape_cli.importing import codex_jsonl

    return codex_jsonl(file, out, keys=LogKeys(**keys), redact=redact)
