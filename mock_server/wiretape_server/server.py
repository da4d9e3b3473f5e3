"""The mock server: plays on one port, each under its prefix, and plays that have a port of their own."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar
from urllib.parse import quote

from wiretape.cassette.model import Cassette
from wiretape.faults import FaultError, demand_hits
from wiretape.scenario.adaptive import Adaptive
from wiretape_server.app import App
from wiretape_server.auto import AutoPlay
from wiretape_server.auto_codex import AutoCodexPlay
from wiretape_server.codex_http import CodexApp
from wiretape_server.codex_play import CodexPlay
from wiretape_server.codex_stdio import BridgePort
from wiretape_server.inspector.app import InspectorApp, inspector_url
from wiretape_server.minting import IdSource, RandomPool
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.pacing import Callback, Timer, Wheel
from wiretape_server.play import Play, World
from wiretape_server.script import Scripts
from wiretape_server.site import Site

AnyPlay: TypeAlias = Play | CodexPlay
P = TypeVar("P", Play, CodexPlay)


class Server:
    """Plays cassettes over HTTP. Clock, wall clock, id source and wheel can be given by a test.

    ``mint(n)`` gives n random bytes. Without ``wheel`` the event loop's own timers are used.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        mint: IdSource | None = None,
        wheel: Wheel | None = None,
    ) -> None:
        self._host = host
        self._port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        own_wheel = wheel or Wheel(time.monotonic, self._call_at)
        self._world = World(wheel=own_wheel, clock=clock, wall=wall, mint=mint or RandomPool())
        self._scripts = Scripts()
        self._plays: dict[str, AnyPlay] = {}
        self._site: Site | None = None
        self._inspector: InspectorApp | None = None
        self._own_sites: dict[str, Site] = {}
        self._bridges = BridgePort(self._codex_play)

    @property
    def base_url(self) -> str:
        """``http://host:port``; requests that go straight to it reach the play that was added first."""
        if self._site is None:
            raise RuntimeError("the server has not been started")
        return self._site.base_url

    def url(self, key: str) -> str:
        """The base URL of the play with this key, whatever characters that holds."""
        return f"{self.base_url}/play/{quote(key)}"

    @property
    def inspector_url(self) -> str | None:
        """Where a browser on this machine sees what is played; None when the server does not listen here."""
        return inspector_url(self.base_url)

    @property
    def bridge_address(self) -> tuple[str, int]:
        """Where the programs that stand in for ``codex`` connect."""
        return self._bridges.address

    async def start(self) -> None:
        """Listen. Raises OSError when the port is taken."""
        self._loop = asyncio.get_running_loop()
        apps = self._make_app(self._at(Play), self._at(CodexPlay), self._addresses)
        self._inspector = InspectorApp(lambda: self._plays, apps)
        site = Site(self._inspector)
        await site.open(self._host, self._port)
        await self._bridges.open()
        self._site = site

    async def stop(self) -> None:
        """End every stream and connection, in well under two seconds."""
        for key in list(self._plays):
            await self.remove(key)
        self._bridges.close()
        if self._site is not None:
            await self._site.close()
        if self._inspector is not None:
            self._inspector.close()

    def add(
        self, cassette: Cassette, options: PlayOptions | None = None, *, key: str | None = None
    ) -> AnyPlay:
        """Play a cassette at ``/play/<key>``; without a key at a new one. Raises CassetteError, OptionError.

        May be called from any thread, one at a time.
        """
        options = options or PlayOptions()
        key = secrets.token_urlsafe(9) if key is None else key.strip("/")
        self._plays[key] = play = self._play(key, cassette, options)
        return play

    def _play(self, key: str, cassette: Cassette, options: PlayOptions) -> AnyPlay:
        if isinstance(cassette, Adaptive):
            kind = AutoCodexPlay if cassette.protocol == "codex" else AutoPlay
            return kind(key, cassette, options, self._world)
        if cassette.protocol == "codex":
            return CodexPlay(key, cassette, options, self._world)
        play = Play(key, self._scripts.of(cassette, options.chunks), options, self._world)
        if play.faulty is not None:
            _demand_hits(play)
        return play

    async def add_site(self, play: AnyPlay) -> str:
        """Give a play a port of its own, for a client that can't take a path prefix; its base URL."""
        site = Site(self._make_app(_alone(play, Play), _alone(play, CodexPlay), lambda: [site.base_url]))
        await site.open(self._host, 0)
        self._own_sites[play.key] = site
        return site.base_url

    async def remove(self, key: str) -> None:
        """End a play: its streams break, its address is gone."""
        play = self._plays.pop(key, None)
        if play is not None:
            play.close()
        site = self._own_sites.pop(key, None)
        if site is not None:
            await site.close()

    @staticmethod
    def _make_app(
        find_play: Callable[[str], Play | None],
        find_codex: Callable[[str], CodexPlay | None],
        addresses: Callable[[], list[str]],
    ) -> CodexApp:
        return CodexApp(find_codex, App(find_play, addresses))

    def _at(self, kind: type[P]) -> Callable[[str], P | None]:
        """Finds the play of this kind at a path prefix; at none, the first."""

        def find(prefix: str) -> P | None:
            head, found, key = prefix.partition("/play/")
            if prefix in ("", "/"):
                plays: Iterable[AnyPlay | None] = self._plays.values()
            else:
                plays = [self._plays.get(key.strip("/"))] if found and not head else []
            return next((play for play in plays if isinstance(play, kind)), None)

        return find

    def _codex_play(self, key: str) -> CodexPlay | None:
        play = self._plays.get(key)
        return play if isinstance(play, CodexPlay) else None

    def _addresses(self) -> list[str]:
        return [*map(self.url, self._plays)]

    def _call_at(self, when: float, callback: Callback) -> Timer:
        if self._loop is None:
            raise RuntimeError("the server has not been started")
        return self._loop.call_at(when, callback)


def _demand_hits(play: Play) -> None:
    """Refuse faults that hit nothing, and such that are in each other's way. Raises OptionError."""
    try:
        demand_hits(play.options.faults, play.cassette)
        if play.faulty is not None:
            play.faulty.build(play.script)
    except FaultError as error:
        raise OptionError(str(error)) from None


def _alone(play: AnyPlay, kind: type[P]) -> Callable[[str], P | None]:
    """Finds this play, if it is of this kind, where there is no path prefix."""
    return lambda prefix: play if isinstance(play, kind) and not prefix else None
