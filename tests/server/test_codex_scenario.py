"""Steps that were derived from recorded frames play: they tell a client the same as it was told then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.server.codex_replay import Replay, lines, names
from tests.server.test_codex_engine_transcripts import messages
from wiretape.cassette.model import ModelCall, RecordedFrame, Step
from wiretape.codex.model_steps import TOKENS, ModelSteps
from wiretape.codex.said import listen
from wiretape_server.codex.provider import ProviderRequest


class ThreadModel:
    """Plays to each thread its own steps; threads are taken in the order in which they ask first."""

    def __init__(self, threads: Sequence[Sequence[Step]]) -> None:
        self.requests: list[ProviderRequest] = []
        self._threads = threads
        self._ids: list[str] = []

    def next_step(self, request: ProviderRequest) -> Step:
        self.requests.append(request)
        if request.thread_id not in self._ids:
            self._ids.append(request.thread_id)
        return self._threads[self._ids.index(request.thread_id)][request.number]


def frames(recorded: list[dict[str, Any]]) -> Iterator[RecordedFrame]:
    """What a tee before the recorded app-server would have seen."""
    for line in recorded:
        if line["dir"] in ("client->server", "server->client"):
            message = line["msg"]
            raw = message.get("_raw") if isinstance(message, dict) else None
            yield RecordedFrame(
                direction="client" if line["dir"].startswith("client") else "server",
                delay=0,
                data=(json.dumps(message) if raw is None else raw).encode(),
                connection=line["conn"],
            )


def derived(name: str) -> list[list[Step]]:
    spoken = list(listen(frames(lines(name))))
    model = ModelSteps(counted=any(said.method == TOKENS for said in spoken))
    for said in spoken:
        model.take(said)
    model.close()
    return list(model.threads.values())


def replayed(name: str, threads: Sequence[Sequence[Step]]) -> Replay:
    replay = Replay(name)
    replay.model = ThreadModel(threads)  # type: ignore[assignment]
    return replay.run()


@pytest.mark.parametrize("name", names())
def test_the_derived_steps_tell_the_client_what_the_real_server_told_it(name: str) -> None:
    replay = replayed(name, derived(name))
    assert replay.played.keys() == replay.recorded.keys()
    for connection, recorded in replay.recorded.items():
        assert messages(replay, replay.played[connection]) == messages(replay, recorded)


def test_other_steps_tell_the_client_something_else() -> None:
    [[call, said]] = derived("0.171.0-stdio-success_text")
    (made,) = call.items
    assert isinstance(made, ModelCall)
    other = Step(items=(ModelCall(id=made.id, tool=made.tool, arguments='{"text": "other"}'),))
    replay = replayed("0.171.0-stdio-success_text", [[other, said]])
    assert messages(replay, replay.played["c1"]) != messages(replay, replay.recorded["c1"])
