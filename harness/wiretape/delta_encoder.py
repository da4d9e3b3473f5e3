"""Delta encoding v1 the other way: successive values of a channel in, wire deltas out.

A value is a JSON value or ABSENT. A decoder gives back what was encoded; holes can't be, JSON has none.
"""

from __future__ import annotations

from typing import Any, Final

from wiretape import pointer
from wiretape.document import planted
from wiretape.javascript import unit_count
from wiretape.sse import ServerSentEvent
from wiretape.strictjson import ABSENT, MAX_DEPTH, dumps, identical

ANNOUNCEMENT: Final = ServerSentEvent("delta_encoding", '"v1"')
_PADDED_TO: Final = 8
_ROOM: Final = MAX_DEPTH - 3
"""A value stands in a patch's entry, which stands in a list, which stands in the delta."""

Key = str | int
Operation = dict[str, Any]
"""``{"p", "o", "v"}``, no ``v`` for remove."""


class DeltaEncoder:
    """Writes one stream's deltas; ``short`` leaves out what is inherited, as the backend does."""

    def __init__(self, *, short: bool = True) -> None:
        self._short = short
        self._values: dict[int | float, Any] = {}
        self._previous: dict[str, Any] = {"p": "", "o": "add", "c": 0}

    def encode(self, channel: int | float, value: Any) -> dict[str, Any] | None:
        """Give the wire delta that turns the channel's last value into this one; None when nothing changed.

        One change is one operation, several are a patch at the root. Raises DeltaError (``limit``) for a
        value that nests too deep to be read back.
        """
        operations = _changes(self._values.get(channel, ABSENT), planted(value, _ROOM), ())
        self._values[channel] = planted(value, _ROOM)
        if not operations:
            return None
        change = operations[0] if len(operations) == 1 else {"p": "", "o": "patch", "v": operations}
        return self._wire(change | {"c": channel})

    def _wire(self, full: dict[str, Any]) -> dict[str, Any]:
        inherited = self._previous
        self._previous = full
        if not self._short:
            return full
        return {key: member for key, member in full.items() if key == "v" or member != inherited[key]}


def delta_event(wire_delta: dict[str, Any], *, spaced: bool = False, padded: bool = True) -> ServerSentEvent:
    """Put a wire delta into its event: ``spaced`` or compact JSON, filled up with blanks to 8 bytes."""
    text = dumps(wire_delta, spaced=spaced)
    return ServerSentEvent("delta", text + " " * (-len(text) % _PADDED_TO) if padded else text)


def _changes(old: Any, new: Any, keys: tuple[Key, ...]) -> list[Operation]:
    if identical(old, new):
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        return _object_changes(old, new, keys)
    if isinstance(old, list) and isinstance(new, list):
        return _list_changes(old, new, keys)
    if isinstance(old, str) and isinstance(new, str):
        return [_string_change(old, new, keys)]
    if new is ABSENT:
        return [_operation("remove", keys)]
    return [_operation("replace" if keys else "add", keys, new)]


def _object_changes(old: dict[str, Any], new: dict[str, Any], keys: tuple[Key, ...]) -> list[Operation]:
    changes = [_operation("remove", (*keys, key)) for key in old if key not in new]
    for key in old:
        if key in new:
            changes += _changes(old[key], new[key], (*keys, key))
    added = {key: member for key, member in new.items() if key not in old}
    return [*changes, _operation("append", keys, added)] if added else changes


def _list_changes(old: list[Any], new: list[Any], keys: tuple[Key, ...]) -> list[Operation]:
    changes = []
    for index, (before, after) in enumerate(zip(old, new, strict=False)):
        changes += _changes(before, after, (*keys, index))
    if len(new) > len(old):
        changes.append(_operation("append", keys, new[len(old) :]))
    if len(new) < len(old):
        changes.append(_operation("truncate", keys, len(new)))
    return changes


def _string_change(old: str, new: str, keys: tuple[Key, ...]) -> Operation:
    if new.startswith(old):
        return _operation("append", keys, new[len(old) :])
    if old.startswith(new):
        return _operation("truncate", keys, unit_count(new))
    return _operation("replace", keys, new)


def _operation(op: str, keys: tuple[Key, ...], value: Any = ABSENT) -> Operation:
    operation = {"p": pointer.write(keys), "o": op}
    return operation if value is ABSENT else operation | {"v": value}
