"""One server and one browser for all tests of the inspector, and the sessions that they look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.inspector import sessions
from tests.inspector.browser import Browser, chromium
from wiretape_server.thread import ServerThread


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="session")
def server() -> Iterator[ServerThread]:
    with ServerThread() as server:
        sessions.right(server)
        sessions.wrong(server)
        sessions.codex(server)
        sessions.unused(server)
        yield server


@pytest.fixture(scope="session")
def url(server: ServerThread) -> str:
    """The inspector's address."""
    assert server.inspector_url is not None
    return server.inspector_url
