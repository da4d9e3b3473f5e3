"""thread/read and the lists: what is known of threads, without touching them."""

from __future__ import annotations

import time
from typing import Any, Final

from wiretape_server.codex import history, shapes
from wiretape_server.codex.errors import METHOD_NOT_FOUND, RefusedError, read_uuid
from wiretape_server.codex.home import Thread
from wiretape_server.codex.process import Process
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.shapes import NOT_LOADED, shaped
from wiretape_server.codex.thread_methods import warn_of_full_history

_OMIT: Final = "omit `includeTurns` or set it to `false`"


def known(process: Process, thread_id: str) -> Thread:
    """A thread that is loaded or kept. Raises RefusedError."""
    thread_id = read_uuid(thread_id, "thread")
    loaded = process.loaded.get(thread_id)
    thread = loaded.thread if loaded else process.home.threads.get(thread_id)
    if thread is None:
        raise RefusedError(f"thread not loaded: {thread_id}")
    return thread


def read(asking: Asking, params: dict[str, Any]) -> Reply:
    """Show a thread; ``includeTurns`` adds its turns, without calls that still wait."""
    process = asking.process
    thread = known(process, params["threadId"])
    turns: list[history.Entry] = []
    if params.get("includeTurns"):
        _check_kept(thread, "includeTurns")
        if not (thread.turns or process.profile.kept_from_start):
            _keep(process, thread)
            raise process.profile.no_turns(thread.id)
        warn_of_full_history(asking, thread, _OMIT)
        turns = history.turns(process.profile, thread)
    shown = _shown(process, thread, [entry.wire for entry in turns])
    result = {"thread": shown, "readState": shapes.read_state(thread)}
    return Reply(shaped(process.profile, "read", result))


def _shown(process: Process, thread: Thread, turns: list[dict[str, Any]]) -> dict[str, Any]:
    loaded = process.loaded.get(thread.id)
    status = loaded.status if loaded else NOT_LOADED
    return shapes.thread(process.profile, process.home, thread, status, turns)


def _keep(process: Process, thread: Thread) -> None:
    """Asking for its turns keeps a paginated thread, though it has none."""
    if thread.paginated:
        process.home.threads.setdefault(thread.id, thread)


def _check_kept(thread: Thread, what: str) -> None:
    if thread.ephemeral:
        raise RefusedError(f"ephemeral threads do not support {what}")


def list_turns(asking: Asking, params: dict[str, Any]) -> Reply:
    """One page of turns; in summary unless asked otherwise."""
    thread = known(asking.process, params["threadId"])
    _check_kept(thread, "thread/turns/list")
    if thread.id not in asking.process.home.threads:
        raise RefusedError(
            f"thread {thread.id} is not materialized yet; "
            "thread/turns/list is unavailable before first user message"
        )
    if not thread.turns:
        raise asking.process.profile.no_turns(thread.id)
    turns = history.turns(asking.process.profile, thread, params.get("itemsView") or "summary")
    return Reply(history.page(thread, history.TURNS, turns, params))


def list_items(asking: Asking, params: dict[str, Any]) -> Reply:
    """One page of items, calls among them, of a paginated thread that has had a turn."""
    thread = asking.process.home.threads.get(read_uuid(params["threadId"], "thread"))
    if thread is None or not thread.paginated or not thread.turns:
        raise RefusedError("thread/items/list is not supported yet", METHOD_NOT_FOUND)
    items = history.items(asking.process.profile, thread)
    return Reply(history.page(thread, history.ITEMS, items, params))


def list_threads(asking: Asking, _params: dict[str, Any]) -> Reply:
    """Every thread that has had a turn, newest first."""
    process = asking.process
    threads = [thread for thread in reversed(process.home.threads.values()) if thread.turns]
    full = {
        "data": [_listed(process, thread) for thread in threads],
        "readStates": {thread.id: shapes.read_state(thread) for thread in threads},
        "nextCursor": None,
        "backwardsCursor": _instant(threads[0].created_at) if threads else None,
    }
    return Reply(shaped(process.profile, "list", full))


def _listed(process: Process, thread: Thread) -> dict[str, Any]:
    """A thread in a list, where a fork is told only once it has a turn of its own."""
    forked_from = thread.forked_from if len(thread.turns) > thread.inherited else None
    full = {**_shown(process, thread, []), "canAcceptDirectInput": None, "forkedFromId": forked_from}
    return shaped(process.profile, "thread", full)


def _instant(at: float) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
    return f"{whole}.{int(at * 1000) % 1000:03}Z"


def list_loaded(asking: Asking, _params: dict[str, Any]) -> Reply:
    return Reply({"data": list(asking.process.loaded), "nextCursor": None})
