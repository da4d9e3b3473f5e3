"""turn/start, turn/steer and turn/interrupt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from wiretape_server.codex import serde, shapes
from wiretape_server.codex.errors import RefusedError, read_uuid
from wiretape_server.codex.home import Turn
from wiretape_server.codex.process import LoadedThread, Process
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.turns import Content, TurnRun


def start(asking: Asking, params: dict[str, Any]) -> Reply:
    """Begin a turn. While one runs, what the user says joins it."""
    process = asking.process
    content = _content(params)
    loaded = _loaded(process, params)
    run = loaded.run
    if run is not None:
        run.steer(content)
        joined = run.turn if process.profile.joins_turns else replace(run.turn, id=process.uuid7())
        return _accepted(process, joined)
    turn = _new_turn(process, loaded)
    run = loaded.run = TurnRun(process, loaded, turn, content)
    _keep(process, loaded, content)
    return replace(_accepted(process, turn), then=run.begin)


def _accepted(process: Process, turn: Turn) -> Reply:
    """A turn as turn/start shows it, which says nothing of when it began."""
    return Reply({"turn": shapes.turn(process.profile, replace(turn, started_at=None))})


_INPUTS: Final = ("text", "image", "localImage", "audio", "localAudio", "skill", "mention")


def _content(params: dict[str, Any]) -> Content:
    """Read what the user says."""
    content: list[Any] = params["input"]
    for part in content:
        serde.check_members(part, {"type": _INPUTS}, ("type",), "internally tagged enum UserInput")
        if part["type"] == "text":
            serde.check_members(part, {"text": serde.STRING}, ("text",), "struct")
    return content


def _loaded(process: Process, params: dict[str, Any]) -> LoadedThread:
    thread_id = read_uuid(params["threadId"], "thread")
    loaded = process.loaded.get(thread_id)
    if loaded is None:
        raise RefusedError(f"thread not found: {thread_id}")
    return loaded


def _new_turn(process: Process, loaded: LoadedThread) -> Turn:
    thread = loaded.thread
    turn = Turn(
        id=process.uuid7() if process.profile.uuid_turn_ids else str(loaded.told),
        number=len(thread.turns) + 1,
        ordinal=thread.next_ordinal(),
    )
    loaded.told += 1
    thread.turns.append(turn)
    return turn


def _keep(process: Process, loaded: LoadedThread, content: Content) -> None:
    """From its first turn on a thread is kept, with what the user said first as its preview."""
    thread = loaded.thread
    if thread.ephemeral:
        return
    texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
    thread.preview = thread.preview or "".join(texts)
    process.home.threads.setdefault(thread.id, thread)


def steer(asking: Asking, params: dict[str, Any]) -> Reply:
    """Say more in the turn that runs."""
    content = _content(params)
    run = _loaded(asking.process, params).run
    if not content:
        raise RefusedError("input must not be empty")
    if run is None:
        raise RefusedError("no active turn to steer")
    expected = params["expectedTurnId"]
    if run.turn.id != expected:
        raise RefusedError(f"expected active turn id `{expected}` but found `{run.turn.id}`")
    run.steer(content)
    return Reply({"turnId": run.turn.id})


def interrupt(asking: Asking, params: dict[str, Any]) -> Reply | None:
    """End the turn that runs: its calls first, then the answer, then the turn. None is no answer at all."""
    loaded = _loaded(asking.process, params)
    run = loaded.run
    strict, given = asking.process.profile.checks_interrupt, params["turnId"]
    if run is None:
        if strict:
            raise RefusedError("no active turn to interrupt")
        return None
    if strict and run.turn.id != given:
        raise RefusedError(f"expected active turn id {given} but found {run.turn.id}")
    loaded.told += 1
    run.cancel()
    interrupted = run
    return Reply({}, lambda: interrupted.end("interrupted"))
