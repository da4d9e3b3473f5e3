"""What holds of redaction whatever is redacted."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.flow_a_wire import CONVERSATION, Wire, answer_stream, call_stream, tool_return, user_turn
from tests.unit.planted import BY_NAME, BY_SHAPE, split, stream
from tests.unit.test_redaction_for_now import File
from tests.unit.test_redaction_streams import fed
from wiretape.cassette import Cassette, Expect, Interaction, Provenance, RecordedRequest, RecordedResponse
from wiretape.flow_a.stream import decode
from wiretape.redaction import Redactor
from wiretape.sse import EventStreamDecoder
from wiretape.transcript import Request, Response
from wiretape.verdict import verify

WORDS = st.one_of(
    st.sampled_from([*BY_SHAPE.values(), *BY_NAME.values(), "/home/jdoe/x", "wss://a.example/x?t=Abc123"]),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=12),
)
TEXTS = st.lists(WORDS, max_size=4).map(" ".join)
KEYS = st.one_of(st.sampled_from([*BY_NAME, "v", "p", "id"]), st.text(max_size=5))
VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers(-999, 999),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3) | inner.map(json.dumps)
    ),
    max_leaves=8,
)
DELTAS = st.lists(st.tuples(TEXTS, st.integers(1, 7)), min_size=1, max_size=4)


def streamed(parts: list[tuple[str, int]]) -> bytes:
    deltas: list[dict[str, object]] = []
    for text, size in parts:
        deltas += [
            {"p": "/message/content/parts/0", "o": "append", "v": piece} for piece in split(text, size)
        ]
    return stream(*deltas)


@given(VALUES)
def test_json_stays_json_of_the_same_length_and_redacting_twice_is_redacting_once(value: object) -> None:
    data = json.dumps(value).encode()
    hidden = Redactor().body(data)
    assert len(hidden) == len(data)
    assert type(json.loads(hidden)) is type(value)
    assert Redactor().body(hidden) == hidden


@given(st.binary(max_size=60))
def test_bytes_of_any_sort_keep_their_length(data: bytes) -> None:
    hidden = Redactor().body(data)
    assert len(hidden) == len(data)
    assert Redactor().body(hidden) == hidden


@given(DELTAS, st.integers(1, 200))
def test_a_stream_keeps_its_events_however_it_is_cut(parts: list[tuple[str, int]], size: int) -> None:
    data = streamed(parts)
    hidden_in_pieces = fed(data, size)
    whole = Redactor().body(data)
    for hidden in (hidden_in_pieces, whole):
        assert len(hidden) == len(data)
        assert decode(hidden)["errors"] == decode(data)["errors"]
        events = [len(event.data.encode()) for event in EventStreamDecoder().feed(data)]
        assert [len(event.data.encode()) for event in EventStreamDecoder().feed(hidden)] == events
    assert Redactor().body(whole) == whole


def cut(text: str, sizes: list[int]) -> bytes:
    """A stream in which a text grows by pieces of these sizes, in turn."""
    at, deltas = 0, []
    while at < len(text):
        step = sizes[len(deltas) % len(sizes)]
        deltas.append({"p": "/message/content/parts/0", "o": "append", "v": text[at : at + step]})
        at += step
    return stream(*deltas)


@given(
    st.sampled_from(sorted(BY_SHAPE)),
    st.lists(st.integers(1, 9), min_size=1, max_size=30),
    st.integers(1, 99),
)
def test_no_cut_of_deltas_or_chunks_lets_a_secret_through(kind: str, sizes: list[int], size: int) -> None:
    data = cut(f"it is {BY_SHAPE[kind]} now", sizes)
    said = decode(fed(data, size))["values"]["0"]["message"]["content"]["parts"][0]
    assert said.startswith("it is ")
    assert BY_SHAPE[kind] not in said


@given(
    st.sampled_from(sorted(BY_SHAPE)),
    st.lists(st.integers(1, 9), min_size=1, max_size=30),
    st.integers(1, 99),
)
def test_what_stands_in_a_file_for_now_shows_at_no_moment_a_part_of_a_secret(
    kind: str, sizes: list[int], size: int
) -> None:
    text = f"it is {BY_SHAPE[kind]} now"
    data = cut(text, sizes)
    secret = [
        at for at, (raw, new) in enumerate(zip(text, said(Redactor().body(data)), strict=True)) if raw != new
    ]
    file = File(Redactor())
    moments = [file.feed(data[begin : begin + size]) for begin in range(0, len(data), size)]
    for shown in map(said, [*moments, file.close()]):
        same = ["x" if text[at].isalnum() and shown[at : at + 1] == text[at] else " " for at in secret]
        assert "xxx" not in "".join(same)


def said(data: bytes) -> str:
    """The text that a stream adds up to."""
    value = decode(data)["values"].get("0")
    return value["message"]["content"]["parts"][0] if value else ""


@given(st.sampled_from(["", "challenge", "conduit", "result"]), st.sampled_from(["eco", *BY_SHAPE.values()]))
def test_a_redacted_session_draws_the_same_verdict(fault: str, said: str) -> None:
    raw = recorded(fault, said)
    hidden = Redactor().cassette(raw)
    assert hidden != raw
    verdict = [(finding.rule, finding.outcome, finding.path) for finding in verify(raw).findings]
    assert [(finding.rule, finding.outcome, finding.path) for finding in verify(hidden).findings] == verdict
    failed = {rule for rule, outcome, _ in verdict if outcome == "fail"}
    assert failed == ({FAULTS[fault]} if fault else set())


FAULTS = {
    "challenge": "flow_a.return.fresh-challenge",
    "conduit": "flow_a.request.conduit-token-carried",
    "result": "flow_a.return.result-as-expected",
}


def recorded(fault: str, said: str) -> Cassette:
    """A session with challenges, prepares and a call, as it is recorded, and with a fault."""
    wire = Wire(expect={"results": {"alefita_way": "echo"}})
    first = wire.challenge()
    wire.prepare()
    wire.stream(wire.send(user_turn(app_attest_challenge=first)), call_stream(json.dumps({"message": said})))
    second = wire.challenge()
    wire.prepare(conversation_id=CONVERSATION)
    wire.token = "another-token" if fault == "conduit" else wire.token
    result = {"message": "no" if fault == "result" else said}
    challenge = first if fault == "challenge" else second
    wire.stream(wire.send(tool_return(result, app_attest_challenge=challenge)), answer_stream())
    answers = [entry for entry in wire.transcript.entries if isinstance(entry, Response)]
    requests = [entry for entry in wire.transcript.entries if isinstance(entry, Request)]
    return Cassette(
        protocol="flow_a",
        provenance=Provenance(kind="recorded"),
        expect=Expect(results=wire.transcript.expect["results"]),
        interactions=tuple(
            Interaction(
                request=RecordedRequest(
                    method=sent.method, path=sent.path, headers=dict(sent.headers), body=sent.body
                ),
                response=RecordedResponse(
                    status=got.status, headers=dict(got.headers), body=got.body.bytes()
                ),
            )
            for sent, got in zip(requests, answers, strict=True)
        ),
    )
