"""The mock server in a thread and an event loop of its own, for tests and programs of any kind."""

from __future__ import annotations

import threading
from typing import Any

from wiretape.cassette.model import Cassette
from wiretape_server.codex_play import CodexPlay
from wiretape_server.loop_thread import LoopThread
from wiretape_server.options import PlayOptions
from wiretape_server.playback import CodexPlayback, Playback
from wiretape_server.programs import Programs
from wiretape_server.server import AnyPlay, Server

__all__ = ["CodexPlayback", "Playback", "ServerThread"]


class ServerThread(LoopThread):
    """A Server that runs beside the caller. Takes what Server takes; a context manager."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._server = Server(*arguments, **settings)
        self._programs = Programs()
        self._lock = threading.Lock()
        super().__init__(self._server)

    def stop(self) -> None:
        """End all streams and the thread, in under two seconds. A second stop does nothing."""
        super().stop()
        self._programs.close()

    @property
    def base_url(self) -> str:
        """The server's address without a play's prefix: it plays what was added first."""
        return self._server.base_url

    @property
    def inspector_url(self) -> str | None:
        """Where a browser on this machine sees what is played; None when the server does not listen here."""
        return self._server.inspector_url

    def play(
        self,
        cassette: Cassette,
        options: PlayOptions | None = None,
        *,
        key: str | None = None,
        own_port: bool = False,
    ) -> Playback:
        """Play a cassette; a codex one gives a CodexPlayback. Raises CassetteError, OptionError."""
        with self._lock:
            play = self._server.add(cassette, options, key=key)
        url = self.call(self._server.add_site, play) if own_port else self._server.url(play.key)
        if not isinstance(play, CodexPlay):
            return Playback(self, play, url)
        host, port = self._server.bridge_address
        with self._lock:
            program = self._programs.write(host, port, play.key)
        return CodexPlayback(
            self,
            play,
            url,
            program=program,
            bridge=f"{host}:{port}/{play.key}",
            ws_url=url.replace("http", "ws", 1) + ("" if own_port else "/codex"),
        )

    def remove(self, play: AnyPlay) -> None:
        """End a play."""
        if self._thread is not None:
            self.call(self._server.remove, play.key)
