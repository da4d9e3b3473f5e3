"""The model provider: what a real app-server gets for its requests, and what is said of its outputs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.server.wire import TIMEOUT, Answer, Wire, ask
from wiretape import verify
from wiretape.cassette import Cassette, Expect, ModelCall, ModelError, ModelText, Provenance, Step
from wiretape.sse import EventStreamDecoder
from wiretape.strictjson import ABSENT
from wiretape.transcript import End
from wiretape_server.thread import CodexPlayback

CALL = ModelCall(id="call_1", tool="demo_echo", arguments='{"text": "hi"}')
IMAGE = {"contentItems": [{"type": "inputImage", "imageUrl": "data:image/png;base64,AAA"}], "success": True}


def made(*steps: Step, **results: Any) -> Cassette:
    expect = Expect(user_message="go", results=results)
    provenance = Provenance(kind="synthetic")
    return Cassette(protocol="codex", provenance=provenance, model=steps, expect=expect, name="made")


def post(playback: CodexPlayback, *given: Any, thread: str = "t") -> Answer:
    body = {"model": "mock-model", "stream": True, "input": list(given), "prompt_cache_key": thread}
    return ask(playback.base_url, "POST", "/v1/responses", body)


def events(answer: Answer) -> list[dict[str, Any]]:
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    decoder = EventStreamDecoder()
    said = decoder.feed(answer.body())
    assert not decoder.unterminated_tail
    payloads = [json.loads(each.data) for each in said]
    assert [each["type"] for each in payloads] == [each.event for each in said]
    return payloads


def output(value: object, call_id: str = "call_1") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": value}


def test_a_call_and_a_text_are_the_smallest_answers_that_are_taken(
    codex: Callable[..., CodexPlayback],
) -> None:
    playback = codex(made(Step(items=(CALL,)), Step(items=(ModelText(text="done"),))))
    created, done, completed = events(post(playback))
    assert created["type"] == "response.created"
    assert done["item"] == {
        "type": "function_call",
        "id": "fc_call_1",
        "call_id": "call_1",
        "name": "demo_echo",
        "arguments": '{"text": "hi"}',
    }
    assert completed["response"]["id"] == created["response"]["id"]
    assert completed["response"]["usage"]["total_tokens"] == 15
    _, said, _ = events(post(playback, output("hi")))
    assert said["item"]["content"] == [{"type": "output_text", "text": "done"}]
    transcript = playback.transcript()
    assert (transcript.unplayed, transcript.errors) == ((), ())


def test_deltas_come_between_an_empty_item_and_the_whole_one(
    codex: Callable[..., CodexPlayback],
) -> None:
    text = ModelText(text="one two", deltas=("one ", "two"), id="msg_1")
    said = events(post(codex(made(Step(items=(text,))))))
    assert [each["type"].removeprefix("response.") for each in said] == [
        "created",
        "output_item.added",
        "output_text.delta",
        "output_text.delta",
        "output_item.done",
        "completed",
    ]
    assert said[1]["item"]["content"] == []
    assert [each["delta"] for each in said[2:4]] == ["one ", "two"]
    assert {each["item_id"] for each in said[2:4]} == {"msg_1"}


def test_a_namespace_goes_with_its_call(codex: Callable[..., CodexPlayback]) -> None:
    call = ModelCall(id="call_1", tool="demo_echo", arguments="{}", namespace="demo")
    assert events(post(codex(made(Step(items=(call,))))))[1]["item"]["namespace"] == "demo"


def test_each_thread_plays_the_steps_from_the_first(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex(made(Step(items=(ModelText(text="a"),)), Step(items=(ModelText(text="b"),))))
    heard = [
        events(post(playback, thread=thread))[1]["item"]["content"][0]["text"]
        for thread in ("t", "u", "t", "u")
    ]
    assert heard == ["a", "a", "b", "b"]


def test_a_failure_is_an_http_status_with_its_body(codex: Callable[..., CodexPlayback]) -> None:
    answer = post(codex(made(Step(error=ModelError(status=401, body='{"error": {"message": "old"}}')))))
    assert (answer.status, answer.json()) == (401, {"error": {"message": "old"}})


def test_a_request_too_many_is_an_error_of_the_play(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex(made(Step(items=(ModelText(text="a"),))))
    post(playback)
    assert post(playback).status == 400
    assert "the cassette has 1 model steps; this is request 2" in playback.transcript().errors[0]


def test_a_step_that_waits_begins_an_answer_and_never_ends_it(
    codex: Callable[..., CodexPlayback],
) -> None:
    playback = codex(made(Step(wait="until_interrupt")))
    with Wire(playback.base_url) as wire:
        answer = wire.ask("POST", "/v1/responses", {"input": []})
        assert b"response.created" in next(answer.chunks())
        assert wire.is_silent()
        assert not playback.wait_idle(0.01)
    assert playback.wait_idle(TIMEOUT)
    assert playback.transcript().entries[-1].how == "client-left"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("results", "right", "wrong"),
    [
        ({}, "hi", "ho"),
        ({"demo_echo": "echo"}, "hi", "ho"),
        ({}, "hi", [{"type": "input_text", "text": "hi"}]),
        ({}, "hi", "dynamic tool request failed"),
        (
            {"demo_echo": IMAGE},
            [{"type": "input_text", "text": "image content omitted because it could not be processed"}],
            [{"type": "input_image", "image_url": "data:image/png;base64,AAA"}],
        ),
        ({"demo_echo": {"contentItems": [], "success": False}}, [], ""),
    ],
)
def test_what_a_call_gave_the_model_is_compared_with_what_its_tool_gives(
    codex: Callable[..., CodexPlayback], results: dict[str, Any], right: object, wrong: object
) -> None:
    steps = (Step(items=(CALL,)), Step(items=(ModelText(text="done"),)))
    playback = codex(made(*steps, **results))
    for given in (right, wrong):
        assert not verify(playback.transcript()).violations
        post(playback)
        post(playback, output(given))
    (finding,) = verify(playback.transcript()).violations
    assert (finding.rule, finding.path) == ("codex.response.reaches-model", "input[0].output")
    assert (finding.want, finding.got) == (right, wrong)
    assert "call_1" in finding.at


@pytest.mark.parametrize(
    "given",
    [
        (output("anything"),),
        (output("hi", "call_9"),),
        ({"type": "function_call", "call_id": "call_1"}, "odd", None, {"call_id": ["call_1"]}),
    ],
)
def test_where_the_cassette_says_nothing_nothing_is_said(
    codex: Callable[..., CodexPlayback], given: Sequence[Any]
) -> None:
    playback = codex(made(Step(items=(CALL,)), demo_echo={"success": True}))
    post(playback, *given)
    assert not playback.transcript().errors
    assert not verify(playback.transcript()).violations


@pytest.mark.parametrize("arguments", ["not json", "[]", '{"text": 5}', "{}"])
def test_arguments_without_a_text_have_no_echo(codex: Callable[..., CodexPlayback], arguments: str) -> None:
    call = ModelCall(id="call_1", tool="demo_echo", arguments=arguments)
    playback = codex(made(Step(items=(call,))))
    post(playback, output("anything"))
    assert not verify(playback.transcript()).violations


def test_an_output_that_is_not_there_is_wrong_too(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex(made(Step(items=(CALL,))))
    post(playback, {"type": "function_call_output", "call_id": "call_1"})
    (finding,) = verify(playback.transcript()).violations
    assert finding.got is ABSENT


def test_a_call_whose_output_never_comes_back_is_named_once(codex: Callable[..., CodexPlayback]) -> None:
    other = ModelCall(id="call_2", tool="demo_echo", arguments="{}")
    texts = (Step(items=(ModelText(text=text),)) for text in ("done", "again"))
    playback = codex(made(Step(items=(CALL, other)), *texts))
    post(playback)
    post(playback, output("anything", "call_2"))
    post(playback)
    (error,) = playback.transcript().errors
    assert error == "request 2: function_call_output of call_1 (demo_echo): none came back"


def test_the_models_are_listed(codex: Callable[..., CodexPlayback]) -> None:
    answer = ask(codex(made(Step())).base_url, "GET", "/v1/models").json()
    assert [each["id"] for each in answer["data"]] == ["mock-model"]


def test_what_is_no_json_and_what_is_no_endpoint_are_errors_of_the_play(
    codex: Callable[..., CodexPlayback],
) -> None:
    playback = codex(made(Step()))
    assert ask(playback.base_url, "POST", "/v1/responses", b"{").status == 400
    assert ask(playback.base_url, "POST", "/v1/chat/completions", {}).status == 404
    first, second = playback.transcript().errors
    assert "the body is no JSON" in first
    assert "POST /v1/chat/completions" in second


def test_the_exchange_is_in_the_transcript(codex: Callable[..., CodexPlayback]) -> None:
    playback = codex()
    sent = post(playback).body()
    transcript = playback.transcript()
    assert transcript.bodies()[1] == sent
    assert isinstance(transcript.entries[-1], End)
