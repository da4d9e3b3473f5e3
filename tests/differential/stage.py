"""Where a scenario is played: the real app-server or wiretape's, started by the same command line.

Both have the same cassette for a model: wiretape's app-server plays it itself, the real one asks the model
provider that the same wiretape server plays.
"""

from __future__ import annotations

import asyncio
import os
import socket
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.differential.connection import PATIENCE, Client, Pipes, Websocket
from wiretape_server.codex.provider import ProviderRequest
from wiretape_server.playback import CodexPlayback

_CONFIG: Final = """\
model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
web_search = "disabled"
cli_auth_credentials_store = "file"
chatgpt_base_url = "{play}/backend-api"

[model_providers.mock]
name = "mock"
base_url = "{play}/v1"
wire_api = "responses"
{key}
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"
metrics_exporter = "none"
trace_exporter = "none"

[features]
plugins = false
apps = false
"""
"""The only address that the real app-server is given is the mock's on this machine."""
_KEY: Final = 'env_key = "MOCK_KEY"'
_LOGIN: Final = "requires_openai_auth = true"
_NOWHERE: Final = "http://127.0.0.1:9"
"""A proxy that does not answer, for whatever a program would ask of other machines."""
_SWITCHING: Final = 101
_STOP: Final = 1.0
"""Seconds for a listening server to end when it is told to; one with a running turn does not."""


class Asked(list[ProviderRequest]):
    """What a side's model was asked so far. It grows in the thread of the server."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Callable[[], object]] = []

    def note(self, request: ProviderRequest) -> None:
        self.append(request)
        for wake in self._waiting:
            wake()

    async def reach(self, count: int) -> None:
        """Wait until the model was asked that often."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()
        self._waiting.append(lambda: loop.call_soon_threadsafe(news.set))
        async with asyncio.timeout(PATIENCE):
            while len(self) < count:
                await news.wait()
                news.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """An app-server to start: its program, and what it calls the same things."""

    name: str
    program: Path
    environment: Mapping[str, str]
    folder: Path
    """Its working directory."""
    play: CodexPlayback
    """Its own play of the scenario's cassette."""
    asked: Asked
    names: Mapping[str, str]
    """Paths and addresses of this side, and what stands for them in a comparison."""


def wiretape_side(play: CodexPlayback, asked: Asked, folder: Path) -> Side:
    folder.mkdir(parents=True)
    return Side(
        name="wiretape",
        program=play.bin,
        environment=_inherited(),
        folder=folder,
        play=play,
        asked=asked,
        names={str(folder.resolve()): "/home/user/project"},
    )


def real_side(play: CodexPlayback, asked: Asked, folder: Path, program: Path, *, login: bool = False) -> Side:
    """A real app-server with a home of its own; with ``login`` its provider wants a ChatGPT account."""
    home, work = folder.resolve() / "home", folder.resolve() / "work"
    home.mkdir(parents=True)
    work.mkdir()
    config = _CONFIG.format(play=play.base_url, key=_LOGIN if login else _KEY)
    (home / "config.toml").write_text(config, encoding="utf-8")
    own = {"CODEX_HOME": str(home), "HOME": str(home), "MOCK_KEY": "dummy", "RUST_LOG": "error"}
    names = {str(home): "/home/user/.codex", str(work): "/home/user/project"}
    names[play.base_url] = "http://127.0.0.1"
    return Side(
        name="real",
        program=program,
        environment={**_inherited(), **own},
        folder=work,
        play=play,
        asked=asked,
        names=names,
    )


def _inherited() -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "TEMP", "TMP")
    }
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), _NOWHERE)
    return {**kept, **proxies, "NO_PROXY": "127.0.0.1"}


@dataclass(slots=True, kw_only=True)
class Stage:
    """Starts the app-server for a script, and knows its connections in the order of their begin."""

    side: Side
    clients: list[Client] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)
    """What a script saw beside messages: how programs ended, how requests over HTTP were answered."""
    _processes: list[Process] = field(default_factory=list)
    _readers: list[asyncio.Task[None]] = field(default_factory=list)
    _listening: str = ""

    async def client(self) -> Client:
        """Start a process, and talk to it over stdio."""
        process = await self._start(stdin=PIPE, stdout=PIPE)
        self._readers.append(asyncio.create_task(self._read_stderr(process, asyncio.Event())))
        return self._joined(Pipes(process))

    async def websocket(self) -> Client:
        """Connect to the one process that listens; the first connection starts it."""
        if not self._listening:
            await self.listen()
        return self._joined(await Websocket.open(self._listening))

    async def listen(self, *arguments: str) -> None:
        """Start the process that listens, with these options."""
        url = f"ws://127.0.0.1:{_free_port()}"
        process = await self._start("--listen", url, *arguments, stdin=DEVNULL, stdout=DEVNULL)
        ready = asyncio.Event()
        self._readers.append(asyncio.create_task(self._read_stderr(process, ready)))
        await asyncio.wait_for(ready.wait(), PATIENCE)
        self._listening = url

    async def knock(self, path: str = "/", **headers: str) -> None:
        """Ask the process that listens for a page, or with ``upgrade`` for a websocket; note the answer."""
        url = f"http{self._listening.removeprefix('ws')}{path}"
        async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
            body = "" if response.status == _SWITCHING else await response.text()
        self.notes.append({"path": path, "headers": headers, "status": response.status, "body": body})

    async def run(self, *arguments: str) -> None:
        """Run the program to its end, for a second at most; note its exit code and what it printed."""
        process = await self._start(*arguments, stdin=DEVNULL, stdout=PIPE, command=())
        output = asyncio.create_task(process.communicate())
        await asyncio.wait([output], timeout=_STOP)
        exit_code = process.returncode
        if exit_code is None:
            process.kill()
        printed, complained = await output
        self.stderr += complained.decode("utf-8", "replace").splitlines()
        self.notes.append({"run": list(arguments), "exit": exit_code, "stdout": printed.decode()})

    async def kill(self) -> None:
        """Kill the process that listens; the next connection starts another on the same home."""
        self._listening = ""
        self._processes[-1].kill()
        await self._processes[-1].wait()

    async def close(self) -> None:
        """Leave, and end everything that was started."""
        for client in self.clients:
            with suppress(ConnectionError):
                await client.close()
        for process in self._processes:
            await _stop(process)
        if self._readers:
            await asyncio.wait(self._readers, timeout=_STOP)

    def _joined(self, wire: Pipes | Websocket) -> Client:
        self.clients.append(Client(f"c{len(self.clients) + 1}", wire))
        return self.clients[-1]

    async def _start(
        self, *arguments: str, stdin: int, stdout: int, command: Sequence[str] = ("app-server",)
    ) -> Process:
        process = await asyncio.create_subprocess_exec(
            self.side.program,
            *command,
            *arguments,
            stdin=stdin,
            stdout=stdout,
            stderr=PIPE,
            env=dict(self.side.environment),
            cwd=self.side.folder,
        )
        self._processes.append(process)
        return process

    async def _read_stderr(self, process: Process, ready: asyncio.Event) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            text = line.decode("utf-8", "replace").rstrip()
            self.stderr.append(text)
            if "healthz" in text:  # the last line that a listening server writes at its start
                ready.set()


async def _stop(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _STOP)
        except TimeoutError:
            process.kill()
            await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
