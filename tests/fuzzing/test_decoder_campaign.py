"""The attack on decoders finds what was planted, makes it small, and finds nothing in the reference."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis.database import InMemoryExampleDatabase

from tests.fuzzing.planted import PLANTED, reference
from wiretape.cassette import dumps, loads
from wiretape.flow_a.stream import decode
from wiretape.fuzzing import (
    KINDS,
    Campaign,
    Difference,
    Find,
    RefusedError,
    Tally,
    cassette,
    difference,
    vector,
)
from wiretape.sse import EventStreamDecoder
from wiretape.strictjson import equal

Decoder = Callable[[bytes], Any]


def final(decoder: Decoder, **options: Any) -> dict[str, Tally[bytes, Difference]]:
    def judge(data: bytes) -> Difference | None:
        return difference(decoder, data, "exact")

    campaign = Campaign(judge=judge, **{"kinds": KINDS, "max_examples": 500} | options)
    return {tally.kind.name: tally for tally in campaign.run()}


def found(decoder: Decoder, *kinds: str, **options: Any) -> list[Find]:
    chosen = [kind for kind in KINDS if kind.name in kinds]
    return [
        Find(kind=name, about=tally.kind.about, contract="exact", difference=tally.found)
        for name, tally in final(decoder, kinds=chosen, **options).items()
        if tally.found
    ]


def right(data: bytes) -> Any:
    return decode(data)["messages"]


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found_where_it_lies_and_made_small(name: str) -> None:
    decoder, kinds = PLANTED[name]
    finds = found(decoder, *kinds)
    assert {find.kind for find in finds} == kinds
    for find in finds:
        deltas = [each for each in EventStreamDecoder().feed(find.difference.data) if each.event == "delta"]
        assert len(deltas) <= 3
        assert len(find.difference.data) < 600
        assert not equal(find.difference.got, find.difference.want)


def test_nothing_is_found_in_the_reference() -> None:
    tallies = final(right, max_examples=50)
    assert {name: tally.examples for name, tally in tallies.items()} == {kind.name: 50 for kind in KINDS}
    assert [tally.found for tally in tallies.values() if tally.found] == []


def test_the_frame_of_the_planted_decoders_is_right_itself() -> None:
    assert found(reference, "inheritance", "announced-again", "faulty", max_examples=50) == []


def test_the_same_seed_draws_the_same_streams() -> None:
    drawn: list[list[bytes]] = [[], [], []]
    for seen, seed in zip(drawn, (1, 1, 2), strict=True):

        def watched(data: bytes, seen: list[bytes] = seen) -> Any:
            seen.append(data)
            return right(data)

        found(watched, "text", "patch", seed=seed, max_examples=30)
    assert drawn[0] == drawn[1] != drawn[2]


def test_no_stream_is_tried_when_time_is_up() -> None:
    tried: list[bytes] = []
    assert found(lambda data: tried.append(data), "text", expired=lambda: True) == []
    assert tried == []


def test_what_was_found_stays_found_when_time_ends_while_it_is_made_smaller() -> None:
    tried: list[bytes] = []

    def always_wrong(data: bytes) -> Any:
        tried.append(data)
        return "no list"

    finds = found(always_wrong, "text", expired=lambda: len(tried) > 2)
    assert len(finds) == 1
    assert finds[0].difference.data in tried
    assert len(tried) <= 4


def test_examples_of_an_earlier_run_count() -> None:
    tried: list[bytes] = []
    found(lambda data: tried.append(data) or right(data), "text", max_examples=60, done={"text": 50})
    assert 0 < len(tried) <= 10


def test_what_failed_once_is_tried_first() -> None:
    database = InMemoryExampleDatabase()
    decoder, _ = PLANTED["code points"]
    first = found(decoder, "truncate-text", database=lambda _: database)
    again = found(decoder, "truncate-text", database=lambda _: database, max_examples=1, seed=99)
    assert [find.difference.data for find in again] == [find.difference.data for find in first] != []


def refuse(_data: bytes) -> Any:
    raise RefusedError("no thanks")


FAULTY = b'event: delta\ndata: {"v":{"message":{"id":"m"}}}\n\ndata: [DONE]\n\n'
SOUND = b'event: delta_encoding\ndata: "v1"\n\n' + FAULTY


def test_a_faulty_stream_may_be_refused_and_a_sound_one_may_not() -> None:
    assert difference(refuse, FAULTY, "exact") is None
    refused = difference(refuse, SOUND, "exact")
    assert refused is not None
    assert refused.refusal == "no thanks"
    assert difference(refuse, SOUND, "lenient") is not None


def test_what_comes_out_of_a_faulty_stream_is_free_in_the_lenient_contract_only() -> None:
    def invents(_data: bytes) -> Any:
        return [{"id": "x"}]

    assert difference(invents, FAULTY, "lenient") is None
    assert difference(invents, FAULTY, "exact") is not None
    assert difference(invents, SOUND, "lenient") is not None


@pytest.mark.parametrize("got", [None, "text", {}, [{"id": "m", "n": 1}], [{"id": True}]])
def test_whatever_is_no_list_of_the_right_messages_is_a_difference(got: Any) -> None:
    assert difference(lambda _: got, SOUND, "exact") is not None
    assert difference(right, SOUND, "exact") is None


def test_a_find_is_a_vector_and_a_cassette_with_the_same_stream() -> None:
    (find,) = found(PLANTED["no truncate"][0], "truncate-text")
    written = vector(find)
    assert base64.b64decode(written["sse_base64"]) == find.difference.data
    assert written["expected"] == {"messages": find.difference.want, "errors": []}
    assert written["got"] == {"messages": find.difference.got}
    kept = cassette(find, tool="test")
    assert loads(dumps(kept)) == kept
    assert kept.interactions[0].response.body == find.difference.data
    assert kept.provenance.kind == "synthetic"


def test_a_refusal_stands_in_the_vector_as_an_error() -> None:
    (find,) = found(refuse, "text")
    assert vector(find)["got"] == {"error": "no thanks"}
    assert vector(replace(find, contract="lenient"))["contract"] == "lenient"
