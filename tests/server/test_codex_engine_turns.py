"""How turns go: calls at once or one by one, interrupted, steered, waited for, failed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.codex_client import DONE, Bench, Client, calls, error
from wiretape.cassette.model import ModelText, Step

CANCELLED = "dynamic tool call was cancelled before receiving a response"
WAIT = Step(wait="until_interrupt")
MISSING = "01a22ce0-84c5-7ef1-b176-ec3703629600"
NO_UUID = (
    "invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `n` at 1"
)


def say(text: str) -> dict[str, Any]:
    return {"contentItems": [{"type": "inputText", "text": text}], "success": True}


def turn_input(thread: str, text: str, **more: Any) -> dict[str, Any]:
    return {"threadId": thread, "input": [{"type": "text", "text": text}], **more}


def test_all_calls_of_an_answer_are_open_at_once() -> None:
    bench = Bench(calls("a", "b", "c"), DONE)
    client = bench.client()
    client.start_turn(client.start_thread())
    assert [(each["id"], each["params"]["callId"]) for each in client.asked()] == [
        (0, "a"),
        (1, "b"),
        (2, "c"),
    ]
    for request_id in (2, 0, 1):
        client.answer(request_id, say(f"r-{request_id}"))
    assert [item["id"] for item in client.items()] == ["c", "a", "b"]
    assert bench.model.outputs() == ["r-0", "r-1", "r-2"]


@pytest.mark.parametrize("profile", ["0.98", "0.110"])
def test_older_servers_open_one_call_after_the_other(profile: str) -> None:
    bench = Bench(calls("a", "b"), DONE, profile=profile)
    client = bench.client()
    client.start_turn(client.start_thread())
    assert len(client.asked()) == 1
    client.answer(0)
    assert [each["params"]["callId"] for each in client.asked()] == ["a", "b"]
    client.answer(1)
    assert len(bench.model.outputs()) == 2
    assert client.ended()["status"] == "completed"


def test_request_ids_count_over_all_threads_of_a_process() -> None:
    bench = Bench(calls("a"), DONE)
    client = bench.client()
    client.start_turn(client.start_thread())
    client.start_turn(client.start_thread())
    assert [each["id"] for each in client.asked()] == [0, 1]
    other = bench.client()
    other.start_turn(other.start_thread())
    assert [each["id"] for each in other.asked()] == [0]


@pytest.mark.parametrize("profile", ["0.110", "0.171"])
def test_an_interrupt_closes_the_call_then_answers_then_ends_the_turn(profile: str) -> None:
    bench = Bench(calls("call_1"), DONE, profile=profile)
    client = bench.client()
    thread = client.start_thread()
    turn = client.start_turn(thread)
    before = len(client.heard)
    assert client.result("turn/interrupt", {"threadId": thread, "turnId": turn}) == {}
    assert [each.get("method", "answer") for each in client.heard[before:]] == [
        "item/completed",
        "answer",
        "thread/status/changed",
        "turn/completed",
    ]
    (item,) = client.items()
    assert (item["status"], item["success"], item["contentItems"]) == ("failed", False, [])
    assert client.ended()["status"] == "interrupted"
    assert client.answer(0) == []
    client.start_turn(thread, "again")
    assert bench.model.outputs() == [CANCELLED]


def test_an_interrupt_before_calls_had_items_says_how_long_it_took() -> None:
    bench = Bench(calls("call_1"), DONE, profile="0.98")
    client = bench.client()
    thread = client.start_thread()
    turn = client.start_turn(thread)
    bench.clock.now += 0.3
    client.result("turn/interrupt", {"threadId": thread, "turnId": turn})
    assert client.told("item/completed")[1:] == []
    client.start_turn(thread)
    assert bench.model.outputs() == ["aborted by user after 0.3s"]


def test_calls_that_were_not_opened_yet_are_interrupted_too() -> None:
    bench = Bench(calls("a", "b"), DONE, profile="0.110")
    client = bench.client()
    thread = client.start_thread()
    turn = client.start_turn(thread)
    client.result("turn/interrupt", {"threadId": thread, "turnId": turn})
    client.start_turn(thread)
    assert bench.model.outputs() == [CANCELLED, CANCELLED]
    assert len(client.asked()) == 1


def test_an_interrupt_is_for_the_turn_that_runs() -> None:
    client = Bench(calls("call_1"), DONE).client()
    thread = client.start_thread()
    assert client.refusal("turn/interrupt", {"threadId": thread, "turnId": "x"}) == (
        "no active turn to interrupt"
    )
    turn = client.start_turn(thread)
    assert client.refusal("turn/interrupt", {"threadId": thread, "turnId": "x"}) == (
        f"expected active turn id x but found {turn}"
    )


@pytest.mark.parametrize("profile", ["0.98", "0.110"])
def test_older_servers_interrupt_any_turn_and_do_not_say_that_there_is_none(profile: str) -> None:
    client = Bench(calls("call_1"), DONE, profile=profile).client()
    thread = client.start_thread()
    given = {"threadId": thread, "turnId": "x"}
    assert client.send({"id": 77, "method": "turn/interrupt", "params": given}) == []
    client.start_turn(thread)
    assert client.result("turn/interrupt", given) == {}
    assert client.ended()["status"] == "interrupted"


def test_a_model_that_waits_is_waited_for_until_an_interrupt() -> None:
    client = Bench(WAIT).client()
    thread = client.start_thread()
    turn = client.start_turn(thread)
    assert client.told("turn/completed") == []
    client.result("turn/interrupt", {"threadId": thread, "turnId": turn})
    assert client.ended()["status"] == "interrupted"
    assert client.ended()["items"] == []


def test_what_the_user_says_during_a_call_is_shown_once_it_is_answered() -> None:
    bench = Bench(calls("call_1"), DONE)
    client = bench.client()
    thread = client.start_thread()
    turn = client.start_turn(thread)
    steered = client.result("turn/steer", turn_input(thread, "more", expectedTurnId=turn))
    joined = client.result("turn/start", turn_input(thread, "even more"))
    assert steered == {"turnId": turn}
    assert joined["turn"]["id"] == turn
    assert len(client.items("userMessage")) == 1
    client.answer(0)
    said = [item["content"][0]["text"] for item in client.items("userMessage")]
    assert said == ["go", "more", "even more"]
    heard = [item for item in bench.model.requests[1].body["input"] if item.get("role") == "user"]
    assert [item["content"][0]["text"] for item in heard] == said
    assert len(client.told("turn/completed")) == 1


def test_steering_is_for_the_turn_that_runs() -> None:
    client = Bench(calls("call_1"), DONE).client()
    thread = client.start_thread()
    given = turn_input(thread, "more", expectedTurnId="x")
    assert client.refusal("turn/steer", given) == "no active turn to steer"
    turn = client.start_turn(thread)
    assert client.refusal("turn/steer", given) == f"expected active turn id `x` but found `{turn}`"


def test_the_model_hears_the_users_texts_only() -> None:
    bench = Bench(DONE)
    client = bench.client()
    picture = {"type": "image", "url": "data:,"}
    text = {"type": "text", "text": "look", "extra": 1}
    client.result("turn/start", {"threadId": client.start_thread(), "input": [picture, text]})
    (item,) = client.items("userMessage")
    assert item["content"] == [picture, {"type": "text", "text": "look", "text_elements": []}]
    assert bench.model.requests[0].body["input"][0]["content"] == [{"type": "input_text", "text": "look"}]


def test_a_text_between_calls_is_a_message_of_its_own() -> None:
    both = Step(items=(ModelText(text="I look"), *calls("call_1").items))
    client = Bench(both, DONE).client()
    client.start_turn(client.start_thread())
    client.answer(0)
    assert [item["text"] for item in client.items("agentMessage")] == ["I look", "done"]
    assert [item["text"] for item in client.ended()["items"]] == ["done"]


@pytest.mark.parametrize("profile", ["0.98", "0.110"])
def test_the_end_of_an_older_turn_holds_no_items(profile: str) -> None:
    client = Bench(DONE, profile=profile).client()
    client.start_turn(client.start_thread())
    assert client.ended()["items"] == []


def test_old_turn_ids_count_what_the_thread_was_told() -> None:
    client = Bench(calls("call_1"), DONE, DONE, calls("call_2"), DONE, profile="0.98").client()
    thread = client.start_thread()
    ids = [client.start_turn(thread)]
    client.answer(0)
    ids += [client.start_turn(thread), client.start_turn(thread)]
    client.result("turn/interrupt", {"threadId": thread, "turnId": ids[-1]})
    ids.append(client.start_turn(thread))
    assert ids == ["0", "2", "3", "5"]
    assert client.start_turn(client.start_thread()) == "0"


@pytest.mark.parametrize(
    ("failure", "message", "info"),
    [
        (error(400, "bad model"), "bad model", "other"),
        (
            error(500, "x"),
            "We’re currently experiencing high demand, which may cause temporary errors.",
            "internalServerError",
        ),
        (
            error(401, '{"error": {"message": "no key"}}'),
            "unexpected status 401 Unauthorized: no key, url: http://127.0.0.1/v1/responses",
            {"httpConnectionFailed": {"httpStatusCode": 401}},
        ),
        (
            error(418, "tea"),
            "unexpected status 418 I'm a teapot: tea, url: http://127.0.0.1/v1/responses",
            {"httpConnectionFailed": {"httpStatusCode": 418}},
        ),
        (
            error(299),
            "unexpected status 299 Unknown: Unknown error, url: http://127.0.0.1/v1/responses",
            {"httpConnectionFailed": {"httpStatusCode": 299}},
        ),
    ],
)
def test_a_provider_that_fails_fails_the_turn(failure: Step, message: str, info: Any) -> None:
    client = Bench(calls("call_1"), failure).client()
    client.start_turn(client.start_thread())
    client.answer(0)
    (told,) = client.told("error")
    assert told["error"]["message"] == message
    assert told["error"]["codexErrorInfo"] == info
    assert told["willRetry"] is False
    assert client.told("thread/status/changed")[-1]["status"] == {"type": "systemError"}
    assert client.ended()["status"] == "failed"
    assert client.ended()["error"] == told["error"]


def test_a_cassette_without_a_step_left_says_so() -> None:
    bench = Bench(DONE)
    client = bench.client()
    thread = client.start_thread()
    client.start_turn(thread)
    client.start_turn(thread)
    explanation = (
        f"the cassette has 1 model steps; this is request 2 of thread {thread}: "
        "start fewer turns, or add a step"
    )
    assert client.ended()["error"]["message"] == explanation
    assert bench.model.script.overruns == [explanation]


@pytest.mark.parametrize(
    ("thread", "refusal"),
    [
        ("nope", f"invalid thread id: {NO_UUID}"),
        (MISSING, f"thread not found: {MISSING}"),
        ("abc", "invalid thread id: invalid length: expected length 32 for simple format, found 3"),
        ("ab-c", "invalid thread id: invalid group count: expected 5, found 2"),
    ],
)
@pytest.mark.parametrize("method", ["turn/start", "turn/steer", "turn/interrupt"])
def test_a_turn_wants_a_thread(method: str, thread: str, refusal: str) -> None:
    client: Client = Bench().client()
    given = {"threadId": thread, "input": [], "expectedTurnId": "x", "turnId": "x"}
    assert client.refusal(method, given) == refusal
