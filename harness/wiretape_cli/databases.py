"""Where examples that failed are kept: in a folder, or in a Redis server that many runs share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from wiretape_cli.errors import SetupError

Databases: TypeAlias = Callable[[str], ExampleDatabase]
"""Gives the database of a kind of examples."""

_REDIS: Final = ("redis://", "rediss://", "unix://")
_PATIENCE: Final = 5.0
"""Seconds that a Redis server may take to answer."""


def databases_at(place: str) -> Databases:
    """The databases below a folder, or at ``redis://HOST:PORT/NUMBER``. Raises SetupError."""
    if place.startswith(_REDIS):
        return _in_redis(place)
    return lambda kind: DirectoryBasedExampleDatabase(Path(place) / kind)


def _in_redis(url: str) -> Databases:
    try:
        from hypothesis.extra.redis import RedisExampleDatabase
        from redis import Redis
        from redis.exceptions import RedisError
    except ImportError:
        raise SetupError(f"{url} needs a client of Redis: pip install 'wiretape[redis]'") from None
    try:
        server = Redis.from_url(url, socket_connect_timeout=_PATIENCE, socket_timeout=_PATIENCE)
        server.ping()
    except (RedisError, ValueError) as error:
        raise SetupError(f"{url}: expected a Redis server that answers: {error}") from None
    return lambda kind: RedisExampleDatabase(server, key_prefix=f"wiretape:{kind}:".encode())
