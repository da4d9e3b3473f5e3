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
    thread_methods,
    turn_methods,
)
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.serde import BOOLEAN, COUNT, OR_NULL, SEQUENCE, STRING, UnreadableError

Run: TypeAlias = Callable[[Asking, dict[str, Any]], Reply | None]


@dataclass(frozen=True, slots=True)
class Params:
    """A method's params, as far as they are looked at; all others are ignored."""

    types: serde.Types
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """One method: what it does, and with which params."""

    run: Run
    params: Params


_FLAG: Final = BOOLEAN + OR_NULL
_TEXT: Final = STRING + OR_NULL
_THREAD: Final[serde.Types] = {"threadId": STRING}
_PAGE: Final[serde.Types] = {
    "cursor": _TEXT,
    "limit": COUNT + OR_NULL,
    "sortDirection": ("asc", "desc"),
}
_NOTHING: Final = Params({})

INITIALIZE: Final = Params({}, ("clientInfo",))
"""Of the one method that belongs to the connection."""

START_THREAD: Final = Params(
    {
        "cwd": _TEXT,
        "model": _TEXT,
        "dynamicTools": SEQUENCE + OR_NULL,
        "ephemeral": _FLAG,
        "historyMode": ("legacy", "paginated"),
        "persistExtendedHistory": _FLAG,
    }
)
RESUME: Final = Params({**_THREAD, "excludeTurns": _FLAG}, ("threadId",))
READ: Final = Params({**_THREAD, "includeTurns": BOOLEAN}, ("threadId",))
LIST_TURNS: Final = Params({**_THREAD, **_PAGE, "itemsView": ("notLoaded", "summary", "full")}, ("threadId",))
LIST_ITEMS: Final = Params({**_THREAD, **_PAGE, "cursor": serde.ITEMS_CURSOR + OR_NULL}, ("threadId",))
START_TURN: Final = Params({**_THREAD, "input": SEQUENCE}, ("threadId", "input"))
STEER: Final = Params({**START_TURN.types, "expectedTurnId": STRING}, ("threadId", "input", "expectedTurnId"))
INTERRUPT: Final = Params({**_THREAD, "turnId": STRING}, ("threadId", "turnId"))
LOGIN: Final = Params({"type": account_methods.KINDS}, ("type",))

METHODS: Final[Mapping[str, Method]] = {
    "thread/start": Method(thread_methods.start, START_THREAD),
    "thread/resume": Method(thread_methods.resume, RESUME),
    "thread/fork": Method(thread_methods.fork, RESUME),
    "thread/read": Method(listing_methods.read, READ),
    "thread/list": Method(listing_methods.list_threads, _NOTHING),
    "thread/loaded/list": Method(listing_methods.list_loaded, _NOTHING),
    "thread/turns/list": Method(listing_methods.list_turns, LIST_TURNS),
    "thread/items/list": Method(listing_methods.list_items, LIST_ITEMS),
    "turn/start": Method(turn_methods.start, START_TURN),
    "turn/steer": Method(turn_methods.steer, STEER),
    "turn/interrupt": Method(turn_methods.interrupt, INTERRUPT),
    "account/login/start": Method(account_methods.start_login, LOGIN),
    "account/read": Method(account_methods.read, _NOTHING),
    "model/list": Method(account_methods.list_models, _NOTHING),
}
_PARAMS: Final = {"initialize": INITIALIZE} | {name: each.params for name, each in METHODS.items()}


def read_params(method: str, params: Any, profile: Profile) -> dict[str, Any]:
    """Read a request's params as far as the server does. Raises UnreadableError."""
    names = [name for name in _PARAMS if name not in profile.absent_methods]
    if method not in names:
        raise UnreadableError(serde.unknown_variant(method, names))
    if params is None or params is ABSENT:
        raise UnreadableError(serde.missing_field("params"))
    struct = "".join(part[:1].upper() + part[1:] for part in method.split("/"))
    known = _PARAMS[method]
    if params == []:
        params = _no_members(f"struct {struct}Params", profile.elements.get(method))
    types = {name: each for name, each in known.types.items() if name not in profile.unknown_params}
    serde.check_members(params, types, known.required, f"struct {struct}Params")
    return {name: value for name, value in params.items() if name not in profile.unknown_params}


def _no_members(struct: str, elements: int | None) -> dict[str, Any]:
    """An empty list in the place of params: a struct without a member, or too short a list of them."""
    if elements is None:
        return {}
    raise UnreadableError(f"invalid length 0, expected {struct} with {elements} elements")
