"""Clients of Flow A that are wrong in their returns, or in when they act."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.conformance.broken import NEW_ID
from tests.selftest.flow_a_sessions import CALLING, PLAIN, Mutation, Sessions, put
from tests.selftest.surgery import (
    Change,
    body_of,
    chunks_of,
    edited,
    exchanges,
    left,
    moved,
    numbers_of,
    renumbered,
    replaced,
    with_entries,
    without,
)
from wiretape.flow_a.facts import read_stream
from wiretape.strictjson import ABSENT
from wiretape.testing import DAMAGE
from wiretape.transcript import Chunk, Response, Transcript

Body = dict[str, Any]
_READ: Final = "result-shape"
"""What the model reads in a result is asked where the cassette does not say what it must be."""
_ECHOES: Final = ("alefita_way", "alefita_way_functions_recipient", "alefita_way_split_arguments")


def return_mutations(sessions: Sessions, *, examples: int = 6) -> Iterator[Mutation]:
    """Each fault of ``wiretape.testing.DAMAGE`` in this many forms, and those that need a whole session."""
    for session in CALLING:
        for rule in DAMAGE:
            for number, body in enumerate(damaged(sessions[session], [rule], examples), 1):
                yield Mutation(
                    rule=f"return.{rule}",
                    name=f"form {number}",
                    change=partial(with_return, body=body, expect=rule != _READ),
                    session=session,
                )
        for name, change, rule in _SESSIONS:
            yield Mutation(rule=rule, name=name, change=change, session=session)
    for session in _ECHOES:
        for result in ("done", 5, None, ABSENT, [], {}, True):
            yield Mutation(
                rule="return.result-as-expected",
                name=f"{result!r:.10}",
                change=_with_message(lambda _text, result=result: result),
                session=session,
            )


def damaged(transcript: Transcript, rules: Sequence[str], examples: int) -> list[Body]:
    """The return's body, wrong in these points, in different forms."""
    right = body_of(transcript, numbers_of(transcript, "return")[0])
    name = right["messages"][0]["author"]["name"]
    call = {"id": right["parent_message_id"], "recipient": f"local.{name}"}
    found: dict[str, Body] = {}

    @settings(max_examples=examples, derandomize=True, database=None, phases=[Phase.generate], deadline=None)
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        body = deepcopy(right)
        for rule in rules:
            DAMAGE[rule](data.draw, body, call)
        found[json.dumps(body)] = body

    collect()
    return [*found.values()]


def with_return(transcript: Transcript, *, body: Body, expect: bool = True) -> Transcript:
    """Another body for the return. Without ``expect`` nobody says what the tool gives."""
    number = numbers_of(transcript, "return")[0]
    changed = replaced(transcript, number, body=json.dumps(body).encode())
    return changed if expect else replace(changed, expect={})


def _with_message(change: Callable[[str], object]) -> Change:
    """Change the message of the result in the return's text."""

    def edit(body: Body) -> None:
        content = body["messages"][0]["content"]
        text = json.loads(content["text"])
        put("result.message", change(text["result"]["message"]))(text)
        content["text"] = json.dumps(text)

    return edited("return", edit)


# --- the whole session


def _block(transcript: Transcript) -> list[int]:
    """The return's requests: challenge, prepare, and itself."""
    number = numbers_of(transcript, "return")[0]
    return [number - 2, number - 1, number]


def _unreturned(transcript: Transcript) -> Transcript:
    return without(transcript, _block(transcript))


def _returned_again(transcript: Transcript, times: int = 1) -> Transcript:
    block = exchanges(transcript, _block(transcript))
    again = (renumbered(block, lambda number, by=3 * time: number + by) for time in range(1, times + 1))
    return with_entries(transcript, [*transcript.entries, *chain.from_iterable(again)])


def _old_challenge(transcript: Transcript) -> Transcript:
    turn, answer = numbers_of(transcript, "turn")[0], numbers_of(transcript, "return")[0]
    spent = body_of(transcript, turn)["app_attest_challenge"]
    return edited("return", put("app_attest_challenge", spent))(without(transcript, [answer - 2]))


def _unprepared(transcript: Transcript) -> Transcript:
    return without(transcript, [numbers_of(transcript, "prepare return")[0]])


_SESSIONS: Final[tuple[tuple[str, Change, str], ...]] = (
    ("no return", _unreturned, "return.exactly-once"),
    ("two returns", _returned_again, "return.exactly-once"),
    ("four returns", partial(_returned_again, times=3), "return.exactly-once"),
    ("the turn's challenge again", _old_challenge, "return.fresh-challenge"),
    ("no prepare", _unprepared, "return.fresh-prepare"),
)


# --- behaviour


