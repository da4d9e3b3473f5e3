"""The Hypothesis profile, and one server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.property.profiles import register
from wiretape_server.thread import ServerThread

register()


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread() as server:
        yield server
