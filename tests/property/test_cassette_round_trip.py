"""Cassettes of arbitrary bytes and values come back as they were, whichever way they are read."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from wiretape import strictjson
from wiretape.cassette import (
    Cassette,
    CassetteError,
    Chunks,
    ClientStep,
    Expect,
    Interaction,
    ModelCall,
    ModelError,
    ModelText,
    Provenance,
    RecordedFrame,
    RecordedRequest,
    RecordedResponse,
    Step,
    document,
    dumps,
    loads,
    plain_yaml,
)

# Everything that YAML treats specially, so that generated text meets it often.
ODD = [
    "\n",
    "\r",
    "\t",
    " ",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ufffe",
    "\x00",
    "\x7f",
    "\xa0",
    "\U0001f600",
]
ODD += [
    "#",
    ": ",
    "- ",
    "---",
    "...",
    "'",
    '"',
    "\\",
    "|",
    "%",
    "&a",
    "!t",
    "\n\n",
    "\n      ",
    "    body: |+\n",
]

texts = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=4)), max_size=8).map("".join)
bodies = st.one_of(texts.map(str.encode), st.binary(max_size=40))
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
objects = st.dictionaries(texts, json_values, max_size=3)
headers = st.dictionaries(texts, texts, max_size=2)
delays = st.integers(0, 10**9).map(lambda microseconds: microseconds / 1000)


@st.composite
def responses(draw: st.DrawFn) -> RecordedResponse:
    body = draw(bodies)
    marks = sorted(draw(st.sets(st.integers(1, max(1, len(body) - 1)), max_size=4)) - {len(body)})
    bounds = [0, *(mark for mark in marks if mark < len(body)), len(body)] if body else []
    lengths = [end - start for start, end in pairwise(bounds)]
    table = Chunks(delays=tuple(draw(delays) for _ in lengths), lengths=tuple(lengths))
    return RecordedResponse(
        status=draw(st.integers(100, 599)),
        headers=draw(headers),
        body=body,
        chunks=draw(st.sampled_from([table, None])),
        end=draw(st.sampled_from(["complete", "reset", "hang"])),
    )


requests = st.builds(
    RecordedRequest,
    method=st.sampled_from(["GET", "POST"]),
    path=st.sampled_from(["/", "/backend-api/f/conversation", "/a?b=c#d:e"]),
    headers=headers,
    body=bodies,
)
provenances = st.builds(
    Provenance,
    kind=st.sampled_from(["recorded", "reconstructed", "synthetic"]),
    captured_at=st.none() | texts,
    tool=st.none() | texts,
    basis=st.lists(texts, max_size=2).map(tuple),
    gaps=st.lists(texts, max_size=2).map(tuple),
)
expects = st.builds(
    Expect,
    user_message=st.none() | texts,
    tools=st.lists(objects, max_size=2).map(tuple),
    results=st.dictionaries(texts, objects | st.just("echo"), max_size=2),
    rules=st.lists(texts, max_size=2).map(tuple),
)
items = st.one_of(
    st.builds(ModelText, text=texts, id=texts),
    st.lists(texts, min_size=1, max_size=3).map(
        lambda pieces: ModelText(text="".join(pieces), deltas=tuple(pieces))
    ),
    st.builds(
        ModelCall,
        id=texts,
        tool=texts,
        arguments=texts | json_values.map(json.dumps) | json_values.map(strictjson.dumps),
        namespace=st.none() | texts,
    ),
)
steps = st.one_of(
    st.builds(Step, items=st.lists(items, max_size=2).map(tuple)),
    st.just(Step(wait="until_interrupt")),
    st.builds(Step, error=st.builds(ModelError, status=st.integers(100, 599), body=texts)),
)
client_steps = st.one_of(
    st.builds(ClientStep, do=st.sampled_from(["login", "turn", "interrupt"]), value=texts),
    st.just(ClientStep(do="resume", value="process")),
)
frames = st.builds(
    RecordedFrame,
    direction=st.sampled_from(["client", "server"]),
    delay=delays,
    data=bodies | json_values.map(strictjson.dumps).map(str.encode),
    connection=st.sampled_from(["", "c2", "A-_9"]),
)
common = {
    "title": texts,
    "profile": texts,
    "provenance": provenances,
    "expect": expects,
    "extensions": st.dictionaries(texts.map("x-{}".format), json_values, max_size=2),
}
cassettes = st.one_of(
    st.builds(
        Cassette,
        protocol=st.just("flow_a"),
        interactions=st.lists(
            st.builds(Interaction, request=requests, response=responses()), min_size=1, max_size=2
        ).map(tuple),
        **common,
    ),
    st.builds(
        Cassette,
        protocol=st.just("codex"),
        model=st.lists(steps, min_size=1, max_size=3).map(tuple),
        client=st.lists(client_steps, max_size=3).map(tuple),
        frames=st.lists(frames, max_size=3).map(tuple),
        **common,
    ),
)


def as_cassette(body: bytes) -> Cassette:
    return Cassette(
        protocol="flow_a",
        title="t",
        provenance=Provenance(kind="synthetic"),
        interactions=(
            Interaction(
                request=RecordedRequest(method="POST", path="/", body=body),
                response=RecordedResponse(body=body),
            ),
        ),
    )


def exact(value: Any) -> str:
    """What JSON tells apart and Python's == does not: 1, 1.0 and true; keys in their order."""
    return json.dumps(value)


