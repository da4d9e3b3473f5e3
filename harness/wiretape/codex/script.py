"""Makes a cassette's script of a recorded session: what its model and its client do, and what is expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wiretape.cassette.model import Cassette, ClientStep, Expect, RecordedFrame, Step
from wiretape.codex.client_steps import ClientSteps
from wiretape.codex.dialects import Version, dialect_of, version_of
from wiretape.codex.model_steps import TOKENS, ModelSteps
from wiretape.codex.said import listen

_PROFILES: Final[dict[Version, str]] = {(0, 98): "0.98", (0, 110): "0.110", (0, 163): "0.171"}
"""By the first version of a dialect, the profile that plays it."""
_UNSEEN: Final = "The model's provider was not recorded: model is what the client was told of it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The parts of a codex cassette that follow from its frames."""

    model: tuple[Step, ...]
    client: tuple[ClientStep, ...]
    expect: Expect
    profile: str
    gaps: tuple[str, ...]
    """What the steps can't say, one sentence each."""


def script_of(frames: Iterable[RecordedFrame]) -> Script:
    """Derive the script of a recorded session from its frames.

    A cassette plays one thread: the one with the most model steps, of several the first. Replayed, the steps
    give a client the same messages as it got then. ``model`` is empty where no turn was begun.
    """
    spoken = list(listen(frames))
    model = ModelSteps(counted=any(said.method == TOKENS for said in spoken))
    client = ClientSteps(model)
    for said in spoken:
        model.take(said)
        client.take(said)
    model.close()
    thread = _longest(model)
    steps = client.steps(thread)
    turns = [step.value for step in steps if step.do in ("turn", "interrupt")]
    version = next(filter(None, map(version_of, client.agents)), None)
    return Script(
        model=tuple(model.threads.get(thread, ())),
        client=() if [step.do for step in steps] == ["turn"] else steps,
        expect=Expect(
            user_message=turns[0] if turns else None,
            tools=tuple(each for each in client.tools.get(thread, ()) if isinstance(each, dict)),
            results=client.results(thread),
        ),
        profile=_PROFILES[dialect_of(version).since] if version else "",
        gaps=tuple(_gaps(model, client, thread)),
    )


def scripted(cassette: Cassette) -> Cassette:
    """Give a recorded session its script; one without a turn gets one empty step, since a cassette needs one.

    Call it after redaction: a secret may be split over the deltas of a text, which frames are looked through
    for, and steps are not.
    """
    script = script_of(cassette.frames)
    return replace(
        cassette,
        profile=script.profile,
        model=script.model or (Step(),),
        client=script.client,
        expect=script.expect,
        provenance=replace(cassette.provenance, gaps=(*cassette.provenance.gaps, *script.gaps)),
    )


def unscripted(cassette: Cassette) -> Cassette:
    """Take from a recorded session what ``scripted`` gave it."""
    derived = script_of(cassette.frames).gaps
    kept = tuple(gap for gap in cassette.provenance.gaps if gap not in derived)
    return replace(
        cassette,
        profile="",
        model=(),
        client=(),
        expect=Expect(),
        provenance=replace(cassette.provenance, gaps=kept),
    )


def _longest(model: ModelSteps) -> str:
    threads = (each for each in model.threads if each not in model.forks)
    return max(threads, key=lambda thread: len(model.threads[thread]), default="")


def _gaps(model: ModelSteps, client: ClientSteps, thread: str) -> Iterator[str]:
    if model.threads:
        yield _UNSEEN
    for what, count in sorted(model.untold.items()):
        yield f"The frames show what a model step can't hold: {what} ({count})."
    for what in client.untold(thread):
        yield f"No client step can say that the client {what}."
    played = model.threads.get(thread, [])
    others = [steps for each, steps in model.threads.items() if not _begins(played, steps)]
    if others:
        yield f"Threads with other turns, which are in the frames only: {len(others)}."


def _begins(played: Sequence[Step], steps: Sequence[Step]) -> bool:
    return list(played[: len(steps)]) == list(steps)
