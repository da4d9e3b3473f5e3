"""``wiretape codex``."""

from __future__ import annotations

import os

import click

from wiretape_cli.errors import SetupError

BRIDGE = "WIRETAPE_CODEX_BRIDGE"
CASSETTE = "WIRETAPE_CODEX_CASSETTE"

EPILOG = f"""\b
Environment:
  {BRIDGE}    where a wiretape server plays: HOST:PORT/PLAY;
                           'wiretape check' sets it, 'wiretape serve'
                           prints it as codex_bridge
  {CASSETTE}  without a server: the cassette to play; the
                           verdict goes to stderr at the end

\b
Example:
  {CASSETTE}=dynamic_tool_text wiretape codex app-server
"""


@click.command(
    short_help="Stand in for codex app-server.",
    epilog=EPILOG,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARG]... app-server [ARG]...")
def codex(*, arguments: tuple[str, ...]) -> int:
    """Be the program codex: app-server over stdio (or --listen ws://…), played from a cassette; or --version.

    Options of the real program may stand anywhere; those that mean nothing here are ignored. Exits with the
    app-server's exit code.
    """
    bridge, cassette = os.environ.get(BRIDGE), os.environ.get(CASSETTE)
    if bridge:
        return join(bridge, list(arguments))
    if cassette:
        return play(cassette, list(arguments))
    raise SetupError(f"set {BRIDGE} (where a server plays) or {CASSETTE} (a cassette to play without one)")


def join(bridge: str, arguments: list[str]) -> int:
    """Join a play on a running server. Raises SetupError for an address that is none."""
    from wiretape_server.bridge import main

    address, _, key = bridge.partition("/")
    host, _, port = address.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and key):
        raise SetupError(f"{BRIDGE} is {bridge!r}; give HOST:PORT/PLAY, as 'wiretape serve' prints it")
    return main(host, int(port), key, arguments)


def play(name: str, arguments: list[str]) -> int:
    """Play a cassette to this one client, and say the verdict, also after a signal. Raises CassetteError."""
    from wiretape import load_cassette, verify
    from wiretape_cli.screen import say_report
    from wiretape_server.playback import CodexPlayback
    from wiretape_server.thread import ServerThread

    cassette = load_cassette(name)
    with ServerThread() as server:
        playback = server.play(cassette)
        if not isinstance(playback, CodexPlayback):
            raise SetupError(f"{CASSETTE} is {name!r}, a {cassette.protocol} cassette; give one of codex")
        code = join(playback.bridge, arguments)
        transcript = playback.transcript()
    if transcript.entries:
        say_report(verify(transcript), source=cassette.source, transcript=transcript)
    return code
