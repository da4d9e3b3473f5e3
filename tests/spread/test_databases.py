"""Where examples that failed are kept: folders, and Redis servers."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from wiretape_cli.databases import databases_at
from wiretape_cli.errors import SetupError
from wiretape_cli.main import cli

DECODER = "tests.fuzzing.python_decoders:without_truncate"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture
def redis_url() -> Iterator[str]:
    """A Redis server that keeps nothing on disk."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    from redis import Redis
    from redis.backoff import ConstantBackoff
    from redis.exceptions import ConnectionError as NotThereError
    from redis.retry import Retry

    port = free_port()
    quiet = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--loglevel", "warning"]
    server = subprocess.Popen([program, "--port", str(port), *quiet], stdout=subprocess.DEVNULL)
    try:
        patient = Retry(ConstantBackoff(0.1), 50)
        with Redis(port=port, retry=patient, retry_on_error=[NotThereError]) as client:
            client.ping()
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(10)


def fuzz(corpus: Path, place: str, *, examples: int, seed: int = 0) -> int:
    """Attack a decoder that is wrong; the exit code."""
    arguments = ["fuzz", "decoder", "--python", DECODER, "--kind", "truncate-text", "--corpus", str(corpus)]
    arguments += ["--database", place, "--max-examples", str(examples), "--seed", str(seed)]
    return CliRunner().invoke(cli, arguments, standalone_mode=False).return_value or 0


def is_shared(tmp_path: Path, place: str) -> None:
    """What one run finds, another one in another corpus tries first."""
    assert fuzz(tmp_path / "a", str(tmp_path / "empty"), examples=1, seed=99) == 0
    assert fuzz(tmp_path / "b", place, examples=200) == 1
    assert fuzz(tmp_path / "c", place, examples=1, seed=99) == 1
    assert (tmp_path / "c" / "finds" / "truncate-text.yaml").is_file()


def test_runs_share_a_folder(tmp_path: Path) -> None:
    is_shared(tmp_path, str(tmp_path / "shared"))
    assert not (tmp_path / "c" / "examples").exists()


def test_runs_share_a_redis_server(tmp_path: Path, redis_url: str) -> None:
    is_shared(tmp_path, redis_url)


def test_kinds_do_not_mix_in_a_redis_server(redis_url: str) -> None:
    databases = databases_at(redis_url)
    databases("text").save(b"key", b"value")
    assert set(databases("text").fetch(b"key")) == {b"value"}
    assert set(databases("patch").fetch(b"key")) == set()


def test_a_redis_server_that_is_not_there_is_told() -> None:
    pytest.importorskip("redis")
    with pytest.raises(SetupError, match=r"expected a Redis server that answers"):
        databases_at(f"redis://127.0.0.1:{free_port()}/0")


def test_a_url_that_is_none_is_told() -> None:
    pytest.importorskip("redis")
    with pytest.raises(SetupError, match=r"expected a Redis server that answers"):
        databases_at("redis://127.0.0.1:no-port/0")


def test_without_a_client_of_redis_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    monkeypatch.delitem(sys.modules, "hypothesis.extra.redis", raising=False)
    with pytest.raises(SetupError, match=r"pip install 'wiretape\[redis\]'"):
        databases_at("redis://127.0.0.1/0")
