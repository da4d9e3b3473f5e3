"""Delta encoding v1: wire deltas in, the value of each delta channel out (PROTOCOL of Flow A, section 2)."""

from __future__ import annotations

import sys
from reprlib import repr as shown
from typing import Any, Final, NamedTuple

from wiretape import pointer
from wiretape.document import OPERATIONS, DeltaError, Document, Node, Step, Text, plain
from wiretape.strictjson import ABSENT, MAX_DEPTH, Absent

__all__ = ["ABSENT", "Absent", "Delta", "DeltaDecoder", "DeltaError"]

_MAX_NESTING: Final = MAX_DEPTH // 2
"""Patches inside patches: each is a list and an object deep."""


class Delta(NamedTuple):
    """A delta after inheritance. ``value`` is as it came, ABSENT when there was none."""

    channel: int | float
    path: str
    op: str
    value: Any


_new: Final = tuple.__new__


class DeltaDecoder:
    """Decodes one stream's deltas, from its announcement on.

    There is one set of inherited fields for the whole stream, and one document per channel.
    """

    def __init__(self) -> None:
        self._previous: tuple[int | float, str, str] = (0, "", "add")
        self._documents: dict[int | float, Document] = {}
        self.growing: Text | None = None
        """Where a bare string goes when the delta before was an append to a text: nearly all of the wire.
        While it is the same text, deltas did nothing but add to it."""

    @property
    def values(self) -> dict[int | float, Any]:
        """Each channel's value, fresh: no later delta changes it. No absent root, a hole is None."""
        return {
            channel: plain(document.root)
            for channel, document in self._documents.items()
            if document.root is not ABSENT
        }

    def apply(self, wire_delta: object) -> Any:
        """Push a delta and give its channel's whole value, fresh; ABSENT for an absent root."""
        return plain(self._documents[self.push(wire_delta).channel].root)

    def peek(self, channel: int | float, path: str) -> Any:
        """Read one place, usually a leaf: ABSENT where nothing is, a list or object as a fresh copy."""
        return plain(self.node(channel, path))

    def node(self, channel: int | float, path: str) -> Node:
        """Give the live node at a place, which deltas go on changing: to be read with ``plain`` only."""
        document = self._documents.get(channel)
        return document.node(pointer.parse(path)) if document else ABSENT

    def push(self, wire_delta: object) -> Delta:
        """Apply one wire delta, a JSON value as ``strictjson.loads`` gives it.

        Raises DeltaError with a kind of PROTOCOL 2.9, or ``limit``. No value has changed then; the inherited
        fields have, when the delta was valid and only could not be applied.
        """
        growing = self.growing
        if growing is not None and type(wire_delta) is dict and len(wire_delta) == 1:
            value = wire_delta.get("v")
            if type(value) is str:
                growing.append(value)
                channel, path, op = self._previous
                return _new(Delta, (channel, path, op, value))
        if not isinstance(wire_delta, dict):
            raise DeltaError("payload", f"expected a delta to be an object, got {shown(wire_delta)}")
        channel, path, op = self._previous
        value = _value(wire_delta)
        step = _step(wire_delta.get("p", path), wire_delta.get("o", op), value, _MAX_NESTING)
        if "c" in wire_delta:
            channel = _channel(wire_delta["c"])
        self._previous = (channel, step.path, step.op)
        self.growing = None
        document = self._documents.get(channel) or Document()
        self.growing = document.run(step)
        self._documents[channel] = document
        return Delta(channel, step.path, step.op, value)


def _value(wire_delta: dict[str, Any]) -> Any:
    return wire_delta["v"] if "v" in wire_delta else wire_delta.get("value", ABSENT)


def _step(path: object, op: object, value: Any, nesting: int) -> Step:
    """Validate an operation, and those of a patch, before anything is changed."""
    if not isinstance(path, str):
        raise DeltaError("path", f"expected the path p to be a string, got {shown(path)}")
    if op == "patch":
        value = _steps(path, value, nesting)
    elif op == "truncate":
        if not _is_number(value):
            raise DeltaError(
                "truncate_value", f"expected v of truncate to be a number, got {shown(value)}", path
            )
    elif not isinstance(op, str) or op not in OPERATIONS:
        raise DeltaError("op", f"expected o to be one of {', '.join(OPERATIONS)}, got {shown(op)}", path)
    return Step(path, pointer.parse(path), op, value)


def _steps(path: str, entries: object, nesting: int) -> list[Step]:
    if not isinstance(entries, list):
        raise DeltaError("patch_value", f"expected v of patch to be a list, got {shown(entries)}", path)
    if nesting == 0:
        raise DeltaError("limit", f"expected at most {_MAX_NESTING} patches inside one another", path)
    steps = []
    for entry in entries:
        if not isinstance(entry, dict):
            raise DeltaError(
                "patch_entry", f"expected a patch's entry to be an object, got {shown(entry)}", path
            )
        # Nothing is inherited in an entry, so here the long names work.
        entry_path = entry["p"] if "p" in entry else entry.get("path", ABSENT)
        op = entry["o"] if "o" in entry else entry.get("op", ABSENT)
        steps.append(_step(entry_path, op, _value(entry), nesting - 1))
    return steps


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max


def _channel(value: Any) -> int | float:
    """The channel's key: numbers are doubles, so ``1`` and ``1.0`` are one channel."""
    if not _is_number(value):
        raise DeltaError("channel", f"expected the channel c to be a number, got {shown(value)}")
    double = float(value)
    return int(double) if double.is_integer() else double
