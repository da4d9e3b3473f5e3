"""What threads keep: in full, in summary, page by page, in a new process, in a fork."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.codex_client import (
    CALL_AND_DONE,
    DONE,
    ECHO,
    WITH_CALL,
    WITHOUT_CALL,
    Bench,
    calls,
    kinds,
    played,
    read,
)

MISSING = "01a22ce0-84c5-7ef1-b176-ec3703629600"
CANCELLED = "dynamic tool call was cancelled before receiving a response"


@pytest.mark.parametrize(
    ("profile", "start", "wanted"),
    [
        ("0.171", {}, WITH_CALL),
        ("0.171", {"historyMode": "legacy"}, WITHOUT_CALL),
        ("0.171", {"historyMode": "legacy", "persistExtendedHistory": True}, WITHOUT_CALL),
        ("0.110", {}, WITHOUT_CALL),
        ("0.110", {"persistExtendedHistory": True}, WITH_CALL),
        ("0.98", {"persistExtendedHistory": True}, WITHOUT_CALL),
    ],
)
def test_whether_calls_are_in_history_is_the_profiles_business(
    profile: str, start: Any, wanted: list[str]
) -> None:
    bench = Bench(*CALL_AND_DONE, profile=profile)
    first, thread = played(bench, **start)
    second = bench.client()
    for client in (first, second):
        (turn,) = read(client, thread)
        assert kinds(turn) == wanted
    resumed = second.result("thread/resume", {"threadId": thread})
    assert kinds(resumed["thread"]["turns"][0]) == wanted


@pytest.mark.parametrize(
    ("profile", "start"),
    [
        ("0.171", {"historyMode": "legacy"}),
        ("0.110", {"persistExtendedHistory": True}),
        ("0.110", {}),
        ("0.98", {}),
    ],
)
def test_old_histories_number_their_messages(profile: str, start: Any) -> None:
    bench = Bench(*CALL_AND_DONE, DONE, profile=profile)
    client, thread = played(bench, **start)
    client.start_turn(thread, "again")
    ids = [item["id"] for turn in read(client, thread) for item in turn["items"]]
    assert [each for each in ids if each != "call_1"] == ["item-1", "item-2", "item-3", "item-4"]


def test_old_turns_are_numbered_in_history() -> None:
    bench = Bench(*CALL_AND_DONE, profile="0.98")
    client, thread = played(bench)
    assert [turn["id"] for turn in read(client, thread)] == ["turn-1"]


def test_a_legacy_thread_has_no_list_of_items_and_no_notice() -> None:
    client, thread = played(Bench(*CALL_AND_DONE), historyMode="legacy")
    answer = client.request("thread/items/list", {"threadId": thread})
    assert answer["error"] == {"code": -32601, "message": "thread/items/list is not supported yet"}
    read(client, thread)
    assert client.told("deprecationNotice") == []
    assert len(client.result("thread/turns/list", {"threadId": thread})["data"]) == 1


def test_a_thread_that_is_not_loaded_says_so() -> None:
    bench = Bench(*CALL_AND_DONE)
    _, thread = played(bench)
    other = bench.client()
    shown = other.result("thread/read", {"threadId": thread})["thread"]
    assert shown["status"] == {"type": "notLoaded"}
    assert shown["turns"] == []
    assert other.refusal("turn/start", {"threadId": thread, "input": []}) == f"thread not found: {thread}"


@pytest.mark.parametrize("profile", ["0.110", "0.171"])
def test_an_open_call_is_seen_by_who_resumes_and_not_by_who_reads(profile: str) -> None:
    bench = Bench(*CALL_AND_DONE, profile=profile)
    server = bench.process()
    client = bench.client(server)
    thread = client.start_thread()
    client.start_turn(thread)
    (turn,) = read(client, thread)
    assert (turn["status"], kinds(turn)) == ("inProgress", ["userMessage"])
    other = bench.client(server, name="c2")
    (turn,) = other.result("thread/resume", {"threadId": thread})["thread"]["turns"]
    assert kinds(turn) == ["userMessage", "dynamicToolCall"]
    assert turn["items"][1]["status"] == "inProgress"


@pytest.mark.parametrize(
    ("profile", "status", "wanted", "output"),
    [
        ("0.171", "interrupted", ["userMessage", "dynamicToolCall"], CANCELLED),
        ("0.110", "inProgress", ["userMessage"], "aborted"),
        ("0.98", "completed", ["userMessage"], "aborted"),
    ],
)
def test_a_process_that_ends_during_a_call_ends_its_turn(
    profile: str, status: str, wanted: list[str], output: str
) -> None:
    bench = Bench(*CALL_AND_DONE, profile=profile)
    first = bench.client()
    thread = first.start_thread(persistExtendedHistory=True)
    first.start_turn(thread)
    before = len(first.heard)
    first.connection.close()
    assert len(first.heard) == before
    second = bench.client()
    (turn,) = read(second, thread)
    assert (turn["status"], kinds(turn)) == (status, wanted)
    failed = [item["status"] for item in turn["items"] if item["type"] == "dynamicToolCall"]
    assert failed == (["failed"] if profile == "0.171" else [])
    second.result("thread/resume", {"threadId": thread})
    second.start_turn(thread)
    assert bench.model.outputs() == [output]


def test_a_process_that_is_killed_keeps_no_call_and_no_time() -> None:
    bench = Bench(*CALL_AND_DONE)
    server = bench.process()
    client = bench.client(server)
    thread = client.start_thread()
    client.start_turn(thread)
    server.exit()
    second = bench.client()
    (turn,) = read(second, thread)
    assert (turn["status"], turn["completedAt"], kinds(turn)) == ("interrupted", None, ["userMessage"])
    second.result("thread/resume", {"threadId": thread})
    second.start_turn(thread)
    assert bench.model.outputs() == ["aborted"]


def test_a_thread_without_a_turn_is_not_kept() -> None:
    for profile in ("0.110", "0.171"):
        client = Bench(profile=profile).client()
        thread = client.start_thread()
        assert client.result("thread/read", {"threadId": thread})["thread"]["turns"] == []
        refused = f"no rollout found for thread id {thread}"
        assert client.refusal("thread/resume", {"threadId": thread}) == refused
        assert client.refusal("thread/fork", {"threadId": thread}) == refused


def test_asking_for_its_turns_keeps_a_thread_that_has_none() -> None:
    client = Bench().client()
    thread = client.start_thread()
    asked = {"threadId": thread}
    unsupported = {"code": -32601, "message": "list_turns is not supported yet"}
    assert client.request("thread/read", {**asked, "includeTurns": True})["error"] == unsupported
    assert client.request("thread/turns/list", asked)["error"] == unsupported
    no_items = {"code": -32601, "message": "thread/items/list is not supported yet"}
    assert client.request("thread/items/list", asked)["error"] == no_items
    assert client.request("thread/resume", asked)["error"] == unsupported
    assert client.result("thread/resume", {**asked, "excludeTurns": True})["thread"]["turns"] == []
    assert client.result("thread/fork", asked)["thread"]["forkedFromId"] == thread
    assert client.result("thread/list")["data"] == []


def test_an_older_thread_without_a_turn_has_no_turns_to_show() -> None:
    client = Bench(profile="0.110").client()
    thread = client.start_thread()
    missing = "is not materialized yet; includeTurns is unavailable before first user message"
    refused = client.refusal("thread/read", {"threadId": thread, "includeTurns": True})
    assert refused == f"thread {thread} {missing}"


def test_an_ephemeral_thread_is_not_kept() -> None:
    bench = Bench(DONE)
    client = bench.client()
    thread = client.start_thread(ephemeral=True)
    client.start_turn(thread)
    refused = "ephemeral threads do not support includeTurns"
    assert client.refusal("thread/read", {"threadId": thread, "includeTurns": True}) == refused
    assert client.result("thread/list")["data"] == []
    assert bench.client().refusal("thread/read", {"threadId": thread}) == f"thread not loaded: {thread}"


def test_a_thread_is_listed_from_its_first_turn_on() -> None:
    bench = Bench(DONE)
    client = bench.client()
    thread = client.start_thread()
    assert client.result("thread/list")["data"] == []
    client.start_turn(thread, "hello")
    (listed,) = client.result("thread/list")["data"]
    assert (listed["id"], listed["preview"]) == (thread, "hello")
    assert client.result("thread/loaded/list")["data"] == [thread]
    assert bench.client().result("thread/loaded/list")["data"] == []


@pytest.mark.parametrize("profile", ["0.110", "0.171"])
def test_a_fork_has_the_history_and_the_tools(profile: str) -> None:
    bench = Bench(*CALL_AND_DONE, calls("call_2"), DONE, profile=profile)
    client, thread = played(bench)
    forked = client.result("thread/fork", {"threadId": thread})["thread"]
    assert forked["id"] != thread
    assert forked.get("forkedFromId", thread) == thread
    assert [kinds(turn) for turn in forked["turns"]] == [kinds(turn) for turn in read(client, thread)]
    assert client.told("thread/started")[-1]["thread"]["id"] == forked["id"]
    client.start_turn(forked["id"])
    client.answer(1)
    assert client.asked()[-1]["params"]["threadId"] == forked["id"]
    assert len(read(client, forked["id"])) == 2
    assert len(read(client, thread)) == 1
    assert len(bench.model.requests[2].body["tools"]) == 1


def test_a_fork_during_a_turn_has_what_was_before_it() -> None:
    bench = Bench(DONE, calls("call_1"), DONE)
    client = bench.client()
    thread = client.start_thread()
    client.start_turn(thread)
    client.start_turn(thread)
    assert len(client.result("thread/fork", {"threadId": thread})["thread"]["turns"]) == 1


@pytest.mark.parametrize(
    ("method", "params", "notices"),
    [
        ("thread/read", {}, 0),
        ("thread/read", {"includeTurns": True}, 1),
        ("thread/resume", {}, 1),
        ("thread/resume", {"excludeTurns": True}, 0),
        ("thread/fork", {}, 1),
        ("thread/fork", {"excludeTurns": True}, 0),
    ],
)
def test_asking_for_all_turns_brings_a_notice(method: str, params: Any, notices: int) -> None:
    client, thread = played(Bench(*CALL_AND_DONE))
    shown = client.result(method, {"threadId": thread, **params})
    assert len(client.told("deprecationNotice")) == notices
    assert len(shown["thread"]["turns"]) == notices


@pytest.mark.parametrize(
    ("method", "refusal"),
    [
        ("thread/read", f"thread not loaded: {MISSING}"),
        ("thread/turns/list", f"thread not loaded: {MISSING}"),
        ("thread/resume", f"no rollout found for thread id {MISSING}"),
        ("thread/fork", f"no rollout found for thread id {MISSING}"),
    ],
)
def test_a_thread_that_nobody_knows_is_refused(method: str, refusal: str) -> None:
    assert Bench().client().refusal(method, {"threadId": MISSING}) == refusal


@pytest.mark.parametrize(("profile", "kind"), [("0.171", "session"), ("0.110", "thread")])
def test_an_id_that_is_no_uuid_is_refused(profile: str, kind: str) -> None:
    complaint = "invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-]"
    refused = Bench(profile=profile).client().refusal("thread/resume", {"threadId": "zz"})
    assert refused == f"invalid {kind} id: {complaint}, found `z` at 1"


def test_a_thread_begins_where_and_with_the_model_that_the_client_says() -> None:
    client = Bench().client()
    shown = client.result("thread/start", {"dynamicTools": [ECHO], "cwd": "/elsewhere", "model": "m"})
    assert (shown["cwd"], shown["model"], shown["thread"]["cwd"]) == ("/elsewhere", "m", "/elsewhere")