@given(cassettes)
def test_a_cassette_comes_back_as_it_was(cassette: Cassette) -> None:
    back = loads(dumps(cassette))
    assert back == cassette
    assert exact(back.extensions) == exact(cassette.extensions)
    assert exact([*back.expect.tools, back.expect.results]) == exact(
        [*cassette.expect.tools, cassette.expect.results]
    )


@given(bodies)
@example(b"data: padded   \n\n")
@example(b"  leading blank\n")
@example(b"\n\n leading blank after empty lines\n")
@example(b"\ttab\n")
@example(b"blank line of blanks\n   \n")
@example(b"no line feed at the end\n   ")
@example("next line \u0085 separators \u2028\u2029".encode())
@example("\ufeffbyte order mark, and inside \ufeff".encode())
@example(b"carriage\r\nreturn\r")
@example(b"nul \x00 and a lone byte \xff")
@example(b"\n")
@example(b"")
@example(b"    body: |+\n      a body that looks like one\n\n")
@example(b"wiretape-block-0")
def test_any_body_comes_back_byte_for_byte(body: bytes) -> None:
    interaction = loads(dumps(as_cassette(body))).interactions[0]
    assert interaction.request.body == body
    assert interaction.response.body == body


@given(st.integers(0, 120), st.sampled_from(["[", '{"a": ']))
def test_the_arguments_of_a_call_may_nest_deeper_than_a_cassette(levels: int, opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    written = opening * levels + "1" + closing * levels
    cassette = Cassette(
        protocol="codex",
        provenance=Provenance(kind="synthetic"),
        model=(Step(items=(ModelCall(id="c", tool="t", arguments=written),)),),
    )
    assert loads(dumps(cassette)) == cassette


@given(cassettes)
def test_cutting_the_blocks_out_gives_what_yaml_gives(cassette: Cassette) -> None:
    data = dumps(cassette)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document, "IN_C", False)
        cut = loads(data)
        patch.setattr(document, "IN_C", True)
        assert cut == loads(data)


@given(cassettes)
def test_the_parser_without_c_reads_the_same(cassette: Cassette) -> None:
    data = dumps(cassette)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_yaml, "_SafeLoader", yaml.SafeLoader)
        pure = loads(data)
    assert loads(data) == pure


@given(cassettes)
def test_another_yaml_reader_gets_the_same_keys(cassette: Cassette) -> None:
    other = yaml.safe_load(dumps(cassette))
    assert exact(other["title"]) == exact(cassette.title)
    assert exact({key: other[key] for key in other if key.startswith("x-")}) == exact(cassette.extensions)
    assert exact(other.get("expect", {}).get("results", {})) == exact(cassette.expect.results)


@given(cassettes, st.data())
def test_a_damaged_file_is_refused_or_read_the_same_both_ways(
    cassette: Cassette, draw: st.DataObject
) -> None:
    data = dumps(cassette)
    place = draw.draw(st.integers(0, len(data)))
    damaged = data[:place] + draw.draw(bodies) + data[place + draw.draw(st.integers(0, 9)) :]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document, "IN_C", False)
        cut = outcome(damaged)
        patch.setattr(document, "IN_C", True)
        assert cut == outcome(damaged)


def outcome(data: bytes) -> Cassette | str:
    try:
        return loads(data)
    except CassetteError as error:
        return str(error)
