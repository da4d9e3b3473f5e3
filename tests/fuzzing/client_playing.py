"""Sessions played to a client in this process: no start of a program, real HTTP."""

from __future__ import annotations

from tests.conformance.reference_client import ReferenceClient
from wiretape.fuzzing import Played, Player, Trial
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

IDLE_WITHIN = 10.0


def player(server: ServerThread, client: type[ReferenceClient], *, pace: str = "instant") -> Player:
    """Plays trials to clients of this class, a fresh one each time."""

    def play(trial: Trial) -> Played:
        playback = server.play(trial.cassette, PlayOptions(pace=pace))
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


def run(client: ReferenceClient) -> str:
    """Run a client to its end; a planted one may end in any way."""
    try:
        client.run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
