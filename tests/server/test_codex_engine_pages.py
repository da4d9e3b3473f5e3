"""Turns and items page by page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.server.codex_client import (
    CALL_AND_DONE,
    DONE,
    WITH_CALL,
    WITHOUT_CALL,
    Bench,
    Client,
    kinds,
    played,
)


def paged(client: Client, method: str, **params: Any) -> list[Any]:
    """Every entry, page by page."""
    found, cursor = [], None
    while True:
        page = client.result(method, {"cursor": cursor, **params})
        found += page["data"]
        cursor = page["nextCursor"]
        if cursor is None:
            return found


@pytest.mark.parametrize("direction", ["asc", "desc", None])
@pytest.mark.parametrize("method", ["thread/turns/list", "thread/items/list"])
def test_pages_of_any_size_give_the_same(method: str, direction: str | None) -> None:
    bench = Bench(*CALL_AND_DONE, DONE, DONE)
    client, thread = played(bench)
    client.start_turn(thread)
    client.start_turn(thread)
    asked = {"threadId": thread, "sortDirection": direction}
    whole = client.result(method, asked)["data"]
    assert len(whole) == (3 if method == "thread/turns/list" else 7)
    for limit in (1, 2, 3, 100):
        assert paged(client, method, limit=limit, **asked) == whole
    other = client.result(method, {**asked, "sortDirection": "asc" if direction == "desc" else "desc"})
    assert (other["data"] == whole[::-1]) == (direction is not None or method == "thread/items/list")


def test_the_way_back_begins_with_the_entry_that_a_page_began_with() -> None:
    bench = Bench(*CALL_AND_DONE, DONE)
    client, thread = played(bench)
    client.start_turn(thread)
    asked = {"threadId": thread, "sortDirection": "asc"}
    first = client.result("thread/turns/list", {**asked, "limit": 1})
    second = client.result("thread/turns/list", {**asked, "cursor": first["nextCursor"]})
    back = {"threadId": thread, "sortDirection": "desc", "cursor": second["backwardsCursor"]}
    assert client.result("thread/turns/list", back)["data"] == [*second["data"], *first["data"]]


@pytest.mark.parametrize(
    "change", [("rolloutOrdinal", "x"), ("turns", "itemsByCreatedAtOrdinal"), ("{", "["), ("true", "1")]
)
def test_a_cursor_of_something_else_is_refused(change: tuple[str, str]) -> None:
    client, thread = played(Bench(*CALL_AND_DONE))
    cursor = client.result("thread/turns/list", {"threadId": thread})["backwardsCursor"].replace(*change)
    refused = client.refusal("thread/turns/list", {"threadId": thread, "cursor": cursor})
    assert refused == f"invalid cursor: {cursor}"


@pytest.mark.parametrize(
    ("view", "wanted"),
    [("notLoaded", []), ("summary", WITHOUT_CALL), (None, WITHOUT_CALL), ("full", WITH_CALL)],
)
def test_turns_are_listed_in_the_view_that_is_asked_for(view: str | None, wanted: list[str]) -> None:
    client, thread = played(Bench(*CALL_AND_DONE))
    (turn,) = client.result("thread/turns/list", {"threadId": thread, "itemsView": view})["data"]
    assert (kinds(turn), turn["itemsView"]) == (wanted, view or "summary")


def test_a_cursor_of_items_may_come_as_the_object_that_it_is() -> None:
    client, thread = played(Bench(*CALL_AND_DONE))
    asked = {"threadId": thread, "limit": 2}
    cursor = client.result("thread/items/list", asked)["nextCursor"]
    rest = client.result("thread/items/list", {**asked, "cursor": json.loads(cursor)})["data"]
    assert [entry["item"]["type"] for entry in rest] == ["agentMessage"]
