"""What each address of the inspector shows."""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from aiohttp import web

from wiretape import __version__, transcript_file
from wiretape.cassette import CassetteError, dumps
from wiretape.comparison import comparisons
from wiretape.imports import complete, read_play
from wiretape.redaction import Redactor, refuse_secrets
from wiretape.transcript import Transcript
from wiretape_server.inspector import guard, pages
from wiretape_server.inspector.hexdump import PAGE
from wiretape_server.inspector.moment import moment
from wiretape_server.inspector.overview import Row, Summary, is_running, summary, verdict
from wiretape_server.inspector.session import SHOW, Session, read
from wiretape_server.inspector.store import Store

if TYPE_CHECKING:
    from wiretape_server.inspector.app import Plays
    from wiretape_server.server import AnyPlay

R = TypeVar("R")
View: TypeAlias = Callable[["AnyPlay", web.BaseRequest], Awaitable[web.StreamResponse]]

BLOCK: Final = 50
"""Lines that a browser asks for at a time."""
_TICK: Final = 0.25
"""Seconds between two looks at whether something has happened, for as long as a browser looks on."""


class Views:
    """The pages of a server's plays. ``of_play`` are those of one play, by the last part of their address."""

    def __init__(self, plays: Plays, executor: Executor) -> None:
        self._plays = plays
        self._executor = executor
        self._sessions: Store[Session] = Store(read, executor)
        self._summaries: Store[Summary] = Store(summary, executor)
        self._rows: list[Row] | None = None
        self._rendered_rows = ""
        """The table of these rows: it is asked for again and again, and seldom another one."""
        self.of_all: Mapping[str, Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]] = {
            "/": self.plays,
            "/live": self.plays_live,
        }
        self.of_play: Mapping[str, View] = {
            "": self.timeline,
            "returns": self.returns,
            "rules": self.rules,
            "live": self.live,
            "rows": self.rows,
            "moment": self.moment,
            "bytes": self.bytes,
            "cassette.yaml": self.cassette,
            "transcript.jsonl": self.transcript,
        }

    async def static(self, name: str, _request: web.BaseRequest) -> web.Response:
        """A script, a style, a picture."""
        data, kind = pages.static(name), pages.TYPES.get(name.rpartition(".")[2])
        if data is None or kind is None:
            return guard.answer(404, "There is no such file.")
        return web.Response(body=data, headers={**guard.HEADERS, "Content-Type": kind})

    # --- all plays

    async def plays(self, _request: web.BaseRequest) -> web.Response:
        """The page that lists the plays."""
        return _html(pages.render("plays.html", table=await self._table(newest=True)))

    async def plays_live(self, request: web.BaseRequest) -> web.StreamResponse:
        """News of the list: the whole table, whenever it is another one."""
        return await _news(request, partial(self._table, newest=False))

    async def _table(self, *, newest: bool) -> str:
        rows = [await self._row(play, newest=newest) for play in list(self._plays().values())]
        if rows != self._rows:
            self._rows, self._rendered_rows = rows, await self._rendered("_plays.html", rows=rows)
        return self._rendered_rows

    async def _row(self, play: AnyPlay, *, newest: bool) -> Row:
        known = await self._summaries.of(play, newest=newest)
        return Row(
            key=play.key,
            title=play.cassette.title,
            protocol=play.cassette.protocol,
            asked=known.asked,
            last=known.last,
            verdict=verdict(known.report, asked=known.asked, running=is_running(play)),
        )

    # --- one play

    async def timeline(self, play: AnyPlay, _request: web.BaseRequest) -> web.Response:
        """The page with the timeline."""
        return await self._page("timeline.html", play, show=SHOW)

    async def returns(self, play: AnyPlay, request: web.BaseRequest) -> web.Response:
        """The page with each call and what came back; its changing part alone for ``?part=1``."""
        session = await self._sessions.of(play)
        compared = await self._work(comparisons, session.transcript)
        part = await self._rendered("_returns.html", key=play.key, comparisons=compared)
        return _html(part) if "part" in request.query else await self._page("returns.html", play, part=part)

    async def rules(self, play: AnyPlay, request: web.BaseRequest) -> web.Response:
        """The page with every rule's verdict; its changing part alone for ``?part=1``."""
        session = await self._sessions.of(play)
        part = await self._rendered("_rules.html", key=play.key, report=session.report)
        return _html(part) if "part" in request.query else await self._page("rules.html", play, part=part)

    async def rows(self, play: AnyPlay, request: web.BaseRequest) -> web.Response:
        """A block of the timeline's lines: ``?block=N``, filtered by ``find`` and ``show``."""
        session = await self._sessions.of(play, newest=False)
        return _html(await self._work(_block, session, request.query))

    async def moment(self, play: AnyPlay, request: web.BaseRequest) -> web.Response:
        """All about one line: ``?line=N``."""
        session = await self._sessions.of(play, newest=False)
        number = _number(request.query.get("line"))
        if number >= len(session.lines):
            return guard.answer(404, f"There is no line {number}.")
        return _html(await self._work(_moment, session, number, play.key))

    async def bytes(self, play: AnyPlay, request: web.BaseRequest) -> web.Response:
        """The page with the bytes of one line: ``?line=N&from=BYTE``."""
        session = await self._sessions.of(play, newest=False)
        number, start = _number(request.query.get("line")), _number(request.query.get("from"))
        if number >= len(session.lines):
            return guard.answer(404, f"There is no line {number}.")
        shown = await self._work(moment, session, number)
        return await self._page("bytes.html", play, moment=shown, start=start, page=PAGE)

    async def cassette(self, play: AnyPlay, _request: web.BaseRequest) -> web.Response:
        """The play as a cassette, without secrets."""
        try:
            data = await self._work(_as_cassette, play.transcript)
        except CassetteError as error:
            return guard.answer(409, str(error).removeprefix(": "))  # there is no file to be named
        return _file(data, "application/yaml", play.key, "yaml")

    async def transcript(self, play: AnyPlay, _request: web.BaseRequest) -> web.Response:
        """The play as a transcript, without secrets: ``wiretape verify`` reads it."""
        data = await self._work(lambda: transcript_file.dump(play.transcript()))
        return _file(data, "application/jsonl", play.key, "jsonl")

    async def live(self, play: AnyPlay, request: web.BaseRequest) -> web.StreamResponse:
        """News of a play: how many lines there are, and the head of its pages."""

        async def news() -> str:
            session = await self._sessions.of(play, newest=False)
            return json.dumps({"lines": len(session.lines), "head": self._head(play, session)})

        return await _news(request, news)

    async def _page(self, template: str, play: AnyPlay, **values: Any) -> web.Response:
        session = await self._sessions.of(play)
        head = self._head(play, session)
        return _html(await self._rendered(template, play=play, session=session, head=head, **values))

    def _head(self, play: AnyPlay, session: Session) -> str:
        standing = verdict(session.report, asked=session.asked, running=is_running(play))
        return pages.render("_head.html", session=session, verdict=standing)

    async def _rendered(self, template: str, **values: Any) -> str:
        return await self._work(lambda: pages.render(template, **values))

    async def _work(self, work: Callable[..., R], *arguments: Any) -> R:
        """Do what may take long beside the server's loop."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, *arguments)


def _block(session: Session, query: Mapping[str, str]) -> str:
    show = query.get("show", "decoded")
    found = session.found(query.get("find", "").strip(), show if show in SHOW else "decoded")
    wanted = bisect_left(found, _number(query["line"])) // BLOCK if "line" in query else None
    block = _number(query.get("block")) if wanted is None else wanted
    numbers = found[block * BLOCK : (block + 1) * BLOCK]
    return pages.render(
        "_rows.html",
        lines=[session.lines[number] for number in numbers],
        first=block * BLOCK,
        block=block,
        matched=len(found),
    )


def _moment(session: Session, number: int, key: str) -> str:
    return pages.render("_moment.html", moment=moment(session, number), key=key, page=PAGE)


def _as_cassette(transcript: Callable[[], Transcript]) -> bytes:
    redactor = Redactor()
    cassette = complete(redactor.cassette(read_play(transcript(), tool=f"wiretape {__version__}")))
    data = dumps(cassette)
    refuse_secrets(data, redactor)
    return data


async def _news(request: web.BaseRequest, newest: Callable[[], Awaitable[str]]) -> web.StreamResponse:
    """Tell a browser what there is, and again whenever it is something else, until the browser leaves."""
    response = web.StreamResponse(headers={**guard.HEADERS, "Content-Type": "text/event-stream"})
    await response.prepare(request)
    told = None
    while request.method == "GET":
        news = await newest()
        if news != told:
            await response.write(b"data: %b\n\n" % json.dumps(news).encode())
            told = news
        await asyncio.sleep(_TICK)
    return response


def _html(text: str) -> web.Response:
    # What is half of a surrogate pair was escaped already, so that this can't fail.
    return web.Response(
        body=text.encode(), headers={**guard.HEADERS, "Content-Type": "text/html; charset=utf-8"}
    )


def _file(data: bytes, kind: str, key: str, ending: str) -> web.Response:
    name = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "." for each in key)
    disposition = f'attachment; filename="{name}.{ending}"'
    headers = {"Content-Type": kind, "Content-Disposition": disposition}
    return web.Response(body=data, headers={**guard.HEADERS, **headers})


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 16 else 0
