"""Codex sessions that are made up for declared dynamic tools."""

from __future__ import annotations

from typing import Any

import pytest

from tests.auto.schemas import TEXT, function
from wiretape import strictjson
from wiretape.cassette import Cassette, ModelCall, ModelText, dumps, loads
from wiretape.lint import Tape, lint
from wiretape.scenario import of_dynamic_tools
from wiretape.scenario.codex import cassette_of, scene

SUM = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
TOOLS = [
    function("note", TEXT),
    {"type": "namespace", "name": "math", "description": "", "tools": [function("sum", SUM)]},
    function("anything", True),
]


def calls(cassette: Cassette) -> list[list[ModelCall]]:
    """The calls of each step."""
    return [[item for item in step.items if isinstance(item, ModelCall)] for step in cassette.model]


def titles(cassette: Cassette) -> list[str]:
    return [f"{call.namespace or ''}/{call.tool}" for step in calls(cassette) for call in step]


def test_the_first_tool_is_called_alone_and_the_others_together() -> None:
    made = of_dynamic_tools(TOOLS)
    assert [[call.tool for call in step] for step in calls(made)] == [["note"], ["sum", "anything"], []]
    assert titles(made) == ["/note", "math/sum", "/anything"]
    (answer,) = made.model[-1].items
    assert isinstance(answer, ModelText)
    assert "".join(answer.deltas) == answer.text


def test_more_than_eight_calls_are_not_made_at_once() -> None:
    many = [function(f"tool_{number}", True) for number in range(12)]
    assert [len(step) for step in calls(of_dynamic_tools(many))] == [1, 8, 3, 0]


def test_arguments_fit_the_schema() -> None:
    made = of_dynamic_tools(TOOLS)
    note, total, anything = (strictjson.loads(call.arguments) for step in calls(made) for call in step)
    assert type(note["text"]) is str
    assert type(total["a"]) is int
    assert anything == {}


def test_ids_of_calls_are_their_own() -> None:
    ids = [
        call.id for seed in range(3) for step in calls(of_dynamic_tools(TOOLS, seed=seed)) for call in step
    ]
    assert len(set(ids)) == 9


def test_the_same_seed_makes_the_same_up_and_another_one_another() -> None:
    assert of_dynamic_tools(TOOLS, seed=4) == of_dynamic_tools(TOOLS, seed=4)
    assert titles(of_dynamic_tools(TOOLS, seed=1))[0] == "math/sum"


def test_flat_tools_are_called_with_the_namespace_that_the_server_reads() -> None:
    flat = [{"name": "sum", "description": "", "inputSchema": SUM, "namespace": "math"}]
    assert titles(of_dynamic_tools(flat)) == ["math/sum"]
    assert titles(of_dynamic_tools(flat, profile="0.110")) == ["/sum"]


@pytest.mark.parametrize("declared", [None, [], {}, "note", [7, {"inputSchema": True}, {"name": 5}]])
def test_without_a_tool_that_can_be_read_there_is_an_answer_and_no_call(declared: Any) -> None:
    made = of_dynamic_tools(declared)
    assert len(made.model) == 1
    assert titles(made) == []


def test_a_tool_for_which_no_arguments_fit_is_named_and_not_called() -> None:
    made = of_dynamic_tools(
        [function("never", {"type": "object", "properties": {"a": False}, "required": ["a"]})]
    )
    assert titles(made) == []
    assert "never was not called, no arguments were found that fit: a takes nothing." in made.provenance.gaps


def test_what_is_made_up_is_a_cassette_that_lint_takes() -> None:
    made = of_dynamic_tools(TOOLS)
    data = dumps(made)
    assert loads(data) == made
    assert not [each for each in lint(Tape(cassette=made, data=data)).findings if each.failed]


def test_a_further_turn_calls_what_was_not_called_before_and_is_a_step_of_the_client() -> None:
    first = scene(TOOLS[:1])
    second = scene(TOOLS, called=["note"], place="1")
    whole = cassette_of([first, second], TOOLS, seed=0)
    assert titles(whole) == ["/note", "math/sum", "/anything"]
    assert [step.do for step in whole.client] == ["turn", "turn"]
