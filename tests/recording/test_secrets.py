"""Secrets go through the recorder unchanged, and into no file of it, at no moment."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.recording.stage import TIMEOUT, answer, chunk, head, recorder, sends, upstream
from tests.server.making import PATH
from tests.server.wire import Wire
from tests.unit.planted import BY_NAME, BY_SHAPE, PIECES, growing
from tests.unit.test_redaction_planted import everything
from wiretape_server.recording.recovery import recover

HTTP_NAMES = {name: value for name, value in BY_NAME.items() if value.isascii() and value.isprintable()}


def leaks(folder: Path, secrets: list[str]) -> list[str]:
    """The secrets that any file in a folder tells, in whatever escapes."""
    texts = [file.read_text("utf-8", "surrogateescape") for file in folder.iterdir()]
    texts += [everything(recover(file)) for file in folder.glob("*.partial")]
    return [secret for secret in [*secrets, "SECRET", "eyJhbGciOi"] if any(secret in text for text in texts)]


def sent(secret: str) -> bytes:
    return json.dumps({"action": "next", "text": f"it is {secret} now", **BY_NAME}).encode()


@pytest.mark.parametrize("size", PIECES)
@pytest.mark.parametrize("kind", BY_SHAPE)
def test_a_secret_that_is_split_over_deltas_and_chunks_reaches_the_client_and_no_file(
    kind: str, size: int, tmp_path: Path
) -> None:
    secret = BY_SHAPE[kind]
    stream = growing(f"It is {secret} now. ", size)
    chunks = [stream[at : at + size * 7] for at in range(0, len(stream), size * 7)]
    with (
        upstream(sends(answer(b"", chunks=chunks))) as backend,
        recorder(backend.base_url, tmp_path) as stage,
    ):
        with Wire(stage.base_url) as wire:
            got = wire.ask("POST", PATH, sent(secret), content_type="application/json")
            assert list(got.chunks()) == chunks
        assert backend.requests[0].endswith(sent(secret))
        stage.thread.stop()
        assert leaks(tmp_path, [secret]) == []
        stage.finish()
    assert leaks(tmp_path, [secret]) == []


@pytest.mark.parametrize("kind", BY_SHAPE)
def test_half_a_secret_is_in_no_file_while_the_rest_is_on_its_way(kind: str, tmp_path: Path) -> None:
    secret = BY_SHAPE[kind]
    half = growing(f"It is {secret}"[: 6 + len(secret) * 3 // 4], 3)

    def play(connection: socket.socket) -> None:
        sends(head(), chunk(half))(connection)
        assert connection.recv(1) == b""

    with upstream(play) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.send("POST", PATH, sent(secret), content_type="application/json")
            assert next(wire.answer().chunks()) == half
        assert stage.thread.wait_idle(TIMEOUT)
        assert leaks(tmp_path, [secret]) == []


def test_headers_and_queries_with_secrets_pass_unchanged_both_ways_and_are_in_no_file(tmp_path: Path) -> None:
    target = f"{PATH}?verify=SECRET-in-the-query"
    reply = answer(b'{"ok": true}', content_type="application/json", **HTTP_NAMES)
    with upstream(sends(reply)) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.send("POST", target, sent("nothing"), **HTTP_NAMES, connection="close")
            assert wire.to_the_end() == reply
        head_of_it = backend.requests[0].partition(b"\r\n\r\n")[0].decode()
        assert f"POST {target} HTTP/1.1" in head_of_it
        assert all(f"{name.replace('_', '-')}: {value}" in head_of_it for name, value in HTTP_NAMES.items())
        stage.thread.stop()
        assert leaks(tmp_path, [*HTTP_NAMES.values()]) == []
        stage.finish()
    assert leaks(tmp_path, [*HTTP_NAMES.values()]) == []


def test_a_leak_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "leak.yaml").write_text("it is sk-proj-AbC123dEf456GhI789")
    assert leaks(tmp_path, [BY_SHAPE["sk key"]]) == [BY_SHAPE["sk key"]]
