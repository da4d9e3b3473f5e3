"""Flow A conversations that are made up for declared signatures."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.auto.schemas import signature
from wiretape import strictjson, testing, verify
from wiretape.cassette import Cassette, dumps, loads
from wiretape.flow_a.facts import SeenCall, read_stream
from wiretape.flow_a.stream import decode
from wiretape.lint import Tape, lint
from wiretape.scenario import of_signatures
from wiretape.scenario.flow_a import scene
from wiretape.scenario.plan import MOST_CALLS
from wiretape.sse import event_ends

TOOLS = [signature("note", "message", optional=("folder",)), signature("count", "n", n="integer")]


def calls(cassette: Cassette) -> list[SeenCall]:
    """The calls in the order in which they come."""
    return [call for each in cassette.interactions for call in read_stream(each.response.body).calls]


def arguments(cassette: Cassette) -> list[Any]:
    return [strictjson.loads(call.text) for call in calls(cassette)]


def test_each_tool_is_called_once_and_its_return_brings_the_next_call() -> None:
    made = of_signatures(TOOLS)
    assert [call.tool for call in calls(made)] == ["note", "count"]
    per_answer = [len(read_stream(each.response.body).calls) for each in made.interactions]
    assert per_answer == [1, 1, 0]
    assert read_stream(made.interactions[-1].response.body).answered


def test_arguments_are_those_that_are_declared_and_required_ones_are_there() -> None:
    note, count = arguments(of_signatures(TOOLS))
    assert {"message"} <= note.keys() <= {"message", "folder"}
    assert list(count) == ["n"]
    assert type(count["n"]) is int


def test_an_optional_argument_comes_with_some_seeds_and_not_with_others() -> None:
    given_names = [tuple(arguments(of_signatures(TOOLS[:1], seed=seed))[0]) for seed in range(10)]
    assert {("message",), ("message", "folder")} == set(given_names)


def test_an_argument_is_one_of_the_values_that_are_declared() -> None:
    tool = signature("paint", "colour")
    tool["params"][0]["type"]["enum"] = ["rot", "grün"]
    colours = {arguments(of_signatures([tool], seed=seed))[0]["colour"] for seed in range(4)}
    assert colours == {"rot", "grün"}


@given(declared=st.lists(testing.declarations(), max_size=4), seed=st.integers(0, 999))
def test_what_is_made_up_decodes_conforms_and_is_a_cassette(declared: list[Any], seed: int) -> None:
    made = of_signatures(declared, seed=seed)
    report = verify(made)
    assert not [each for each in report.findings if each.failed and each.rule not in ABOUT_THE_TOOLS]
    assert loads(dumps(made)) == made
    assert len(calls(made)) == len({each["name"] for each in declared if each["name"]})


ABOUT_THE_TOOLS = {"flow_a.request.handoff-declared", "flow_a.signature.unique-names"}
"""Rules about what is declared, which is none of our making."""


def test_what_is_made_up_has_nothing_for_lint_to_object_to() -> None:
    tools = [signature("handoff", "prompt", "reason"), signature("note", "message")]
    data = dumps(of_signatures(tools, seed=3))
    tape = Tape(cassette=loads(data), data=data)
    assert not [each for each in lint(tape).findings if each.failed]


def test_the_same_seed_makes_the_same_up_and_another_one_another() -> None:
    assert of_signatures(TOOLS, seed=5) == of_signatures(TOOLS, seed=5)
    first, second = (arguments(of_signatures(TOOLS, seed=seed)) for seed in (0, 1))
    assert first != second
    assert calls(of_signatures(TOOLS, seed=1))[0].tool == "count"


@pytest.mark.parametrize("declared", [None, [], {}, "alefita_way", 7])
def test_without_a_list_of_tools_there_is_an_answer_and_no_call(declared: object) -> None:
    (only,) = of_signatures(declared).interactions
    facts = read_stream(only.response.body)
    assert (facts.calls, facts.server_calls, facts.answered) == ((), (), True)


@pytest.mark.parametrize(
    "wrong",
    [
        "note",
        {"name": "no-params", "description": "", "type": "kwargs"},
        signature("") | {"name": " "},
        signature("function") | {"type": "function"},
        signature("odd") | {"params": ["message"]},
        signature("typeless", "a") | {"params": [{"name": "a", "required": True, "type": {}}]},
        signature("unsure") | {"params": [{"name": "a", "required": "yes", "type": {"type": "string"}}]},
        signature("date", "day", day="date"),
    ],
    ids=str,
)
def test_a_tool_whose_declaration_is_wrong_is_not_called(wrong: object) -> None:
    assert [call.tool for call in calls(of_signatures([wrong, *TOOLS]))] == ["note", "count"]


def test_of_two_tools_of_one_name_the_first_is_called() -> None:
    made = of_signatures([signature("note", "a"), signature("note", "b")])
    assert [list(each) for each in arguments(made)] == [["a"]]


def test_a_tool_for_which_no_arguments_fit_is_named_and_not_called() -> None:
    tool = signature("plate", "number")
    tool["params"][0]["type"]["pattern"] = "^[A-Z]{3}-[0-9]{4}$"
    made = scene([tool, *TOOLS])
    assert [call.tool for call in calls(made.cassette)] == ["note", "count"]
    (unfit,) = made.plan.unfit
    assert unfit.startswith("plate was not called, no arguments were found that fit: number has the pattern")
    assert unfit in made.cassette.provenance.gaps


def test_calls_are_bounded_and_the_seed_says_which_tools_are_left_out() -> None:
    many = [signature(f"tool_{number}") for number in range(MOST_CALLS + 2)]
    made = of_signatures(many)
    assert len(calls(made)) == MOST_CALLS
    assert made.provenance.gaps[-1].endswith(f"tool_{MOST_CALLS}, tool_{MOST_CALLS + 1}.")
    assert of_signatures(many, seed=2).provenance.gaps[-1].endswith("tool_0, tool_1.")


def test_what_ends_a_call_or_its_stream_is_a_chunk_of_its_own_a_tenth_of_a_second_later() -> None:
    for interaction in of_signatures(TOOLS).interactions:
        response = interaction.response
        assert response.chunks is not None
        assert list(accumulate(response.chunks.lengths)) == event_ends(response.body)
        assert min(response.chunks.delays[-3:]) >= 100


def test_every_other_call_grows_and_the_last_piece_comes_when_it_ends() -> None:
    def texts(cassette: Cassette) -> list[str]:
        """The text of each call as it stands when it opens."""
        bodies = [each.response.body for each in cassette.interactions[:-1]]
        return [
            decode(body[: read_stream(body).calls[0].opened])["messages"][-1]["content"]["text"]
            for body in bodies
        ]

    assert [text == "" for text in texts(of_signatures(TOOLS))] == [True, False]
    assert [text == "" for text in texts(of_signatures(TOOLS, seed=1))] == [False, True]


def test_a_text_that_grows_is_cut_between_the_halves_of_a_character() -> None:
    tool = signature("note", "message")
    tool["params"][0]["type"]["enum"] = ["🌀"]
    bodies = [of_signatures([tool], seed=seed).interactions[0].response.body for seed in range(0, 12, 2)]
    assert any(b'\\ud83c"}' in body for body in bodies)


def test_the_last_answer_holds_a_call_that_is_not_the_clients() -> None:
    facts = read_stream(of_signatures(TOOLS).interactions[-1].response.body)
    assert [call.tool for call in facts.server_calls] == ["web.run"]


def test_a_further_turn_calls_what_was_not_called_before() -> None:
    made = scene(TOOLS, called=["note"], conversation_id="c1").cassette
    assert [call.tool for call in calls(made)] == ["count"]
    assert b'"conversation_id":"c1"' in made.interactions[0].request.body
