"""thread/read and the lists: what is known of threads, without touching them."""

from __future__ import annotations

from typing import Any, Final

from wiretape_server.codex import history, shapes
from wiretape_server.codex.errors import RefusedError, check_uuid, unsupported
from wiretape_server.codex.home import Thread
from wiretape_server.codex.process import Process
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.shapes import NOT_LOADED, shaped
from wiretape_server.codex.thread_methods import warn_of_full_history

_OMIT: Final = "omit `includeTurns` or set it to `false`"


def known(process: Process, thread_id: str) -> Thread:
    """A thread that is loaded or kept. Raises RefusedError."""
    check_uuid(thread_id, "thread")
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
        _check_readable(process, thread)
        warn_of_full_history(asking, thread, _OMIT)
        turns = history.turns(process.profile, thread)
    shown = _shown(process, thread, [entry.wire for entry in turns])
    result = {"thread": shown, "readState": shapes.read_state(thread)}
    return Reply(shaped(process.profile, "read", result))


def _shown(process: Process, thread: Thread, turns: list[dict[str, Any]]) -> dict[str, Any]:
    loaded = process.loaded.get(thread.id)
    status = loaded.status if loaded else NOT_LOADED
    return shapes.thread(process.profile, process.home, thread, status, turns)


def _check_readable(process: Process, thread: Thread) -> None:
    if thread.ephemeral:
        raise RefusedError("ephemeral threads do not support includeTurns")
    if not thread.turns:
        text, code = process.profile.no_turns_yet
        raise RefusedError(text.format(id=thread.id), code)


def list_turns(asking: Asking, params: dict[str, Any]) -> Reply:
    """One page of turns; in summary unless asked otherwise. Refusals are those of thread/read (inferred)."""
    thread = known(asking.process, params["threadId"])
    _check_readable(asking.process, thread)
    turns = history.turns(asking.process.profile, thread, params.get("itemsView") or "summary")
    return Reply(history.page(thread, history.TURNS, turns, params))


def list_items(asking: Asking, params: dict[str, Any]) -> Reply:
    """One page of items, calls among them."""
    thread = known(asking.process, params["threadId"])
    if not thread.paginated:
        raise unsupported("thread/items/list")
    items = history.items(asking.process.profile, thread)
    return Reply(history.page(thread, history.ITEMS, items, params))


def list_threads(asking: Asking, _params: dict[str, Any]) -> Reply:
    """Every thread that has had a turn, newest first (order and shape are inferred)."""
    process = asking.process
    threads = reversed(process.home.threads.values())
    return Reply({"data": [_shown(process, thread, []) for thread in threads], "nextCursor": None})


def list_loaded(asking: Asking, _params: dict[str, Any]) -> Reply:
    return Reply({"data": list(asking.process.loaded), "nextCursor": None})
