"""What the fixture ``wiretape`` hands out: plays, judged once their streams have ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_wiretape import WiretapeViolation
from pytest_wiretape.settings import marked, play_options, refuse
from wiretape import verify
from wiretape.cassette import Cassette
from wiretape.contract import Report
from wiretape.report import shown, verdict_line
from wiretape.transcript import Request, Transcript
from wiretape_server.thread import CodexPlayback, Playback

if TYPE_CHECKING:
    from pytest_wiretape.recording import RecordingPlayback
    from pytest_wiretape.session_server import SessionServer
    from wiretape.faults import Fault

SETTLE = 2.0
"""Seconds that streams get to end before the verdict, when the test asks for it."""

BESIDE_VCR = (
    "no request came, and the test is marked with vcr, which answers for every server: "
    'let its fixture vcr_config return {"ignore_localhost": True}'
)


def fine(report: Report) -> bool:
    """Whether the client broke no must and played the session to its end."""
    return report.ok and report.played


class Play:
    """A cassette that is being played to the test's client.

    ``base_url`` goes to the client in place of the backend's, ``user_message`` is what to ask, ``tools`` are
    the signatures to declare, ``results`` what tools give whose result does not depend on their arguments.
    """

    def __init__(self, playback: Playback, *, unasked: str = "") -> None:
        self._playback = playback
        self._unasked = unasked
        self.base_url: str = playback.base_url
        self.user_message: str | None = playback.user_message
        self.tools: list[Mapping[str, Any]] = list(playback.tools)
        self.results: Mapping[str, Any] = playback.results
        self.report: Report | None = None
        """The latest verdict; None before the first."""

    @property
    def cassette(self) -> Cassette:
        """What is played; of ``auto`` what was made up by now."""
        return self._playback.cassette

    @property
    def transcript(self) -> Transcript:
        """What went over the wire so far."""
        return self._playback.transcript()

    @property
    def requests(self) -> Sequence[Request]:
        """The requests that came so far."""
        return [entry for entry in self.transcript.entries if isinstance(entry, Request)]

    def verify(self) -> Report:
        """Judge what the client sent. Raises WiretapeViolation for a failed must, or a session not played."""
        __tracebackhide__ = True
        report = self.judge()
        if not fine(report):
            raise WiretapeViolation(self.text(report), (report,))
        return report

    def judge(self) -> Report:
        """The verdict, whatever it is; streams that are still open get a moment to end."""
        self._playback.wait_idle(SETTLE)
        self.report = verify(self.transcript)
        return self.report

    def text(self, report: Report) -> str:
        """The verdict for people: every failed rule, what was not played, and what may be why; no secrets."""
        from wiretape.reporting.exhibit import Exhibits
        from wiretape.reporting.run import short

        transcript = self.transcript
        source = short(self.cassette.source) or self.cassette.name
        text = Exhibits(transcript).text(report, source=source).rstrip()
        return f"{text}\n\n{self._unasked}" if self._unasked and not transcript.entries else text

    def variables(self) -> dict[str, str]:
        """What ``wiretape check`` tells a client by its environment, for one that is a command."""
        return self._playback.variables()

    def close(self) -> None:
        """End the play: its open streams are cut, its address is free again."""
        self._playback.close()


class CodexPlay(Play):
    """A play of the app-server, for any number of processes and connections of the test's client.

    ``tools`` are the ``dynamicTools`` to declare, ``results`` whole answers; a tool that is not in them gives
    back its argument ``text``. ``base_url`` is for a real app-server: its model provider is ``/v1`` below it.
    """

    def __init__(self, playback: CodexPlayback, *, unasked: str = "") -> None:
        super().__init__(playback, unasked=unasked)
        self.bin: str = str(playback.bin)
        """A program to start in place of ``codex``."""
        self.command: list[str] = playback.command
        """What starts an app-server over stdio."""
        self.ws_url: str = playback.ws_url
        """Where an app-server listens on a websocket."""


class Wiretape:
    """What the fixture ``wiretape`` is: begins plays for one test, and closes the books at its end."""

    def __init__(self, server: SessionServer, item: pytest.Item) -> None:
        self._server = server
        self._item = item
        self.plays: list[Play] = []
        self._episodes = 0
        self._recordings: list[RecordingPlayback] = []

    def play(
        self,
        cassette: str | Path | Cassette | None = None,
        *,
        pace: str | None = None,
        chunks: str | None = None,
        ids: str | None = None,
        strict: bool | None = None,
        faults: Iterable[str | Fault] | None = None,
        profile: str | None = None,
        seed: int | None = None,
        own_port: bool = False,
    ) -> Play:
        """Play a cassette (name, path, or Cassette) to this test; without one, the test's own.

        ``auto`` calls the tools that the client declares, with arguments that are drawn from ``seed``.
        ``faults`` go wrong on purpose: ``["cut@event:12", "429@request:3"]``.
        The test's own is recorded first where --wiretape-record says so.
        What is not given here comes from the marker, the ini file, or the default; the command line and the
        environment go before all of them. ``own_port`` serves a client that takes no path in its base URL.
        """
        __tracebackhide__ = True
        said = {
            "pace": pace,
            "chunks": chunks,
            "ids": ids,
            "strict": strict,
            "faults": faults,
            "profile": profile,
            "seed": seed,
        }
        if cassette is None:
            return self._own(said, own_port=own_port)
        return self._begin(self._server.load(cassette), said, own_port=own_port)

    def codex(
        self,
        cassette: str | Path | Cassette,
        *,
        faults: Iterable[str | Fault] | None = None,
        profile: str | None = None,
        seed: int | None = None,
        app_server: Iterable[str] = (),
        own_port: bool = False,
    ) -> CodexPlay:
        """Play a codex cassette to this test; ``play.bin`` is a program to start in place of ``codex``.

        ``auto`` calls the tools that each thread declares. ``profile`` is the version to be; ``app_server``
        are ``--ws-auth`` and what belongs to it.
        """
        __tracebackhide__ = True
        loaded = self._server.load(cassette, protocol="codex")
        if loaded.protocol != "codex":
            refuse(f"{loaded.name} is a {loaded.protocol} cassette; play it with wiretape.play")
        said = {"faults": faults, "profile": profile, "seed": seed}
        play = self._begin(loaded, said, own_port=own_port, app_server=app_server)
        assert isinstance(play, CodexPlay)
        return play

    def _own(self, said: Mapping[str, Any], *, own_port: bool) -> Play:
        """Play or record the test's own cassette; its second one is its second episode."""
        from pytest_wiretape.recording import RecordingPlayback, is_recorded, missing, own_cassette

        self._episodes += 1
        path = own_cassette(self._item, self._episodes)
        self._server.claim(path, self._item.nodeid)
        if is_recorded(self._item, self._episodes):
            self._recordings.append(RecordingPlayback(self._item, path))
            self.plays.append(Play(self._recordings[-1]))
            return self.plays[-1]
        if not path.exists():
            refuse(missing(path, self._item.config))
        return self._begin(self._server.load(path), said, own_port=own_port)

    def _begin(
        self,
        cassette: Cassette,
        said: Mapping[str, Any],
        *,
        own_port: bool,
        app_server: Iterable[str] = (),
    ) -> Play:
        levels = (said, marked(self._item)[1])
        options = play_options(
            self._server.config, *levels, protocol=cassette.protocol, app_server=app_server
        )
        unasked = BESIDE_VCR if self._item.get_closest_marker("vcr") else ""
        play = self._server.start(cassette, options, own_port=own_port, unasked=unasked)
        self.plays.append(play)
        return play

    def play_marked(self) -> Play:
        """Play what the test's marker names."""
        __tracebackhide__ = True
        name, options = marked(self._item)
        if name is None and self._item.get_closest_marker("wiretape") is None:
            refuse('wiretape_playback needs a cassette: mark the test with @pytest.mark.wiretape("NAME")')
        return self.play(name, own_port=bool(options.get("own_port")))

    def seen_until_failure(self) -> list[tuple[str, str]]:
        """What there is to say beside a failure of the test's own, one section a play."""
        return [
            (f"wiretape {play.cassette.name}", play.text(play.judge()))
            for play in self.plays
            if play.report is None
        ]

    def finish(self, *, passed: bool) -> None:
        """Close the plays; those that a passed test left unjudged are judged. Raises WiretapeViolation."""
        __tracebackhide__ = True
        try:
            judged = [(play, play.judge()) for play in self.plays if passed and play.report is None]
            wrong = [(play.text(report), report) for play, report in judged if not fine(report)]
            if wrong:
                texts, reports = zip(*wrong, strict=True)
                raise WiretapeViolation("\n\n".join(texts), reports)
            for recording in self._recordings if passed else ():
                recording.save()
        finally:
            for play in self.plays:
                self._note(play)
                play.close()

    def _note(self, play: Play) -> None:
        """Put the verdict where JUnit reports and other plugins find it."""
        if play.report is None:
            return
        properties = self._item.user_properties
        properties.append(("wiretape", verdict_line(play.report)))
        for finding in play.report.findings:
            if finding.failed:
                said = f"{finding.rule}: {finding.path} want {shown(finding.want)} got {shown(finding.got)}"
                properties.append((f"wiretape.{finding.level}", said))
