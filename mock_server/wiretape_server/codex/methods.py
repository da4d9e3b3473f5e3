"""The methods a client can call: what their params are, and what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from wiretape.strictjson import ABSENT
from wiretape_server.codex import (
    account_methods,
    listing_methods,
    serde,
    specs,
    thread_methods,
    turn_methods,
)
from wiretape_server.codex.errors import invalid
from wiretape_server.codex.profiles import Profile
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.serde import BOOLEAN, INTEGER, MAP, OR_NULL, SEQUENCE, STRING, UnreadableError

Run: TypeAlias = Callable[[Asking, dict[str, Any]], Reply | None]


@dataclass(frozen=True, slots=True)
class Method:
    """One method. ``types`` are the params that are looked at; all others are ignored."""

    run: Run
    types: serde.Types
    required: tuple[str, ...] = ()


_FLAG: Final = BOOLEAN + OR_NULL
_TEXT: Final = STRING + OR_NULL
_THREAD: Final[serde.Types] = {"threadId": STRING}
_PAGE: Final[serde.Types] = {
    "cursor": _TEXT,
    "limit": INTEGER + OR_NULL,
    "sortDirection": ("asc", "desc"),
}

METHODS: Final[Mapping[str, Method]] = {
    "thread/start": Method(
        thread_methods.start,
        {
            "cwd": _TEXT,
            "model": _TEXT,
            "dynamicTools": SEQUENCE + OR_NULL,
            "ephemeral": _FLAG,
            "historyMode": ("paginated", "legacy"),
            "persistExtendedHistory": _FLAG,
        },
    ),
    "thread/resume": Method(thread_methods.resume, {**_THREAD, "excludeTurns": _FLAG}, ("threadId",)),
    "thread/fork": Method(thread_methods.fork, {**_THREAD, "excludeTurns": _FLAG}, ("threadId",)),
    "thread/read": Method(listing_methods.read, {**_THREAD, "includeTurns": BOOLEAN}, ("threadId",)),
    "thread/list": Method(listing_methods.list_threads, {}),
    "thread/loaded/list": Method(listing_methods.list_loaded, {}),
    "thread/turns/list": Method(
        listing_methods.list_turns,
        {**_THREAD, **_PAGE, "itemsView": ("notLoaded", "summary", "full")},
        ("threadId",),
    ),
    "thread/items/list": Method(listing_methods.list_items, {**_THREAD, **_PAGE}, ("threadId",)),
    "turn/start": Method(turn_methods.start, {**_THREAD, "input": SEQUENCE}, ("threadId", "input")),
    "turn/steer": Method(
        turn_methods.steer,
        {**_THREAD, "input": SEQUENCE, "expectedTurnId": STRING},
        ("threadId", "input", "expectedTurnId"),
    ),
    "turn/interrupt": Method(turn_methods.interrupt, {**_THREAD, "turnId": STRING}, ("threadId", "turnId")),
    "account/login/start": Method(account_methods.start_login, {"type": (account_methods.KIND,)}, ("type",)),
    "account/read": Method(account_methods.read, {}),
    "model/list": Method(account_methods.list_models, {}),
}
"""All but ``initialize``, which belongs to the connection."""

INITIALIZE: Final = Method(
    lambda _asking, _params: None,
    {"clientInfo": MAP, "capabilities": MAP + OR_NULL},
    ("clientInfo",),
)


def read_params(method: str, params: Any, profile: Profile) -> dict[str, Any]:
    """Read a request's params as far as the server does. Raises RefusedError."""
    known = {"initialize": INITIALIZE, **METHODS}
    names = [name for name in known if name not in profile.absent_methods]
    if method not in names:
        raise invalid(serde.unknown_variant(method, names))
    if params is None or params is ABSENT:
        raise invalid(serde.missing_field("params"))
    struct = "".join(part[:1].upper() + part[1:] for part in method.split("/"))
    try:
        serde.check_members(params, known[method].types, known[method].required, f"struct {struct}Params")
        specs.read_tools(params.get("dynamicTools"), profile)
    except UnreadableError as complaint:
        raise invalid(str(complaint)) from None
    read: dict[str, Any] = params
    return read
