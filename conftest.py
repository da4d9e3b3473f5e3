"""Fixtures of the whole suite: a server for each module, and what runs pytest, to test the plugin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from wiretape_server.thread import ServerThread

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    from wiretape_server.thread import ServerThread  # most tests need none, and start sooner without

    with ServerThread() as server:
        yield server
