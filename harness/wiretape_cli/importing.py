"""``import``: make a cassette of what another tool recorded, without its secrets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wiretape import __version__
from wiretape.cassette import Cassette, CassetteError, dumps, save
from wiretape.imports import (
    LogKeys,
    SourceError,
    cassette_of,
    complete,
    read_codex_log,
    read_event_stream,
    read_har,
)
from wiretape.redaction import SaveRefused, refuse_secrets
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.saving import redactor_of, refuse_existing, say_saved
from wiretape_cli.screen import say

TOOL = f"wiretape {__version__}"


def har(file: Path, out: Path, *, redact: Path | None) -> Exit:
    """Import a HAR file. Raises SetupError."""
    return bring_in(lambda: read_har(file.read_bytes(), name=file.name), out, redact)


def sse(file: Path, out: Path, *, request: Path | None, redact: Path | None) -> Exit:
    """Import the bytes of one event stream. Raises SetupError."""
    body = request.read_bytes() if request else None
    return bring_in(
        lambda: read_event_stream(file.read_bytes(), name=file.name, tool=TOOL, request=body), out, redact
    )


def mitmproxy(file: Path, out: Path, *, redact: Path | None) -> Exit:
    """Import a file of mitmproxy's flows. Raises SetupError, also when mitmproxy is not installed."""
    from wiretape_cli.mitmproxy_flows import read_flows

    return bring_in(lambda: cassette_of(*read_flows(file)), out, redact)


def codex_jsonl(file: Path, out: Path, *, keys: LogKeys, redact: Path | None) -> Exit:
    """Import an app-server's log. Raises SetupError."""
    return bring_in(
        lambda: read_codex_log(file.read_bytes(), name=file.name, keys=keys, tool=TOOL), out, redact
    )


def bring_in(read: Callable[[], Cassette], out: Path, redact: Path | None) -> Exit:
    """Read a source, hide its secrets, save it, and say what it lacks. Raises SetupError."""
    refuse_existing(out)
    redactor = redactor_of(redact)
    try:
        cassette = complete(redactor.cassette(read()))
        refuse_secrets(dumps(cassette), redactor)
        out.parent.mkdir(parents=True, exist_ok=True)
        save(cassette, out)
    except SaveRefused as refused:
        say(f"Error: {out} was not saved: {refused}")
        return Exit.LINT
    except (SourceError, CassetteError) as error:
        raise SetupError(str(error)) from None
    say_saved(cassette, out, gaps="not captured")
    return Exit.FINE
