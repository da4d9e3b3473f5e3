"""Broken codex clients: every rule, in many ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.conformance.codex_broken import (
    BROKEN,
    ERROR,
    answer_after_the_interrupt,
)
from tests.conformance.codex_reference import Hooks, Message
from tests.selftest.codex_openings import opening_mutations
from tests.selftest.codex_sessions import (
    ALL,
    CALLING,
    TEXT,
    Answering,
    Wrong,
    answered,
    play,
    with_members,
)
from tests.selftest.flow_a_sessions import put, shown
from wiretape.strictjson import ABSENT
from wiretape.testing import CODEX_FAULTS, broken_codex_answers, codex_answers
from wiretape.transcript import Frame, Transcript

_NO_TEXT: Final = (ABSENT, None, 5, True, [], {})
_REFRESH: Final = ("auth_refresh",)
_ONE_CALL: Final = (TEXT, "two_texts", "namespaced_tool", "dynamic_tool_image")


def codex_mutations(*, examples: int = 6) -> Iterator[Wrong]:
    for rule, broken in BROKEN.items():
        yield Wrong(
            rule=rule,
            name="as in the table",
            hooks=broken.hooks,
            cassettes=(broken.cassette,),
            busy=broken.busy,
            fault=broken.fault,
            behind=broken.behind,
        )
    yield from opening_mutations()
    yield from _calls()
    yield from _answers(examples)
    yield from _errors()
    yield from _refreshes()
    yield from _leavers()
    yield from _in_trouble()


# --- answers: when, how often, to what


def _failed(answer: Message) -> Message:
    return {"id": answer["id"], "error": ERROR}


def _as(change: Callable[[Any], object]) -> Callable[[Message], Message]:
    return lambda answer: answer | {"id": change(answer["id"])}


def _something_else(_answer: Message) -> Message:
    return {"method": "initialized"}


_STUB: Final = {"code": -32601, "message": "no handler"}

CALLS: Final[tuple[tuple[str, str, Hooks], ...]] = (
    ("call.answered", "leaves", answered(times=0, leaves=True)),
    ("call.answered", "says nothing", answered(times=0)),
    ("call.answered", "says something else", answered(before=(_something_else,), times=0)),
    ("call.answered-once", "twice", answered(times=2)),
    ("call.answered-once", "three times", answered(times=3)),
    ("call.answered-once", "behind an error", answered(before=(_failed,))),
    ("call.answered-in-time", "after its interrupt", Hooks(call=answer_after_the_interrupt)),
    *(
        ("call.id-exact", name, answered(before=(_as(change),)))
        for name, change in (
            ("as a text", str),
            ("as a fraction", float),
            ("null", lambda _: None),
            ("in a list", lambda number: [number]),
            ("as an object", lambda number: {"id": number}),
            ("false or true", bool),
        )
    ),
    *(
        ("call.known-id", name, answered(before=(_as(change),)))
        for name, change in (
            ("of the future", lambda number: number + 77),
            ("negative", lambda number: -5 - number),
            ("a text", lambda _: "call"),
        )
    ),
    ("call.handled", "not handled", answered(with_members({"error": _STUB}))),
)


def _calls() -> Iterator[Wrong]:
    for rule, name, hooks in CALLS:
        free = name == "behind an error" or rule in ("call.handled", "call.answered-in-time")
        yield Wrong(rule=rule, name=name, hooks=hooks, cassettes=CALLING, free=free)


# --- answers: what is in them


def _answers(examples: int) -> Iterator[Wrong]:
    for rule in CODEX_FAULTS:
        broken = broken_codex_answers(rules=(rule,)).map(attrgetter("members"))
        for number, members in enumerate(drawn(broken, examples), 1):
            hooks = answered(with_members(members))
            yield Wrong(rule=rule, name=f"form {number}", hooks=hooks, cassettes=CALLING, free=True)
    for name, edit in _UNEXPECTED.items():
        yield Wrong(
            rule="response.result-as-expected",
            name=name,
            hooks=answered(edit),
            cassettes=("parallel_calls", "namespaced_tool"),
        )


def drawn(strategy: st.SearchStrategy[Message], examples: int) -> list[Message]:
    """Different examples, the same every time."""
    found: dict[str, Message] = {}

    @settings(max_examples=examples, derandomize=True, database=None, phases=[Phase.generate], deadline=None)
    @given(strategy)
    def collect(members: Message) -> None:
        found[json.dumps(members)] = members

    collect()
    return [*found.values()]


_UNEXPECTED: Final[dict[str, Callable[[Message], object]]] = {
    "not a success": put("result.success", False),
    "another text": put("result.contentItems.0.text", "something else"),
    "no item": put("result.contentItems", []),
    "an empty text": put("result.contentItems.0.text", ""),
    "an item too much": lambda answer: answer["result"]["contentItems"].append(_ITEM),
    "an error": lambda answer: (answer.pop("result"), answer.update({"error": ERROR})),
}
_ITEM: Final = {"type": "inputText", "text": "x"}

CODES: Final = (ABSENT, None, "-32000", 1.5, True, [], {}, 10**30)
TEXTS: Final = (ABSENT, None, 5, True, [], {}, ["x"])


def _errors() -> Iterator[Wrong]:
    for cassette in CALLING:
        for rule, key, values in (
            ("error.code-integer", "code", CODES),
            ("error.message-string", "message", TEXTS),
        ):
            for value in values:
                error = {"code": -32000, "message": "the tool blew up"} | {key: value}
                given_ = {name: each for name, each in error.items() if each is not ABSENT}
                yield Wrong(
                    rule=rule,
                    name=f"{key} {shown(value)}",
                    hooks=answered(before=(_with_error(given_),)),
                    cassettes=(cassette,),
                )


def _with_error(error: Message) -> Callable[[Message], Message]:
    return lambda answer: {"id": answer["id"], "error": error}


TOKENS: Final[tuple[tuple[str, tuple[object, ...]], ...]] = (
    ("result", (None, 5, 1.5, True, "token", [], ["a.b.c"], {})),
    ("result.accessToken", (*_NO_TEXT, "", " ", "token", "a.b", "a..c", "..", "a.b.c.d", ["a.b.c"])),
    ("result.chatgptAccountId", (*_NO_TEXT, 1.5, False, ["org-abc"])),
    ("result.chatgptPlanType", (5, 1.5, True, False, [], {}, ["plus"])),
)


def _refreshes() -> Iterator[Wrong]:
    for name, reply in (
        ("leaves", Answering(times=0, leaves=True)),
        ("says nothing", Answering(times=0)),
        ("says something else", Answering(before=(_something_else,), times=0)),
    ):
        yield Wrong(rule="auth-refresh.answered", name=name, hooks=Hooks(refresh=reply), cassettes=_REFRESH)
    for path, values in TOKENS:
        for value in values:
            yield Wrong(
                rule="auth-refresh.result-shape",
                name=f"{path} {shown(value)}",
                hooks=Hooks(refresh=Answering(edits=(put(path, value),))),
                cassettes=_REFRESH,
            )


# --- who leaves too early


def _leavers() -> Iterator[Wrong]:
    """The client hangs up while a turn runs, and owes nothing: it answered, or was not asked."""
    for members in drawn(codex_answers(), 12):
        yield Wrong(
            rule="behavior.keeps-reading",
            name=f"answers and leaves: {json.dumps(members):.30}",
            hooks=answered(with_members(members), leaves=True),
            cassettes=_ONE_CALL,
            busy=True,
            free=True,
        )
    for cassette in ("plain_turn", "auth_refresh"):
        wrong = Wrong(rule="behavior.keeps-reading", name="", cassettes=(cassette,), busy=True)
        for heard in _resting(play(wrong.played(cassette))):
            yield replace(wrong, name=f"leaves behind message {heard}", leaves=heard)


def _resting(transcript: Transcript) -> Iterator[int]:
    """How many messages a client has read when a turn runs and it has answered all that was asked.

    What the server says at once it has said when the client reads the first of it.
    """
    frames = [each for each in transcript.entries if isinstance(each, Frame)]
    heard, owed, running = 0, 0, False
    for direction, block in groupby(frames, key=lambda frame: frame.direction):
        said = [json.loads(frame.data) for frame in block]
        if direction == "client":
            owed -= sum("method" not in each for each in said)
            continue
        owed += sum("method" in each and "id" in each for each in said)
        heard += len(said)
        methods = [each.get("method") for each in said]
        running = (running or "turn/started" in methods) and "turn/completed" not in methods
        if running and not owed:
            yield heard


# --- when something goes wrong

FAULTS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "fault.refused-initialize": (("rpc-error@request:1", "rpc-error@type:initialize"), ALL),
    "fault.thread-known": (("rpc-error@type:thread/start", "rpc-error@request:2"), ALL[:-1]),
    "fault.not-asked-twice": (("late-answer@request:3", "late-answer@type:turn/start"), _ONE_CALL),
    "fault.nothing-lost": (("late-answer@request:3", "late-answer@type:turn/start"), _ONE_CALL),
    "fault.duplicate-ignored": (("duplicate-answer@request:1", "duplicate-answer@type:initialize"), ALL),
    "fault.eof-noticed": (("eof@type:item/tool/call",), _ONE_CALL),
    "fault.malformed-skipped": (
        ("malformed-line@type:item/tool/call", "malformed-line@request:3"),
        _ONE_CALL,
    ),
}
"""The rule, and the faults and cassettes that make its broken client show."""


def _in_trouble() -> Iterator[Wrong]:
    for rule, (faults, cassettes) in FAULTS.items():
        for fault in faults:
            yield Wrong(
                rule=rule,
                name=f"under {fault}",
                hooks=BROKEN[rule].hooks,
                cassettes=cassettes,
                fault=fault,
            )
