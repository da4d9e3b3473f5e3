"""Sessions played to a client in this process: no start of a program; real HTTP, or codex without a pipe."""

from __future__ import annotations

from collections.abc import Callable

from tests.conformance import codex_playing
from tests.conformance.codex_reference import CodexClient, Hooks
from tests.conformance.reference_client import ReferenceClient
from wiretape.codex.environment import client_steps, tool_results
from wiretape.fuzzing import Played, Player, Trial
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

IDLE_WITHIN = 10.0


def player(server: ServerThread, client: type[ReferenceClient], *, pace: str = "instant") -> Player:
    """Plays trials to clients of this class, a fresh one each time."""

    def play(trial: Trial) -> Played:
        playback = server.play(trial.cassette, PlayOptions.parse(pace=pace, faults=trial.faults))
        try:
            ended = run(
                client(
                    base_url=playback.base_url,
                    user_message=playback.user_message,
                    tools=playback.tools,
                    results=playback.results,
                )
            )
            assert playback.wait_idle(IDLE_WITHIN)
            return Played.of(playback.transcript(), ended)
        finally:
            playback.close()

    return play


def codex_player(hooks: Callable[[], Hooks] = Hooks) -> Player:
    """Plays trials to the reference client of the app-server, with fresh hooks each time."""

    def play(trial: Trial) -> Played:
        cassette = trial.cassette
        session = codex_playing.Session(cassette, cassette.profile)
        client = CodexClient(
            connect=session.connect,
            steps=client_steps(cassette, profile=cassette.profile),
            tools=cassette.expect.tools,
            results=tool_results(cassette),
            hooks=hooks(),
        )
        ended = run(client)
        return Played.of(session.finished(), ended)

    return play


def run(client: ReferenceClient | CodexClient) -> str:
    """Run a client to its end; a planted one may end in any way."""
    try:
        client.run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
