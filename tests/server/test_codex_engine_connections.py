"""Several connections to one process: who hears what, and what happens when one is lost."""

from __future__ import annotations

import pytest

from tests.server.codex_client import DONE, Bench, Client, calls


def two(profile: str = "0.171") -> tuple[Client, Client, str]:
    """Two clients of one server; the first has a thread with an open call."""
    bench = Bench(calls("call_1"), DONE, profile=profile)
    server = bench.process()
    first, second = bench.client(server), bench.client(server, name="c2")
    thread = first.start_thread()
    first.start_turn(thread)
    return first, second, thread


@pytest.mark.parametrize("profile", ["0.110", "0.171"])
def test_an_open_call_survives_its_connection_and_keeps_its_id(profile: str) -> None:
    first, second, thread = two(profile)
    first.connection.close()
    second.result("thread/resume", {"threadId": thread})
    assert second.asked() == first.asked()
    second.answer(0)
    assert second.ended()["status"] == "completed"
    assert first.told("turn/completed") == []


def test_the_call_comes_after_the_result_of_the_resume() -> None:
    _, second, thread = two()
    second.result("thread/resume", {"threadId": thread})
    kinds = [each.get("method", "answer") for each in second.heard]
    assert kinds[-3:] == ["answer", "thread/goal/cleared", "item/tool/call"]


def test_of_two_connections_the_first_answer_counts() -> None:
    first, second, thread = two()
    second.result("thread/resume", {"threadId": thread})
    second.answer(0)
    assert first.answer(0, {"contentItems": [], "success": False}) == []
    for client in (first, second):
        assert [item["status"] for item in client.items()] == ["completed"]
        assert client.ended()["status"] == "completed"


def test_who_does_not_follow_a_thread_hears_of_its_start_and_status_only() -> None:
    first, second, _ = two()
    first.answer(0)
    assert second.methods() == [
        "thread/started",
        "thread/status/changed",
        "thread/readState/changed",
        "thread/status/changed",
    ]


def test_the_read_state_is_for_clients_with_the_experimental_capability() -> None:
    bench = Bench(DONE)
    server = bench.process()
    first, second = bench.client(server), bench.client(server, name="c2", experimentalApi=False)
    first.start_turn(first.start_thread())
    assert first.told("thread/readState/changed")
    assert second.told("thread/readState/changed") == []


def test_a_resumed_thread_is_followed_once() -> None:
    first, _, thread = two()
    first.result("thread/resume", {"threadId": thread})
    first.answer(0)
    assert len(first.told("turn/completed")) == 1


def test_a_lost_websocket_connection_ends_nothing() -> None:
    first, second, thread = two()
    second.connection.close()
    first.answer(0)
    assert first.ended()["status"] == "completed"
    assert second.methods() == ["thread/started", "thread/status/changed"]
    assert first.result("thread/loaded/list")["data"] == [thread]


def test_a_call_that_begins_while_nobody_listens_waits_for_who_resumes() -> None:
    bench = Bench(calls("call_1"), calls("call_2"), DONE)
    server = bench.process()
    first, second = bench.client(server), bench.client(server, name="c2")
    thread = first.start_thread()
    first.start_turn(thread)
    first.connection.close()
    second.answer(0)
    assert second.asked() == []
    second.result("thread/resume", {"threadId": thread})
    assert [each["params"]["callId"] for each in second.asked()] == ["call_2"]
