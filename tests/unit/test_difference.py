"""Two JSON values side by side."""

from __future__ import annotations

from typing import Any

import pytest

from wiretape.difference import Line, lines
from wiretape.strictjson import ABSENT


def sides(want: object, got: object) -> list[tuple[str | None, str | None, str]]:
    return [(line.want, line.got, line.mark) for line in lines(want, got)]


def test_members_that_belong_together_stand_side_by_side_in_the_order_of_the_wanted_value() -> None:
    assert sides({"a": 1, "b": None}, {"b": None, "a": 1}) == [
        ("{", "{", "same"),
        ('"a": 1', '"a": 1', "same"),
        ('"b": null', '"b": null', "same"),
        ("}", "}", "same"),
    ]


def test_a_member_that_one_side_lacks_leaves_a_gap_there() -> None:
    assert sides({"a": 1}, {"language": None})[1:3] == [
        ('"a": 1', None, "missing"),
        (None, '"language": null', "extra"),
    ]


@pytest.mark.parametrize(
    ("want", "got", "mark"),
    [
        (1, 1.0, "same"),
        (1, True, "differs"),
        (1, "1", "differs"),
        (None, ABSENT, "missing"),
        (ABSENT, None, "extra"),
        ({}, {}, "same"),
        ([], {}, "differs"),
        ("all", "alefita_way", "differs"),
    ],
)
def test_values_are_compared_as_they_are_on_the_wire(want: Any, got: Any, mark: str) -> None:
    assert [line.mark for line in lines(want, got)] == [mark]


def test_nothing_beside_nothing_has_no_lines() -> None:
    assert lines(ABSENT, ABSENT) == []


def test_every_line_has_the_path_that_findings_use() -> None:
    want = {"messages": [{"content": {"text": {"call_id": "c"}}}]}
    got = {"messages": [{"content": {"text": {"call_id": "d"}}}]}
    [line] = [line for line in lines(want, got) if line.mark != "same"]
    assert line == Line(
        depth=5,
        path="messages[0].content.text.call_id",
        want='"call_id": "c"',
        got='"call_id": "d"',
        mark="differs",
    )


def test_an_object_beside_a_text_takes_as_many_lines_as_it_needs() -> None:
    assert sides({"text": {"call_id": "c"}}, {"text": "no JSON"})[1:-1] == [
        ('"text": {', '"text": "no JSON"', "differs"),
        ('"call_id": "c"', None, "differs"),
        ("}", None, "differs"),
    ]


def test_a_list_that_is_longer_than_wanted_shows_what_is_too_much() -> None:
    assert sides([1], [1, [2]])[2:-1] == [(None, "[", "extra"), (None, "2", "extra"), (None, "]", "extra")]


def test_letters_stand_for_themselves() -> None:
    assert sides("é\n", "\x1b[31m") == [('"é\\n"', '"\\u001b[31m"', "differs")]
