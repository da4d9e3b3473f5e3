"""Re-encodings: given the final messages of an answer, the valid deltas that lead to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from wiretape.flow_a.messages import IN_PROGRESS
from wiretape.javascript import unit_count
from wiretape.testing.changes import Draw, Keys, Operation, operation
from wiretape.testing.deltas import wire_deltas

_BEGUN: Final = st.sampled_from(["whole", "parts"])
_ANYHOW: Final = st.sampled_from(["whole", "parts", "add", "merge"])


class Form(NamedTuple):
    """What a message's first delta must hold, by names of members at any depth."""

    whole: frozenset[str] = frozenset({"id"})
    """Members that stand there as they stay. A message is known by its id."""
    begun: frozenset[str] = frozenset()
    """Members that are there, and may grow."""
    closing: bool = False
    """The status is in_progress until the message's last delta, unless the first one holds it all."""


ANY_FORM: Final = Form()
BACKEND_FORM: Final = Form(
    whole=Form().whole
    | {"author", "recipient", "channel", "create_time", "update_time", "weight", "content_type"},
    begun=frozenset({"content", "metadata", "end_turn"}),
    closing=True,
)
"""As captured: every member is there from the start, and a client may act when the status changes."""


@st.composite
def encodings(
    draw: Draw,
    messages: Sequence[Mapping[str, Any]],
    *,
    form: Form = ANY_FORM,
    envelope: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], ...]:
    """Wire deltas that leave these messages, first seen in this order, with distinct ids.

    ``envelope`` has what stands beside each message.

    Texts and lists come whole or in pieces, members at once, later, or merged in; a piece too much is cut off
    again; operations stand alone or in patches, at the root or relative to the message; messages have a
    channel of their own or take over that of a finished one, and those that are open grow in turn.
    """
    waiting = [_growths(draw, message, form, envelope or {}) for message in messages]
    open_: dict[int, list[Operation]] = {}
    channels = 0
    full: list[Operation] = []
    while waiting or open_:
        if waiting and (not open_ or draw(st.booleans())):
            channel = draw(st.sampled_from([each for each in range(channels + 1) if each not in open_]))
            channels = max(channels, channel + 1)
            open_[channel] = waiting.pop(0)
        else:
            channel = draw(st.sampled_from(sorted(open_)))
        full.append({"c": channel} | open_[channel].pop(0))
        if not open_[channel]:
            del open_[channel]
    return draw(wire_deltas(full))


def _growths(
    draw: Draw, message: Mapping[str, Any], form: Form, envelope: Mapping[str, Any]
) -> list[Operation]:
    """The operations of one message: its root, then what completes it, in patches or not."""
    grown = {key: member for key, member in message.items() if not form.closing or key != "status"}
    start, rest = _parts(draw, grown, ("message",), form)
    if form.closing:
        whole = not rest and draw(st.booleans())
        start["status"] = message["status"] if whole else IN_PROGRESS
        rest += [] if whole else [operation("replace", ("message", "status"), message["status"])]
    operations = [operation("add", (), {"message": start, **envelope})]
    while rest:
        size = draw(st.integers(1, len(rest)))
        taken, rest = rest[:size], rest[size:]
        operations += _grouped(draw, taken)
    return operations


def _grouped(draw: Draw, operations: list[Operation]) -> list[Operation]:
    """One patch of these operations, its paths relative to the root or to the message, or each alone."""
    how = draw(st.sampled_from(["alone", "root", "message"]))
    if how == "alone":
        return operations
    if how == "root":
        return [operation("patch", (), operations)]
    inner = [each | {"p": each["p"].removeprefix("/message")} for each in operations]
    return [operation("patch", ("message",), inner)]


def _parts(draw: Draw, value: Any, keys: Keys, form: Form) -> tuple[Any, list[Operation]]:
    """What a value begins as, and the operations that make it whole."""
    if isinstance(value, dict) and value:
        return _object_parts(draw, value, keys, form)
    if isinstance(value, list) and value:
        return _list_parts(draw, value, keys)
    if isinstance(value, str):
        return _text_parts(draw, value, keys)
    if draw(st.booleans()):
        return None, [operation("replace", keys, value)]
    return value, []


def _object_parts(draw: Draw, value: dict[str, Any], keys: Keys, form: Form) -> tuple[Any, list[Operation]]:
    start: dict[str, Any] = {}
    rest: list[Operation] = []
    for key, member in value.items():
        how = "whole" if key in form.whole else draw(_BEGUN if key in form.begun else _ANYHOW)
        if how == "whole":
            start[key] = member
        elif how == "parts":
            start[key], later = _parts(draw, member, (*keys, key), form)
            rest += later
        elif how == "add":
            rest.append(operation("add", (*keys, key), member))
        else:
            rest.append(operation("append", keys, {key: member}))
    return start, rest


def _list_parts(draw: Draw, value: list[Any], keys: Keys) -> tuple[Any, list[Operation]]:
    cut = draw(st.integers(0, len(value)))
    start = value[:cut]
    how = draw(st.sampled_from(["append", "one by one", "insert", "too much"]))
    if how == "append":
        return start, [operation("append", keys, value[cut:])] if cut < len(value) else []
    if how == "one by one":
        return start, [operation("append", keys, [each]) for each in value[cut:]]
    if how == "insert":  # the last first, so that each pushes back what stands behind it
        return start, [operation("add", (*keys, cut), each) for each in reversed(value[cut:])]
    return [*value, draw(st.integers(0, 9))], [operation("truncate", keys, len(value))]


def _text_parts(draw: Draw, value: str, keys: Keys) -> tuple[Any, list[Operation]]:
    at = sorted(draw(st.lists(st.integers(0, len(value)), min_size=1, max_size=4)))
    pieces = [value[start:end] for start, end in zip(at, [*at[1:], len(value)], strict=True)]
    start = value[: at[0]]
    grown = [operation("append", keys, piece) for piece in pieces]
    if draw(st.integers(0, 3)) == 3:
        return start + "😀", [operation("truncate", keys, unit_count(start)), *grown]
    return start, grown
