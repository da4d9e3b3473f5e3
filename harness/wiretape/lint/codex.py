"""Rules for recorded app-server sessions: messages are readable, ids lead somewhere, the model fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, Final, TypeAlias

from wiretape import strictjson
from wiretape.cassette.model import ModelItem, ModelText, Step
from wiretape.codex.messages import TOOL_CALL, fields
from wiretape.codex.script import script_of
from wiretape.contract import Fault
from wiretape.jsonrpc import Answer, Call, Failure, Message, Notice, Unreadable, read
from wiretape.lint.rule import LintRule, Tape
from wiretape.strictjson import ABSENT
from wiretape.transcript import OTHER, Side

_Asked: TypeAlias = dict[tuple[Side, str, str], Call]


def _valid(tape: Tape) -> Iterator[Fault]:
    for place, _, _, message in _messages(tape):
        if isinstance(message, Unreadable):
            hint = "repair the line, or leave it out"
            yield Fault(place, "one JSON-RPC message", f"{message.kind}: {message.reason}", hint)


def _ends(tape: Tape) -> Iterator[Fault]:
    """Every turn that began is completed."""
    begun: dict[str, str] = {}
    for place, _, _, message in _messages(tape):
        if isinstance(message, Notice):
            turn = str(fields(fields(message.params).get("turn")).get("id"))
            if message.method == "turn/started":
                begun[turn] = place
            elif message.method == "turn/completed":
                begun.pop(turn, None)
    for turn, place in begun.items():
        hint = "record until turn/completed; fine where the session was to break off"
        yield Fault(place, f"turn/completed of turn {turn}", ABSENT, hint)


def _ids(tape: Tape) -> Iterator[Fault]:
    """Answers belong to requests; a tool call names a thread and a turn that there are."""
    asked: _Asked = {}
    known: set[str] = set()
    for place, side, connection, message in _messages(tape):
        if isinstance(message, (Answer, Failure)):
            call = asked.pop((OTHER[side], connection, repr(message.id)), None)
            if call is None:
                hint = "its request is not in the recording, or was answered before"
                yield Fault(f"{place}, id", "the id of an open request", message.id, hint)
        if isinstance(message, Call):
            asked[side, connection, repr(message.id)] = message
            if message.method == TOOL_CALL:
                yield from _unknown(fields(message.params), known, place)
        if side == "server":
            known |= _named(message)


def _unknown(params: dict[str, Any], known: set[str], place: str) -> Iterator[Fault]:
    for key in ("threadId", "turnId"):
        value = params.get(key)
        if isinstance(value, str) and value not in known:
            hint = "ids have to lead to what was recorded before; an edit may have missed a place"
            yield Fault(f"{place}, params.{key}", "one that the server named before", value, hint)


def _named(message: Message) -> set[str]:
    """The threads and turns that a message of the server's names."""
    body = fields(message.result) if isinstance(message, Answer) else {}
    if isinstance(message, Notice):
        body = fields(message.params)
    ids = (fields(body.get("thread")).get("id"), fields(body.get("turn")).get("id"), body.get("threadId"))
    return {each for each in (*ids, body.get("turnId")) if isinstance(each, str)}


def _model(tape: Tape) -> Iterator[Fault]:
    """The steps that play are those that the frames show."""
    if not tape.cassette.frames:
        return
    shown = script_of(tape.cassette.frames).model or (Step(),)
    for index, (step, seen) in enumerate(zip_longest(tape.cassette.model, shown)):
        plays, was = _what(step), _what(seen)
        if not strictjson.equal(plays, was):
            hint = "change both or none: the frames are the evidence, the model is what plays"
            yield Fault(f"model[{index}]", was, plays, hint)


def _what(step: Step | None) -> Any:
    """What a step does, without what only paces it."""
    if step is None:
        return "no step"
    if step.error is not None:
        return {"error": step.error.status}
    return {"wait": step.wait} if step.wait else _items(step.items)


def _items(items: Iterable[ModelItem]) -> list[Any]:
    return [
        {"text": each.text}
        if isinstance(each, ModelText)
        else {
            "call": each.id,
            "tool": each.tool,
            "namespace": each.namespace,
            "arguments": strictjson.loads_or(each.arguments, each.arguments),
        }
        for each in items
    ]


def _messages(tape: Tape) -> Iterator[tuple[str, Side, str, Message]]:
    """Each frame: its place, who sent it on which connection, and what it says."""
    for number, frame in enumerate(tape.cassette.frames, 1):
        yield f"frames, its line {number}", frame.direction, frame.connection, read(frame.data)


RULES: Final = (
    LintRule(
        id="lint.frames-valid",
        level="must",
        title="Every frame is one JSON-RPC message.",
        check=_valid,
        protocol="codex",
    ),
    LintRule(
        id="lint.ends-properly",
        level="should",
        title="Every turn that began is completed.",
        check=_ends,
        protocol="codex",
        after=("lint.frames-valid",),
    ),
    LintRule(
        id="lint.ids-correlate",
        level="must",
        title="An answer has the id of a request; a call names a thread and a turn that there are.",
        check=_ids,
        protocol="codex",
        after=("lint.frames-valid",),
    ),
    LintRule(
        id="lint.model-matches-frames",
        level="must",
        title="What the model plays is what the frames show.",
        check=_model,
        protocol="codex",
        after=("lint.frames-valid",),
    ),
)