def behavior_mutations(sessions: Sessions) -> Iterator[Mutation]:
    for session in (*CALLING, *PLAIN):
        transcript = sessions[session]
        for kind in ("turn", "return"):
            for number in numbers_of(transcript, kind)[:1]:
                yield from _early_leavers(session, transcript, number)
    for session in CALLING:
        yield from _early_returns(session, sessions[session])
    for session in _ECHOES:
        yield from _damaged_arguments(session, sessions[session])
    yield from _unasked(sessions)


def _early_leavers(session: str, transcript: Transcript, number: int) -> Iterator[Mutation]:
    """The client leaves behind each write after the call was complete, up to the last before [DONE]."""
    facts = read_stream(_answer(transcript, number).body.bytes())
    complete = max((call.closed or 0 for call in facts.calls), default=0)
    for place in chunks_of(transcript, number):
        written = transcript.entries[place]
        assert isinstance(written, Chunk)
        if complete <= written.stop < (facts.done_at or 0):
            yield Mutation(
                rule="behavior.reads-to-end",
                name=f"answer {number}: leaves behind byte {written.stop}",
                change=partial(left, number=number, place=place),
                session=session,
            )


def _answer(transcript: Transcript, number: int) -> Response:
    return next(each for each in transcript.entries if isinstance(each, Response) and each.number == number)


def _early_returns(session: str, transcript: Transcript) -> Iterator[Mutation]:
    """The return comes in front of each write between the call's first and the one that completes it."""
    turn = numbers_of(transcript, "turn")[0]
    (call,) = read_stream(_answer(transcript, turn).body.bytes()).calls
    before = 0
    for place in chunks_of(transcript, turn):
        written = transcript.entries[place]
        assert isinstance(written, Chunk)
        if call.opened <= before and before < (call.closed or 0):
            yield Mutation(
                rule="behavior.waits-for-complete-call",
                name=f"returns behind byte {before}",
                change=partial(moved, numbers=_block(transcript), place=place),
                session=session,
            )
        before = written.stop


def _damaged_arguments(session: str, transcript: Transcript) -> Iterator[Mutation]:
    (call,) = read_stream(_answer(transcript, numbers_of(transcript, "turn")[0]).body.bytes()).calls
    right = json.loads(call.text)["message"]
    for name, wrong in [*_damages(right), ("the arguments themselves", call.text)]:
        if wrong != right:
            yield Mutation(
                rule="behavior.arguments-intact",
                name=name,
                change=_with_message(lambda _right, wrong=wrong: wrong),
                session=session,
            )


def _damages(text: str) -> Iterator[tuple[str, str]]:
    """What clients were seen to make of a text."""
    data = text.encode()
    yield "read as Latin-1", data.decode("latin-1")
    yield "read as Windows-1252", data.decode("cp1252", "replace")
    yield "question marks", text.encode("ascii", "replace").decode()
    yield "escapes left in", json.dumps(text)[1:-1]
    yield "quotes left on", json.dumps(text)
    yield "halves of characters", text + "\ud83d"
    yield "twice", text * 2
    yield "three times", text * 3
    for size in (5, 16, 27):
        pieces = (data[at : at + size].decode(errors="replace") for at in range(0, len(data), size))
        yield f"decoded in pieces of {size} bytes", "".join(pieces)
    for at in range(1, len(text), 3):
        yield f"its first {at} characters", text[:at]
        yield f"without its first {at} characters", text[at:]


def _unasked(sessions: Sessions) -> Iterator[Mutation]:
    """A return is grafted on sessions in which nothing waits for one."""
    donor = sessions["alefita_way"]
    for session, rule in (
        ("plain_answer", "behavior.no-unsolicited-return"),
        ("server_tool", "behavior.only-local-recipients"),
    ):
        facts = read_stream(_answer(sessions[session], 3).body.bytes())
        for message_id in (*facts.message_ids, NEW_ID):
            for name, left_out in _REFERENCES.items():
                ids = {"conversation_id": facts.conversation_id, "parent_message_id": message_id}
                yield Mutation(
                    rule=rule,
                    name=f"a return to {message_id} by {name}",
                    change=partial(_grafted, donor=donor, ids=ids, left_out=left_out),
                    session=session,
                )


_REFERENCES: Final = {
    "parent and conversation": "",
    "parent alone": "conversation_id",
    "conversation alone": "parent_message_id",
}
"""What a return refers to, and what it leaves out."""


def _grafted(transcript: Transcript, *, donor: Transcript, ids: Body, left_out: str) -> Transcript:
    """The donor's return behind this session, referring to what stands here."""
    known = bool(read_stream(_answer(transcript, 3).body.bytes()).server_calls)
    named = ids | ({left_out: ABSENT} if left_out else {})
    prepared = ids if known else named  # where it can be told, a prepare names the right conversation
    donor = edited("prepare return", put("conversation_id", prepared["conversation_id"]))(donor)
    for key, value in named.items():
        donor = edited("return", put(key, value))(donor)
    return with_entries(transcript, [*transcript.entries, *exchanges(donor, _block(donor))])
