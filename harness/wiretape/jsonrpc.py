"""JSON-RPC as the Codex app-server speaks it: one message a line or websocket message, no batches.

Nothing here knows a method. What the app-server can't read is ``Unreadable`` here too, so that a fake server,
a client and a judge take the same messages for the same.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from wiretape import strictjson
from wiretape.strictjson import ABSENT, StrictJSONError

Id: TypeAlias = str | int
"""Kept exactly: ``0`` and ``"0"`` are two ids, ``0.0``, ``true`` and ``null`` are none."""

Unusable: TypeAlias = Literal[
    "binary", "json", "several", "batch", "shape", "method", "id", "neither", "error"
]
"""Why a message can't be read: a binary websocket message; no JSON; more than one JSON text; a list; no
message at all; a method that is no string; an answer's id that is none; neither result nor error; an error
that is no error object."""

_DEEPEST: Final = 127
"""Lists and objects inside one another that the app-server reads."""
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_ERROR_MEMBERS: Final = frozenset(["code", "message", "data"])
_INT64: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request: whoever gets it owes an answer with the same id."""

    id: Id
    method: str
    params: Any
    """ABSENT when it is not there."""
    value: dict[str, Any]
    """The message itself, with members that mean nothing here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notification, which has no answer. A request whose id is no id is read as one."""

    method: str
    params: Any
    value: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a request. It counts where an error stands beside it."""

    id: Id
    result: Any
    value: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The error of a request."""

    id: Id
    code: int
    message: str
    data: Any
    """ABSENT when it is not there."""
    value: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """What can't be read, and so changes nothing on the other side."""

    kind: Unusable
    reason: str
    value: Any = ABSENT
    """The JSON value, where there is one."""


Message: TypeAlias = Call | Notice | Answer | Failure | Unreadable


class LineDecoder:
    """Cuts a byte stream into lines. A line may be of any length and come in any number of pieces."""

    __slots__ = ("_pieces",)

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes; give every line that they complete, without its newline."""
        first, *others = data.split(b"\n")
        self._pieces.append(first)
        if not others:
            return []
        lines = [b"".join(self._pieces), *others[:-1]]
        self._pieces = [others[-1]]
        return lines

    def close(self) -> list[bytes]:
        """The stream has ended: give the last line if it has no newline."""
        rest = b"".join(self._pieces)
        self._pieces = []
        return [rest] if rest else []


def same_id(left: object, right: object) -> bool:
    """Whether two ids are one: of the same type and value."""
    return strictjson.identical(left, right)


def is_id(value: object) -> bool:
    """Whether a value can be an id: a string, or a whole number of 64 bits."""
    return isinstance(value, str) or (type(value) is int and value in _INT64)


def read(data: bytes) -> Message:
    """Read one message. Never raises."""
    try:
        value, twice = _loads(data)
    except StrictJSONError as error:
        return _not_one_json_text(data, error)
    if isinstance(value, list):
        return Unreadable(kind="batch", reason="a list: batches are not spoken here", value=value)
    if not isinstance(value, dict):
        return Unreadable(kind="shape", reason="no object", value=value)
    if twice:
        return _read_repeated(value, twice)
    return _fitting(value) or _why_not(value)


def _fitting(value: dict[str, Any]) -> Message | None:
    return next((message for form in _FORMS if (message := form(value))), None)


def _loads(data: bytes) -> tuple[Any, frozenset[str]]:
    """Parse a text as the app-server does; give the value, and the names that the message has twice.

    Deeper in it the last one of two members counts.
    """
    twice: frozenset[str] = frozenset()
    try:
        value = strictjson.loads(data)
    except StrictJSONError as error:
        if error.kind != "duplicate_key":
            raise
        value, twice = strictjson.loads(data, last_wins=True), _repeated(data)
    if data.count(b"[") + data.count(b"{") > _DEEPEST < strictjson.depth(value):
        raise StrictJSONError("limit", f"nested deeper than {_DEEPEST} levels")
    if _SURROGATE.search(data) and not strictjson.is_unicode(value):
        raise StrictJSONError("invalid_json", "one half of a pair of surrogates")
    return value, twice


def _repeated(data: bytes) -> frozenset[str]:
    """The names that a message, or the error in it, has twice."""
    message = json.loads(data, object_pairs_hook=tuple)
    if not isinstance(message, tuple):
        return frozenset()
    twice = _names_twice(message)
    errors = (value for name, value in message if name == "error" and isinstance(value, tuple))
    return twice | {"error"} if any(_names_twice(error) & _ERROR_MEMBERS for error in errors) else twice


def _names_twice(pairs: tuple[tuple[str, Any], ...]) -> frozenset[str]:
    return frozenset(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)


def _read_repeated(value: dict[str, Any], twice: frozenset[str]) -> Message:
    """Read a message that has members twice: no form fits that looks at one of them."""
    message = _fitting({name: member for name, member in value.items() if name not in twice})
    if message is None or (isinstance(message, (Call, Notice)) and "params" in twice):
        return Unreadable(kind="json", reason=f"it has {', '.join(sorted(twice))} twice", value=value)
    return replace(message, value=value)


def _not_one_json_text(data: bytes, error: StrictJSONError) -> Unreadable:
    if error.kind == "invalid_json" and _holds_several(data):
        return Unreadable(kind="several", reason=f"more than one JSON text in one message: {error}")
    return Unreadable(kind="json", reason=str(error))


def _holds_several(data: bytes) -> bool:
    text = data.decode("utf-8", "replace").strip()
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip().startswith(("{", "["))


def _as_call(value: dict[str, Any]) -> Call | None:
    method = value.get("method")
    if not isinstance(method, str) or not is_id(value.get("id")):
        return None
    return Call(id=value["id"], method=method, params=value.get("params", ABSENT), value=value)


def _as_notice(value: dict[str, Any]) -> Notice | None:
    method = value.get("method")
    if not isinstance(method, str):
        return None
    return Notice(method=method, params=value.get("params", ABSENT), value=value)


def _as_answer(value: dict[str, Any]) -> Answer | None:
    if "result" not in value or not is_id(value.get("id")):
        return None
    return Answer(id=value["id"], result=value["result"], value=value)


def _as_failure(value: dict[str, Any]) -> Failure | None:
    error = value.get("error")
    if not isinstance(error, dict) or not is_id(value.get("id")):
        return None
    code, message = error.get("code"), error.get("message")
    if not is_error_code(code) or not isinstance(message, str):
        return None
    return Failure(
        id=value["id"], code=error["code"], message=message, data=error.get("data", ABSENT), value=value
    )


def is_error_code(value: object) -> bool:
    """Whether a value can be an error's code: a whole number of 64 bits, written as one."""
    return type(value) is int and value in _INT64


_FORMS: Final[tuple[Callable[[dict[str, Any]], Message | None], ...]] = (
    _as_call,
    _as_notice,
    _as_answer,
    _as_failure,
)
"""In the order in which the app-server tries them: the first that fits is what a message is."""


def _why_not(value: dict[str, Any]) -> Unreadable:
    if "method" in value:
        return Unreadable(kind="method", reason="its method is no string", value=value)
    if "id" not in value:
        return Unreadable(kind="shape", reason="neither a method nor an id", value=value)
    if not value.keys() & {"result", "error"}:
        return Unreadable(kind="neither", reason="an id with neither result nor error", value=value)
    if not is_id(value["id"]):
        return Unreadable(kind="id", reason="its id is neither a string nor a whole number", value=value)
    return Unreadable(kind="error", reason="its error has no integer code or no text as message", value=value)
