"""A comparison of two transcripts finds what differs, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.differential import allowed
from tests.differential.scenarios.all import ALL
from tests.differential.transcripts import differences, told, written

ONE = "01a22ce0-84c5-7ef1-b176-ec3703629600"
OTHER = "01a22ce0-84c5-7ef1-b176-ec3703629601"
PAGE = Path(__file__).parents[2] / "docs" / "codex.md"


def lines(*messages: Any, **names: str) -> list[str]:
    return told("c1", list(messages), names)


def test_ids_times_and_paths_may_differ() -> None:
    real = lines({"id": ONE, "startedAtMs": 1, "cwd": "/tmp/x/work"}, **{"/tmp/x/work": "/home/user/project"})
    ours = lines({"id": OTHER, "startedAtMs": 2, "cwd": "/home/user/project"})
    assert differences(real, ours) == []


def test_an_id_in_the_place_of_another_is_a_difference() -> None:
    real = lines({"id": ONE}, {"id": OTHER}, {"id": ONE})
    ours = lines({"id": ONE}, {"id": OTHER}, {"id": OTHER})
    assert differences(real, ours) == ['c1 /id: - "<id 0>" + "<id 1>"']


def test_a_member_that_only_one_side_has_is_a_difference() -> None:
    assert differences(lines({"a": 1}), lines({"a": 1, "b": None})) == ["c1 /b: - (absent) + null"]


def test_a_boolean_is_no_number() -> None:
    assert differences(lines({"a": [1]}), lines({"a": [True]})) == ["c1 /a/0: - 1 + true"]


def test_a_message_more_is_a_difference_and_shifts_no_other() -> None:
    first, more, last = {"a": ONE}, {"b": OTHER}, {"c": "01a22ce0-84c5-7ef1-b176-ec3703629602"}
    assert differences(lines(first, more, last), lines(first, last)) == ['- c1 {"b": "<id>"}']


def test_another_order_is_a_difference() -> None:
    assert differences(lines({"a": 1}, {"b": 1}), lines({"b": 1}, {"a": 1})) != []


def test_allowed_notifications_are_left_out() -> None:
    noise = [{"method": name, "params": {}} for name in allowed.NOTIFICATIONS]
    assert lines(*noise) == []
    assert lines({"method": "turn/completed"}) == ['c1 {"method": "turn/completed"}']


def test_lines_of_stderr_are_compared_without_times_colours_and_ports() -> None:
    line = "\x1b[2m2026-11-30T18:05:31.519442Z\x1b[0m \x1b[31mERROR\x1b[0m at ws://127.0.0.1:4242"
    assert written([line, "could not create PATH aliases", ""]) == ["ERROR at ws://127.0.0.1:<port>"]


def test_the_page_has_every_allowed_difference_with_its_reason() -> None:
    page = " ".join(PAGE.read_text("utf-8").split())
    tables = (allowed.NOTIFICATIONS, allowed.STDERR, allowed.VALUES, allowed.PROVIDER, allowed.REMAINING)
    for name, reason in (row for table in tables for row in table.items()):
        assert f"| {name} | {reason} |" in page.replace("`", "")


def test_there_are_more_than_thirty_scenarios() -> None:
    assert len(ALL) > 30
