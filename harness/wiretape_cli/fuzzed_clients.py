"""The clients that can be attacked: a command that is run for each session, or a process that stays up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

from wiretape import strictjson
from wiretape.fuzzing import Played, Player, Trial
from wiretape_cli.client import run_client
from wiretape_cli.errors import SetupError
from wiretape_cli.line_process import LineProcess, NoAnswerError
from wiretape_cli.screen import end_of
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

SETTLE = 2.0
"""Seconds that streams get to end when the client has."""

_PREFIX = "WIRETAPE_"
_JSON = ("tools", "tool_results", "client_steps")
"""What the environment holds as JSON, and a session's line as it is."""


class Ending(NamedTuple):
    """How a client ended, empty when as it should be, and the end of its stderr when not."""

    how: str = ""
    stderr: str = ""


class Client(Protocol):
    """Takes part in a session. Raises SetupError."""

    def __call__(self, variables: Mapping[str, str], /) -> Ending: ...

    def close(self) -> None: ...


class EachTime:
    """Runs the command for each session, as ``wiretape check`` does."""

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self._command, self._limit = command, limit

    def __call__(self, variables: Mapping[str, str]) -> Ending:
        run = run_client(self._command, variables, timeout=self._limit)
        if run.timed_out:
            return Ending(f"no end within {self._limit:g} s", run.stderr)
        return Ending(f"exit code {run.exit_code}", run.stderr) if run.crashed else Ending()

    def close(self) -> None:
        """Nothing stays open."""


class Staying:
    """Gives a process that stays up one session after the other, a JSON line each.

    The line has what the environment would have, in small letters and without ``WIRETAPE_``; ``{"id"}`` comes
    back when the session is over, with an ``error`` where it failed.
    """

    def __init__(self, command: Sequence[str], limit: float) -> None:
        self._process = LineProcess(command, limit)

    def __call__(self, variables: Mapping[str, str]) -> Ending:
        try:
            return Ending(str(self._process.ask(_session(variables)).get("error") or ""))
        except NoAnswerError as error:
            return Ending(str(error), error.stderr)

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _session(variables: Mapping[str, str]) -> dict[str, Any]:
    plain = {name.removeprefix(_PREFIX).lower(): value for name, value in variables.items()}
    return {name: strictjson.loads(value) if name in _JSON else value for name, value in plain.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The client under attack. ``limit``: seconds that a session may take."""

    command: Sequence[str]
    stays: bool
    limit: float
    profile: str = ""

    @contextmanager
    def opened(self, first: Trial) -> Iterator[Player]:
        """What plays sessions to the client, when it takes part in the first one. Raises SetupError."""
        client = (Staying if self.stays else EachTime)(self.command, self.limit)
        with ServerThread() as server:
            player = partial(_play, server, client, self.profile)
            try:
                self._demand_a_request(player(first))
                yield player
            finally:
                client.close()

    def _demand_a_request(self, played: Played) -> None:
        if played.asked:
            return
        how = played.ended or "it ended as it should"
        said = (
            f"{' '.join(self.command)}: sent no request in the simplest session; {how}. It is run as by "
            "wiretape check: try it there first"
            + (", and see wiretape fuzz client --help for what --persistent asks of it" if self.stays else "")
        )
        written = end_of("client", "stderr", played.stderr)
        raise SetupError("\n".join(filter(None, (said, written))))


def _play(server: ServerThread, client: Client, profile: str, trial: Trial) -> Played:
    options = PlayOptions.parse(pace="instant", profile=profile, faults=trial.faults)
    play = server.play(trial.cassette, options)
    try:
        ended = client(play.variables())
        play.wait_idle(SETTLE)
        return Played.of(play.transcript(), ended.how, ended.stderr)
    finally:
        play.close()
