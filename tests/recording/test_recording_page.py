"""What README and docs/recording.md tell a reader to run runs as it stands, but for the ports: free ones."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.conformance.playing import RUNS_WITHIN
from tests.recording.stage import TIMEOUT
from tests.server.codex_wires import Websocket
from wiretape import load_cassette

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the page is written for a POSIX shell")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "recording.md"
PART = re.compile(r"```sh\n(.*?)```\n|(Ctrl-C in terminal 2)", re.DOTALL)
RUNS_ON = ("wiretape serve ", "wiretape record flow-a ", "wiretape record codex --out my-ws")
"""What a terminal is left with."""


class Terminals:
    """A reader's terminals, in a folder of their own."""

    def __init__(self, folder: Path, ports: dict[str, str]) -> None:
        self.folder = folder
        self.said = ""
        """What the commands that ended wrote."""
        self.ready: dict[str, str] = {}
        """What the one that was started last prints when it is ready."""
        self._ports = ports
        self._running: list[subprocess.Popen[str]] = []
        (folder / "tests").symlink_to(ROOT / "tests")

    def run(self, block: str) -> None:
        """Run one block; one that does not end is left running when it is ready."""
        for port, free in self._ports.items():
            block = block.replace(port, free)
        if block.startswith(RUNS_ON):
            self._leave(block)
            return
        done = subprocess.run(
            ["sh", "-ec", block],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=RUNS_WITHIN,
            check=False,
        )
        self.said += done.stdout + done.stderr
        assert done.returncode == 0, done.stdout + done.stderr

    def interrupt(self) -> None:
        """Ctrl-C in the terminal in which something was started last."""
        process = self._running.pop()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, said

    def close(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate(timeout=TIMEOUT)

    def _leave(self, block: str) -> None:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            ["sh", "-c", f"exec {block}"],
            cwd=self.folder,
            env=self._environment(),
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        self._running.append(process)
        assert process.stdout is not None
        self.ready = json.loads(process.stdout.readline())

    def _environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "HOME": str(self.folder), "PYTHONPATH": str(ROOT)}


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Terminals]:
    with ExitStack() as stack:
        free = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        ports = {name: str(each.getsockname()[1]) for name, each in zip(("8200", "8123"), free, strict=True)}
    with closing(Terminals(tmp_path, ports)) as opened:
        yield opened


def follow(
    terminals: Terminals, heading: str, client: Callable[[], object] = lambda: None, *, page: Path = PAGE
) -> None:
    """Do what a section says; ``client`` is the reader's own, before Ctrl-C."""
    section = page.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert section, heading
    for block, _ in PART.findall(section):
        if block:
            terminals.run(block)
        else:
            client()
            terminals.interrupt()


@pytest.mark.parametrize(
    ("page", "heading"),
    [(PAGE, "A conversation backend"), (ROOT / "README.md", "Record a new cassette")],
    ids=["docs", "readme"],
)
def test_a_conversation_backend_is_recorded_as_the_page_says(
    page: Path, heading: str, terminals: Terminals
) -> None:
    follow(terminals, heading, page=page)
    cassette = load_cassette(terminals.folder / "my.yaml")
    assert cassette.expect.results == {"alefita_way": "echo"}
    assert re.search(r"\bmy(?:\.yaml)?: ok", terminals.said)


def test_an_app_server_is_recorded_over_stdio_as_the_page_says(terminals: Terminals) -> None:
    follow(terminals, "A Codex app-server, over stdio")
    cassette = load_cassette(terminals.folder / "my-codex.yaml")
    assert cassette.expect.results == {"demo_echo": "echo"}
    assert re.search(r"\bmy-codex(?:\.yaml)?: ok", terminals.said)


def test_an_app_server_is_recorded_over_a_websocket_as_the_page_says(terminals: Terminals) -> None:
    def client() -> None:
        with Websocket(terminals.ready["codex_ws_url"]) as websocket:
            websocket.initialize()

    follow(terminals, "A Codex app-server, over a websocket", client)
    assert load_cassette(terminals.folder / "my-ws.yaml").profile == "0.171"
