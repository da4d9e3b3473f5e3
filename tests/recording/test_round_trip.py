"""Record, load, replay, record again: the same cassette, but for ids and times."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.conformance.playing import reference
from tests.recording.stage import TIMEOUT, recorder
from wiretape import load_cassette
from wiretape.cassette import Cassette, bundled
from wiretape.cassette.model import Interaction
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=\"token\": )\"<[^>]*>\"")
"""The ids of messages and conversations; tokens that are placeholders are minted anew too."""
TIME = re.compile(r"\b1[0-9]{9}\.[0-9]+\b")
NAMES = bundled("flow_a")


def record(server: ServerThread, cassette: Cassette, folder: Path, *, chunks: str, cut: int = 0) -> Cassette:
    """Play a cassette to the reference client through a recorder; ``cut``: bytes that it gets at once."""
    folder.mkdir()
    played = server.play(cassette, PlayOptions(pace="instant", chunks=chunks))
    try:
        with cutter(played.base_url, cut) as url, recorder(url, folder) as stage:
            client = reference(played)
            client.base_url = stage.base_url
            client.run()
            assert played.wait_idle(TIMEOUT)
            return stage.finish()
    finally:
        played.close()


@contextmanager
def cutter(url: str, size: int) -> Iterator[str]:
    """A proxy that knows no HTTP and passes answers on a few bytes at a time, inside lines and characters."""
    if not size:
        yield url
        return
    parts = urlsplit(url)
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as sockets:
        accepting = threading.Thread(
            target=_accept, args=(listener, parts.netloc, size, sockets), daemon=True
        )
        accepting.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}{parts.path}"
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join(TIMEOUT)
        assert not accepting.is_alive()


def _accept(listener: socket.socket, address: str, size: int, sockets: ExitStack) -> None:
    host, _, port = address.rpartition(":")
    while True:
        try:
            client = sockets.enter_context(listener.accept()[0])
        except OSError:
            return
        backend = sockets.enter_context(socket.create_connection((host, int(port)), timeout=TIMEOUT))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for source, sink, most in ((client, backend, 65536), (backend, client, size)):
            threading.Thread(target=_pump, args=(source, sink, most), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket, most: int) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            for start in range(0, len(data), most):
                sink.sendall(data[start : start + most])
        sink.shutdown(socket.SHUT_WR)


def normal(cassette: Cassette) -> list[Any]:
    """What two recordings of one session have in common: ids by their first appearance, no times."""
    ids: dict[str, str] = {}

    def known(text: str) -> str:
        text = ID.sub(lambda match: ids.setdefault(match[0], f"<id {len(ids)}>"), text)
        return TIME.sub("<time>", text)

    return [
        cassette.protocol,
        cassette.title,
        json.dumps([cassette.expect.tools, cassette.expect.results, cassette.expect.user_message]),
        cassette.provenance.gaps,
        *(_interaction(each, known) for each in cassette.interactions),
    ]


def _interaction(interaction: Interaction, known: Any) -> list[Any]:
    request, response = interaction.request, interaction.response
    # Of a body with a length the recorder keeps the reads, which are chance; of a stream the HTTP chunks.
    is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
    return [
        (request.method, known(request.path), _timeless(request.headers)),
        known(request.body.decode()),
        (response.status, _timeless(response.headers), response.end),
        response.chunks.lengths if response.chunks and is_stream else None,
        known(response.body.decode()),
    ]


def _timeless(headers: Any) -> dict[str, str]:
    return {
        name: value
        for name, value in headers.items()
        if name.lower() not in ("date", "host", "content-length")
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("chunks", "cut"), [("recorded", 0), ("byte", 0), ("random:1", 1), ("recorded", 3)])
def test_a_recording_that_is_played_and_recorded_again_is_the_same(
    name: str, chunks: str, cut: int, server: ServerThread, tmp_path: Path
) -> None:
    first = record(server, load_cassette(name), tmp_path / "first", chunks=chunks, cut=cut)
    second = record(server, first, tmp_path / "second", chunks="recorded", cut=cut)
    assert normal(second) == normal(first)


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_has_the_chunks_of_what_was_played(
    name: str, server: ServerThread, tmp_path: Path
) -> None:
    original = load_cassette(name)
    made = record(server, original, tmp_path / "made", chunks="recorded", cut=2)
    streams = [each.response for each in made.interactions if each.request.path.endswith("/f/conversation")]
    assert [each.chunks and each.chunks.lengths for each in streams] == [
        each.response.chunks and each.response.chunks.lengths for each in original.interactions
    ]


def test_another_session_is_not_the_same(server: ServerThread, tmp_path: Path) -> None:
    one = record(server, load_cassette("plain_answer"), tmp_path / "one", chunks="recorded")
    other = record(server, load_cassette("plain_answer"), tmp_path / "other", chunks="byte")
    assert normal(one) != normal(other)
