"""Drift between two Flow A sessions: none for another session, exactly that for every change of the wire."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.unit.drift_sessions import CODEX, TAPE, again, drifts, edited, told
from wiretape import load_cassette
from wiretape.cassette import Cassette, Chunks, Interaction, RecordedResponse, bundled
from wiretape.drift import compare
from wiretape.transcript import Entry, Request
from wiretape.verdict import transcript_of


@pytest.mark.parametrize("name", [f"{each}/{name}" for each in ("flow_a", "codex") for name in bundled(each)])
def test_another_session_of_the_same_scenario_is_no_drift(name: str) -> None:
    cassette = load_cassette(name)
    assert drifts(cassette, again(cassette)) == []


def swap(old: str, new: str, *, number: int | None = None) -> Cassette:
    """Another session whose text differs at one place."""
    assert any(old.encode() in each.response.body + each.request.body for each in TAPE.interactions)
    return again(edited(TAPE, lambda data: data.replace(old.encode(), new.encode(), 1), number=number))


def test_a_changed_member_is_told_once_with_both_values() -> None:
    (drift,) = drifts(TAPE, swap('"default_model_slug": "gpt-5-6-thinking"', '"default_model_slug": "gpt-6"'))
    assert told([drift]) == [("changed", "field", "conversation_detail_metadata", "default_model_slug")]
    assert (drift.was, drift.now) == ("gpt-5-6-thinking", "gpt-6")
    assert drift.old_at == drift.new_at == "answer 2, event 16"


TO_ALL, TO_TOOL = "message of assistant to all", "message of assistant to local.alefita_way"
METADATA = "server_ste_metadata"


@pytest.mark.parametrize(
    ("number", "old", "new", "expected"),
    [
        (0, '"kind": "topic", ', "", ("gone", "resume_conversation_token", "kind")),
        (0, '"kind": "topic", ', '"kind": "topic", "x": 1, ', ("new", "resume_conversation_token", "x")),
        (1, '"plan_type": "plus"', '"plan_type": null', ("changed", METADATA, "metadata.plan_type")),
        (1, '"tool_invoked": true', '"tool_invoked": 1', ("changed", METADATA, "metadata.tool_invoked")),
        (0, '"language": "json", ', "", ("gone", TO_TOOL, "message.content.language")),
        (1, "Mouse first appeared", "first appeared", ("changed", TO_ALL, "message.content.parts[0]")),
        (0, '"v": "finished_successfully"', '"v": "done"', ("changed", TO_TOOL, "message.status")),
    ],
)
def test_each_change_of_a_member_is_told_and_nothing_else(
    number: int, old: str, new: str, expected: tuple[str, str, str]
) -> None:
    found = told(drifts(TAPE, swap(old, new, number=number)))
    assert [(kind, message, path) for kind, _, message, path in found] == [expected]


def test_how_a_message_begins_is_compared_too() -> None:
    new = swap('"status": "in_progress"', '"status": "finished_successfully"', number=0)
    assert {(kind, message) for kind, _, message, _ in told(drifts(TAPE, new))} == {
        ("gone", "delta add (in_progress)"),
        ("new", "delta add (finished_successfully)"),
    }


def test_a_member_inside_a_returns_text_has_a_path_of_its_own() -> None:
    (drift,) = drifts(TAPE, swap('\\"tool\\": \\"alefita_way\\"', '\\"tool\\": \\"other\\"', number=1))
    assert (drift.path, drift.was, drift.now) == ("messages[0].content.text.tool", "alefita_way", "other")


def inserted(event: str, *, before: str) -> Cassette:
    return swap(before, event + before)


def test_a_new_type_of_event_is_told_as_such() -> None:
    new = inserted('data: {"type": "surprise", "a": 1}\n\n', before='data: {"type": "title_generation"')
    assert told(drifts(TAPE, new)) == [("new", "message type", "surprise", "")]
    assert told(drifts(new, TAPE)) == [("gone", "message type", "surprise", "")]


def test_one_more_event_of_a_known_type_is_told_as_a_message() -> None:
    event = 'data: {"type": "title_generation", "title": "Alefita way and Mickey Mouse"}\n\n'
    new = inserted(event, before='data: {"type": "message_stream_complete"')
    assert ("new", "message", "title_generation", "") in told(drifts(TAPE, new))


def test_a_new_named_event_and_an_error_are_told() -> None:
    new = inserted(
        "event: odd\ndata: 1\n\nevent: delta\ndata: {\n\n", before='data: {"type": "message_stream_complete"'
    )
    assert told(drifts(TAPE, edited(new, bytes, number=0)))[:2] == [
        ("new", "message type", "odd", ""),
        ("new", "message type", "error: invalid_json", ""),
    ]


def test_pings_come_by_the_clock_and_are_no_drift() -> None:
    new = inserted(
        "event: ping\ndata: x\n\n: a comment\n\n", before='data: {"type": "message_stream_complete"'
    )
    assert drifts(TAPE, new) == []


def test_another_order_is_told_as_one_move() -> None:
    body = TAPE.interactions[1].response.body
    title = next(each for each in body.split(b"\n\n") if b"title_generation" in each) + b"\n\n"
    done = b"data: [DONE]"
    new = again(edited(TAPE, lambda data: data.replace(title, b"").replace(done, title + done, 1), number=1))
    (drift,) = drifts(TAPE, new)
    assert told([drift]) == [("moved", "message", "title_generation", "")]
    assert (drift.old_at, drift.new_at) == ("answer 2, event 11", "answer 2, event 16")


def test_how_a_text_is_cut_into_deltas_is_no_drift() -> None:
    whole = 'data: {"p": "/message/content/parts/0", "o": "append", "v": "I executed"}'
    halves = whole.replace("executed", "exe") + '\n\nevent: delta\ndata: {"v": "cuted"}'
    assert drifts(TAPE, swap(whole, halves)) == []


def test_cuts_and_delays_are_no_drift() -> None:
    def cut(each: Interaction) -> Interaction:
        size = len(each.response.body)
        return replace(each, response=replace(each.response, chunks=Chunks(delays=(1.0,), lengths=(size,))))

    assert drifts(TAPE, replace(TAPE, interactions=tuple(map(cut, TAPE.interactions)))) == []


def with_headers(edit: Callable[[dict[str, str]], dict[str, str]]) -> Cassette:
    first, *others = TAPE.interactions
    headers = edit(dict(first.response.headers))
    first = replace(first, response=replace(first.response, headers=headers))
    return replace(TAPE, interactions=(first, *others))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda h: {k: v for k, v in h.items() if k != "cache-control"}, ("gone", "header", "cache-control")),
        (lambda h: h | {"X-New": "1"}, ("new", "header", "x-new")),
        (lambda h: h | {"cache-control": "private"}, ("changed", "header", "cache-control")),
    ],
)
def test_each_change_of_a_header_is_told(
    edit: Callable[[dict[str, str]], dict[str, str]], expected: tuple[str, str, str]
) -> None:
    assert [(d.kind, d.what, d.path) for d in drifts(TAPE, with_headers(edit))] == [expected]


def test_a_header_is_the_same_in_any_case_and_with_another_date_or_token() -> None:
    old = with_headers(lambda h: h | {"date": "Mon", "x-request-id": "abc-12345"})
    new = with_headers(
        lambda h: {k.upper(): v for k, v in h.items()} | {"Date": "Tue", "x-request-id": "def-98765"}
    )
    assert drifts(old, new) == []


def test_a_placeholder_stands_for_any_token() -> None:
    tokens = iter(("one-0123456789", "two-0123456789"))
    new = [replace(each, response=with_token(each, next(tokens))) for each in TAPE.interactions]
    assert drifts(TAPE, replace(TAPE, interactions=tuple(new))) == []
    assert drifts(replace(TAPE, interactions=tuple(new)), TAPE) == []


def with_token(each: Interaction, token: str) -> RecordedResponse:
    return replace(each.response, headers=dict(each.response.headers) | {"x-conduit-token": token})


def test_an_id_that_no_longer_stands_for_the_same_thing_is_drift() -> None:
    call = "b6d6e3a6-af6f-4a78-a649-8e3935182fcc"
    new = edited(
        TAPE,
        lambda data: data.replace(
            f'call_id\\": \\"{call}'.encode(), b'call_id\\": \\"' + str(uuid.uuid4()).encode()
        ),
        number=1,
    )
    assert told(drifts(TAPE, again(new))) == [
        ("changed", "field", "POST /backend-api/f/conversation (tool)", "messages[0].content.text.call_id")
    ]


def test_an_exchange_more_or_less_is_told_once() -> None:
    shorter = replace(TAPE, interactions=TAPE.interactions[:1])
    label = "POST /backend-api/f/conversation (tool)"
    assert told(drifts(TAPE, shorter)) == [("gone", "exchange", label, "")]
    assert told(drifts(shorter, TAPE)) == [("new", "exchange", label, "")]


def test_another_status_and_another_end_are_told() -> None:
    first, *others = TAPE.interactions
    response = replace(first.response, status=500, end="reset")
    new = replace(TAPE, interactions=(replace(first, response=response), *others))
    assert [(d.path, d.was, d.now) for d in drifts(TAPE, new)] == [
        ("status", 200, 500),
        ("end", "complete", "reset"),
    ]


def answered(body: bytes, *, kind: str = "application/json") -> Cassette:
    """The cassette with another first answer."""
    first, *others = TAPE.interactions
    response = replace(first.response, headers={"content-type": kind}, body=body, chunks=None)
    return replace(TAPE, interactions=(replace(first, response=response), *others))


def test_a_body_that_is_no_stream_is_compared_as_json() -> None:
    (drift,) = drifts(answered(b'{"detail": {"a": 1}}'), answered(b'{"detail": {"a": 2}}'))
    assert (drift.path, drift.was, drift.now) == ("body.detail.a", 1, 2)
    assert drifts(answered(b"<a>"), answered(b"<b>")) != []


def test_the_same_change_of_many_messages_is_one_drift_with_its_count() -> None:
    new = edited(
        TAPE,
        lambda data: data.replace(b'{"type": "message_marker", ', b'{"type": "message_marker", "x": 1, '),
    )
    (drift,) = drifts(TAPE, new)
    assert (drift.path, drift.count) == ("x", 3)


def test_the_shape_alone_may_be_compared() -> None:
    new = swap("Mickey Mouse first appeared", "Somebody else once appeared", number=1)
    assert drifts(TAPE, new) != []
    assert drifts(TAPE, new, shape=True) == []
    assert drifts(TAPE, swap('"plan_type": "plus"', '"plan_type": null'), shape=True) != []
    assert drifts(TAPE, swap('"plan_type": "plus", ', ""), shape=True) != []
    assert drifts(TAPE, swap('"tool_invoked": true', '"tool_invoked": false'), shape=True) == []


def test_a_classic_envelope_is_compared_beside_its_message() -> None:
    message = '{"id": "m1", "author": {"role": "assistant"}, "content": {"parts": ["a"]}}'
    old = answered(f'data: {{"message": {message}, "error": null}}\n\n'.encode(), kind="text/event-stream")
    new = answered(f'data: {{"message": {message}, "error": "x"}}\n\n'.encode(), kind="text/event-stream")
    assert told(drifts(old, new)) == [("changed", "field", "message envelope", "error")]


def test_a_text_that_only_looks_like_json_is_compared_as_text() -> None:
    old, new = (answered(b'{"a": "{half %d"}' % number) for number in (1, 2))
    assert told(drifts(old, new)) == [
        ("changed", "field", "answer to POST /backend-api/f/conversation (user)", "body.a")
    ]
    assert drifts(old, old) == []


def test_a_request_that_was_not_answered_is_compared_without_an_answer() -> None:
    old, new = transcript_of(TAPE), transcript_of(TAPE)
    new.entries = [entry for entry in new.entries if isinstance(entry, Request)]
    assert {each.kind for each in compare(old, new)} == {"gone"}


def test_two_protocols_can_not_be_compared() -> None:
    with pytest.raises(ValueError, match="two sessions of one protocol"):
        drifts(TAPE, CODEX)


class CountedEntries(list[Entry]):
    """Entries that count how often they are gone through."""

    rounds = 0

    def __iter__(self) -> Iterator[Entry]:
        self.rounds += 1
        return super().__iter__()


def test_long_sessions_are_gone_through_as_often_as_short_ones() -> None:
    rounds = []
    for count in (1, 30):
        session = transcript_of(replace(TAPE, interactions=TAPE.interactions * count))
        session.entries = entries = CountedEntries(session.entries)
        compare(session, session)
        rounds.append(entries.rounds)
    assert rounds[0] == rounds[1]
