"""A cassette that is being played, seen from another thread than the server's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wiretape import strictjson
from wiretape.cassette.model import Cassette
from wiretape.codex.environment import client_steps, tool_results
from wiretape.transcript import Transcript

if TYPE_CHECKING:
    from wiretape_server.codex_play import CodexPlay
    from wiretape_server.server import AnyPlay
    from wiretape_server.thread import ServerThread


class Playback:
    """A play, for whoever drives the client."""

    def __init__(self, thread: ServerThread, play: AnyPlay, base_url: str) -> None:
        self._thread = thread
        self._play = play
        self._told = play.cassette.expect  # fixed now: what is made up later, no client is told
        self.base_url = base_url
        """What a client is given: ``<base_url>/backend-api/…`` are the endpoints."""

    @property
    def cassette(self) -> Cassette:
        """What is played; of the adaptive scenario what was made up by now."""
        return self._play.cassette

    @property
    def user_message(self) -> str:
        """What the client's user says; empty when the cassette does not tell."""
        return self._told.user_message or ""

    @property
    def tools(self) -> list[Mapping[str, Any]]:
        """The signatures that the client declares; none where it brings its own (``auto``)."""
        return list(self._told.tools)

    @property
    def results(self) -> dict[str, Any]:
        """Tool name to the result object that the client gives; without those that echo their argument."""
        expected = self._told.results
        return {tool: result for tool, result in expected.items() if result != "echo"}

    def variables(self) -> dict[str, str]:
        """What a client command is told by its environment."""
        return {
            "WIRETAPE_BASE_URL": self.base_url,
            "WIRETAPE_CASSETTE": self.cassette.name,
            "WIRETAPE_USER_MESSAGE": self.user_message,
            "WIRETAPE_TOOLS": strictjson.dumps(self.tools),
            "WIRETAPE_TOOL_RESULTS": strictjson.dumps(self.results),
        }

    def transcript(self) -> Transcript:
        """A copy of what happened so far."""
        return self._play.transcript()

    def wait_idle(self, timeout: float) -> bool:
        """Wait until all streams of this play have ended; whether they did in ``timeout`` seconds."""
        return bool(self._thread.call(_wait_idle, self._play, timeout))

    def close(self) -> None:
        """Break the streams that are open and give the address back."""
        self._thread.remove(self._play)


class CodexPlayback(Playback):
    """A play of the app-server. A real one takes ``<base_url>/v1`` for its model provider."""

    def __init__(
        self, thread: ServerThread, play: CodexPlay, base_url: str, *, program: Path, bridge: str, ws_url: str
    ) -> None:
        super().__init__(thread, play, base_url)
        self._profile = play.profile.name
        self.bin = program
        """A program to start in place of ``codex``."""
        self.bridge = bridge
        """The same for ``wiretape codex``, which takes it from the environment."""
        self.ws_url = ws_url
        """Where an app-server listens on a websocket, for all its clients."""

    @property
    def command(self) -> list[str]:
        """What starts an app-server over stdio."""
        return [str(self.bin), "app-server"]

    @property
    def results(self) -> dict[str, Any]:
        """Tool name to its whole answer; a tool that is not in it answers with its argument ``text``."""
        return tool_results(self.cassette)

    def variables(self) -> dict[str, str]:
        """What a client command is told by its environment."""
        return super().variables() | {
            "WIRETAPE_CODEX_BIN": str(self.bin),
            "WIRETAPE_CODEX_BRIDGE": self.bridge,
            "WIRETAPE_CODEX_WS_URL": self.ws_url,
            "WIRETAPE_CLIENT_STEPS": strictjson.dumps(client_steps(self.cassette, profile=self._profile)),
        }


async def _wait_idle(play: AnyPlay, timeout: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(play.idle.wait(), timeout)
    return play.idle.is_set()
