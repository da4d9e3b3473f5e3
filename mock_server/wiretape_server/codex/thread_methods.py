"""thread/start, thread/resume and thread/fork: threads come into a process."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from wiretape_server.codex import history, shapes, spec_rules, specs
from wiretape_server.codex.errors import RefusedError, read_uuid
from wiretape_server.codex.home import Thread
from wiretape_server.codex.process import LoadedThread
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.shapes import IDLE

_NEEDS_EXPERIMENTAL: Final = "thread/start.dynamicTools requires experimentalApi capability"
DEPRECATED: Final = (
    "Full-history hydration is deprecated for paginated threads; {instead}, "
    "then page with `thread/turns/list` and `thread/items/list`."
)
_EXCLUDE: Final = "use `excludeTurns: true`"


def start(asking: Asking, params: dict[str, Any]) -> Reply:
    """Begin a thread with the client's tools."""
    process = asking.process
    given = params.get("dynamicTools")
    tools = specs.read_tools(given, process.profile)
    needs = given is not None and (bool(given) or process.profile.experimental_for_empty)
    if needs and not asking.experimental:
        raise RefusedError(_NEEDS_EXPERIMENTAL)
    spec_rules.check(tools, process.profile)
    thread = _new_thread(asking, params, tools)
    if process.profile.kept_from_start and not thread.ephemeral:
        process.home.threads[thread.id] = thread
    loaded = LoadedThread(thread=thread)
    return _introduce(asking, loaded, _started(asking, loaded))


def _new_thread(asking: Asking, params: dict[str, Any], tools: specs.Declaration) -> Thread:
    process, profile = asking.process, asking.process.profile
    paginated = profile.paginated and params.get("historyMode") != "legacy"
    extended = profile.extended_history and bool(params.get("persistExtendedHistory"))
    thread_id, now = process.uuid7(), process.wall()
    return Thread(
        id=thread_id,
        created_at=now,
        updated_at=now,
        path=None if params.get("ephemeral") else _rollout(process.home.path, now, thread_id),
        tools=tools,
        declared=tuple(params.get("dynamicTools") or ()),
        paginated=paginated,
        keeps_calls=paginated or extended,
        originator=asking.client,
        cwd=params.get("cwd") or process.home.cwd,
        model=params.get("model") or process.home.model,
    )


def _rollout(home: str, now: float, thread_id: str) -> str:
    """Where the real server would keep the thread."""
    at = time.gmtime(now)
    day = time.strftime("%Y/%m/%d", at)
    return f"{home}/sessions/{day}/rollout-{time.strftime('%Y-%m-%dT%H-%M-%S', at)}-{thread_id}.jsonl"


def _introduce(asking: Asking, loaded: LoadedThread, result: dict[str, Any]) -> Reply:
    """A new thread: its result, then thread/started."""
    process = asking.process
    process.loaded[loaded.thread.id] = loaded
    loaded.subscribe(asking.hearer)
    thread = result["thread"]
    shown = {"thread": {**thread, "turns": []} if process.profile.fork_without_turns else thread}
    return Reply(result, lambda: process.outbox.notify(process.connections, "thread/started", shown))


def _started(asking: Asking, loaded: LoadedThread, turns: Iterable[history.Entry] = ()) -> dict[str, Any]:
    profile, home = asking.process.profile, asking.process.home
    wires = [entry.wire for entry in turns]
    shown = shapes.thread(profile, home, loaded.thread, loaded.status, wires)
    return shapes.session(profile, home, loaded.thread, shown)


def resume(asking: Asking, params: dict[str, Any]) -> Reply:
    """Follow a thread that has had a turn, loading it first where this process has not."""
    process = asking.process
    thread = _kept(asking, params)
    _check_turns(asking, thread, params)
    loaded = process.loaded.get(thread.id)
    fresh = loaded is None
    if loaded is None:
        loaded = process.loaded[thread.id] = LoadedThread(thread=thread)
    loaded.subscribe(asking.hearer)
    cursors = history.last_cursors(thread, process.profile)
    result = shapes.resumed(process.profile, thread, _shown(asking, loaded, params), cursors)
    if fresh:
        process.set_status(loaded, IDLE)
    return Reply(result, lambda: _after_resume(asking, loaded))


def _check_turns(asking: Asking, thread: Thread, params: dict[str, Any]) -> None:
    """A paginated thread that was kept without a turn can't be resumed with its turns."""
    if thread.paginated and not thread.turns and not params.get("excludeTurns"):
        warn_of_full_history(asking, thread, _EXCLUDE)
        raise asking.process.profile.no_turns(thread.id)


def _kept(asking: Asking, params: dict[str, Any]) -> Thread:
    thread_id = read_uuid(params["threadId"], asking.process.profile.resume_id)
    thread = asking.process.home.threads.get(thread_id)
    if thread is None:
        raise RefusedError(f"no rollout found for thread id {thread_id}")
    return thread


def _shown(asking: Asking, loaded: LoadedThread, params: dict[str, Any]) -> dict[str, Any]:
    """A thread with its turns unless they are not wanted; asking for all of them brings a notice first."""
    if params.get("excludeTurns"):
        return _started(asking, loaded)
    warn_of_full_history(asking, loaded.thread, _EXCLUDE)
    return _started(asking, loaded, history.turns(asking.process.profile, loaded.thread, with_open=True))


def warn_of_full_history(asking: Asking, thread: Thread, instead: str) -> None:
    """Say that paginated threads are better read page by page."""
    if thread.paginated:
        notice = {"summary": DEPRECATED.format(instead=instead), "details": None}
        asking.process.outbox.notify([asking.hearer], "deprecationNotice", notice)


def _after_resume(asking: Asking, loaded: LoadedThread) -> None:
    """Ask the newcomer for the calls that are open, with the ids that they have."""
    if asking.process.profile.read_state:
        asking.process.tell(loaded, "thread/goal/cleared", {})
    if loaded.run is not None:
        loaded.run.ask_again(asking.hearer)


def fork(asking: Asking, params: dict[str, Any]) -> Reply:
    """Begin a thread with the history and the tools of another.

    A turn that runs stays behind (inferred).
    """
    process = asking.process
    parent = _kept(asking, params)
    thread_id, now = process.uuid7(), process.wall()
    thread = replace(
        parent,
        id=thread_id,
        created_at=now,
        updated_at=now,
        path=_rollout(process.home.path, now, thread_id),
        model=process.home.model,
        forked_from=parent.id,
        turns=[turn for turn in parent.turns if turn.completed_at is not None],
        context=list(parent.context),
        inherited=len(parent.turns),
        unread=None,
        revision="",
    )
    process.home.threads[thread.id] = thread
    loaded = LoadedThread(thread=thread)
    return _introduce(asking, loaded, _shown(asking, loaded, params))
