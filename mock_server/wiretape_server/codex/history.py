"""Threads as they are read: turns and items in full, in summary, or page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from wiretape import strictjson
from wiretape_server.codex import shapes
from wiretape_server.codex.errors import RefusedError
from wiretape_server.codex.home import Item, Thread, Turn
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.shapes import shaped_item

TURNS: Final = "turns"
ITEMS: Final = "itemsByCreatedAtOrdinal"
View = Literal["notLoaded", "summary", "full"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that stands in pages, and its place in the thread."""

    ordinal: int
    wire: dict[str, Any]


def turns(profile: Profile, thread: Thread, view: View = "full", *, with_open: bool = False) -> list[Entry]:
    """A thread's turns, oldest first. Calls that still wait stand in them ``with_open``."""
    ids = _item_ids(thread)
    return [Entry(turn.ordinal, _turn(profile, turn, ids, view, with_open)) for turn in thread.turns]


def _turn(
    profile: Profile, turn: Turn, ids: Mapping[int, str] | None, view: View, with_open: bool
) -> dict[str, Any]:
    chosen = _VIEWS[view]([*turn.items, *(turn.open if with_open else ())])
    wires = [item.wire if ids is None else _reconstructed(item, ids) for item in chosen]
    shown = shapes.turn(profile, turn, (shaped_item(profile, wire) for wire in wires), view)
    if turn.status == "failed" and not profile.keeps_failures:
        shown.update(status="completed", error=None)
    return {**shown, "id": profile.history_turn_id.format(id=turn.id, number=turn.number)}


def _reconstructed(item: Item, ids: Mapping[int, str]) -> dict[str, Any]:
    """An item of a thread that is not kept item by item: its id is new, its times are lost."""
    times = dict.fromkeys(("startedAtMs", "completedAtMs"))
    return {**item.wire, **times, "id": ids.get(item.ordinal, item.wire["id"])}


def _item_ids(thread: Thread) -> dict[int, str] | None:
    """Ids by ordinal where history gives new ones: ``item-1``, ``item-2``, … for all but calls."""
    if thread.paginated:
        return None
    messages = [item for _, item in thread.items() if item.kind != "dynamicToolCall"]
    return {item.ordinal: f"item-{number}" for number, item in enumerate(messages, 1)}


def _nothing(_: Sequence[Item]) -> Sequence[Item]:
    return ()


def _everything(items: Sequence[Item]) -> Sequence[Item]:
    return items


def _first_and_last(items: Sequence[Item]) -> Sequence[Item]:
    """What the user said first and the model last."""
    said = [item for item in items if item.kind == "userMessage"][:1]
    return [*said, *[item for item in items if item.kind == "agentMessage"][-1:]]


_VIEWS: Final = {"notLoaded": _nothing, "summary": _first_and_last, "full": _everything}


def items(profile: Profile, thread: Thread) -> list[Entry]:
    """A thread's complete items with the turns they stand in, oldest first."""
    return [Entry(item.ordinal, _listed(profile, turn, item)) for turn, item in thread.items()]


def _listed(profile: Profile, turn: Turn, item: Item) -> dict[str, Any]:
    times = {name: item.wire[name] for name in ("startedAtMs", "completedAtMs")}
    return {"turnId": turn.id, "item": shaped_item(profile, item.wire), **times}


def page(thread: Thread, scope: str, entries: Sequence[Entry], params: Mapping[str, Any]) -> dict[str, Any]:
    """One page of entries that are given oldest first. Turns come newest first unless asked otherwise."""
    descending = (params.get("sortDirection") or ("desc" if scope == TURNS else "asc")) == "desc"
    ordered = list(reversed(entries)) if descending else list(entries)
    place = params.get("cursor")
    if place is not None:
        text = place if isinstance(place, str) else strictjson.dumps(place)
        ordered = ordered[_first_behind(thread, scope, ordered, text) :]
    limit = len(ordered) if params.get("limit") is None else max(params["limit"], 1)
    shown, more = ordered[:limit], ordered[limit:]
    return {
        "data": [entry.wire for entry in shown],
        "nextCursor": cursor(thread, scope, shown[-1], include=False) if more else None,
        "backwardsCursor": cursor(thread, scope, shown[0], include=True) if shown else None,
    }


def _first_behind(thread: Thread, scope: str, ordered: Sequence[Entry], text: str) -> int:
    """Where a page begins that a cursor asks for. Raises RefusedError for a text that is no such cursor."""
    for index, entry in enumerate(ordered):
        if text == cursor(thread, scope, entry, include=True):
            return index
        if text == cursor(thread, scope, entry, include=False):
            return index + 1
    raise RefusedError(f"invalid cursor: {text}")


def cursor(thread: Thread, scope: str, entry: Entry, *, include: bool) -> str:
    """A place in a thread's history: opaque to clients, JSON text as in the real server."""
    if not thread.paginated:
        return strictjson.dumps({"turnId": entry.wire["id"], "includeAnchor": include})
    return strictjson.dumps(
        {
            "requestedThreadId": thread.id,
            "rolloutOrdinal": entry.ordinal,
            "includeAnchor": include,
            "scope": {"kind": scope},
        }
    )


def last_cursors(thread: Thread, profile: Profile) -> dict[str, str | None]:
    """Where to page back from: the newest turn and item of a paginated thread."""
    return {
        "turnsBackwardsCursor": _newest(thread, TURNS, turns(profile, thread, "notLoaded")),
        "itemsBackwardsCursor": _newest(thread, ITEMS, items(profile, thread)),
    }


def _newest(thread: Thread, scope: str, entries: Sequence[Entry]) -> str | None:
    return cursor(thread, scope, entries[-1], include=True) if entries and thread.paginated else None
