"""``serve``: play until a signal comes, then write down what went over the wire."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path, PurePath
from typing import TypeVar

from wiretape import strictjson
from wiretape.cassette import Cassette
from wiretape.transcript import Transcript
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import put, say
from wiretape_cli.signals import ended_by_signal, wait_for_signal
from wiretape_server.loop_thread import LoopThread
from wiretape_server.options import PlayOptions
from wiretape_server.thread import CodexPlayback, Playback, ServerThread

Thread = TypeVar("Thread", bound=LoopThread)


def run(
    cassettes: Sequence[Cassette],
    options: Mapping[str, PlayOptions],
    *,
    host: str,
    port: int,
    transcript_dir: Path | None,
) -> Exit:
    """Serve until a signal ends it. Raises SetupError when the address can't be had or names collide."""
    if not host:
        raise SetupError("--host: expected an address of this machine, or 0.0.0.0 for all, got nothing")
    named = by_key(cassettes)
    if transcript_dir is not None:
        transcript_dir.mkdir(parents=True, exist_ok=True)
    if not is_loopback(host):
        say(f"warning: {host} can be reached from other machines")
    ended = ended_by_signal()
    with started(ServerThread(host=host, port=port)) as server:
        plays = {
            key: server.play(cassette, options[cassette.protocol], key=key) for key, cassette in named.items()
        }
        put(strictjson.dumps(ready(server.base_url, server.inspector_url, plays.values())))
        wait_for_signal(ended)
        transcripts = {key: play.transcript() for key, play in plays.items()}
    if transcript_dir is not None:
        write(transcripts, transcript_dir)
    return Exit.FINE


def by_key(cassettes: Sequence[Cassette]) -> dict[str, Cassette]:
    """The cassettes by the name under which they play. Raises SetupError when two have the same."""
    named: dict[str, Cassette] = {}
    for cassette in cassettes:
        key = play_key(cassette)
        if key in named:
            raise SetupError(
                f"two cassettes would play as /play/{key}: {named[key].source} and {cassette.source}"
            )
        named[key] = cassette
    return named


def play_key(cassette: Cassette) -> str:
    """The name as it was asked for; of a path, the file's name without its ending."""
    name = PurePath(cassette.name)
    return name.stem if name.suffix in (".yaml", ".yml") else cassette.name


def ready(base_url: str, inspector_url: str | None, plays: Iterable[Playback]) -> Mapping[str, object]:
    """The line that says where the server is. A part that does not exist here is null."""
    codex = next((play for play in plays if isinstance(play, CodexPlayback)), None)
    return {
        "base_url": base_url,
        "codex_ws_url": codex.ws_url if codex else None,
        "codex_bin": str(codex.bin) if codex else None,
        "codex_bridge": codex.bridge if codex else None,
        "inspector_url": inspector_url,
        "pid": os.getpid(),
    }


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def write(transcripts: Mapping[str, Transcript], directory: Path) -> None:
    """Write one JSONL file a play; one that nobody used is written too, so that its absence means a fault."""
    from wiretape.transcript_file import dump

    for key, transcript in transcripts.items():
        file = directory / f"{key.replace('/', '.')}.jsonl"
        file.write_bytes(dump(transcript))
        say(f"wrote {file}")


def started(thread: Thread) -> Thread:
    """Start a server. Raises SetupError when the address can't be had."""
    try:
        return thread.start()
    except OSError as error:
        raise SetupError(error.strerror or str(error)) from None
