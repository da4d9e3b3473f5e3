"""What becomes of each answer to item/tool/call: the item that is shown, and what the model gets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.codex_client import DONE, OK, Bench, Client, calls

PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
AAA = "data:image/png;base64,AAA"
REMOTE = "https://example.com/a.png"
NO_REMOTE = "remote image URLs are not supported; use an inline data URL instead"
OMITTED = "image content omitted because it could not be processed"
INVALID = "dynamic tool response was invalid"


def text(value: str) -> dict[str, Any]:
    return {"type": "inputText", "text": value}


def image(url: str) -> dict[str, Any]:
    return {"type": "inputImage", "imageUrl": url}


def given(value: str) -> dict[str, Any]:
    return {"type": "input_text", "text": value}


def answer(*items: Any, success: Any = True, **more: Any) -> dict[str, Any]:
    return {"contentItems": list(items), "success": success, **more}


AUDIO = {"type": "inputAudio", "audioUrl": "data:audio/wav;base64,AAA"}
WAV = {"type": "inputAudio", "audioUrl": "data:audio/wav;base64,UklGRiQAAABXQVZF"}

FINE = [
    (answer(text("dynamic-ok")), "dynamic-ok"),
    (answer(text("a"), text("b")), [given("a"), given("b")]),
    (
        answer(text("a"), image(PNG)),
        [given("a"), {"type": "input_image", "image_url": PNG, "detail": "high"}],
    ),
    (answer(text("a"), image(AAA)), [given("a"), given(OMITTED)]),
    (answer(image("data:,x")), [given(OMITTED)]),
    (answer(image(PNG[:90])), [given(OMITTED)]),
    (answer(image(PNG + "AAAA")), [given(OMITTED)]),
    (answer(AUDIO), [given("audio content omitted because it could not be processed")]),
    (answer(WAV), [given("audio content omitted because you do not support audio input")]),
    (answer(text(""), text("")), []),
    (answer(text("")), ""),
    (answer(image("file.png")), [{"type": "input_image", "image_url": "file.png", "detail": "high"}]),
    (answer(), []),
]
"""Answers of 0.171 that complete a call, and the model's output."""

OLD_FINE = [
    (answer(text("dynamic-ok")), [given("dynamic-ok")]),
    (answer(text("a"), image(PNG)), [given("a"), {"type": "input_image", "image_url": PNG}]),
    (answer(image(AAA)), [{"type": "input_image", "image_url": AAA}]),
    (answer(image(REMOTE)), [{"type": "input_image", "image_url": REMOTE}]),
    (answer(), []),
]
"""The same of 0.110 and 0.98."""

BROKEN = [
    ({"output": "dynamic-ok", "success": True}, "missing field `contentItems`"),
    (None, "invalid type: null, expected struct DynamicToolCallResponse"),
    ({}, "missing field `contentItems`"),
    ({"contentItems": [text("x")]}, "missing field `success`"),
    (answer(success="true"), 'invalid type: string "true", expected a boolean'),
    ({"contentItems": "x", "success": True}, 'invalid type: string "x", expected a sequence'),
    (
        answer({"type": "wat"}),
        "unknown variant `wat`, expected one of `inputText`, `inputImage`, `inputAudio`",
    ),
    (
        answer({"type": "input_text", "text": "x"}),
        "unknown variant `input_text`, expected one of `inputText`, `inputImage`, `inputAudio`",
    ),
    ({"content_items": [], "success": True}, "missing field `contentItems`"),
    (answer({"type": "inputImage"}), "missing field `imageUrl`"),
    (answer({"text": "x"}), "missing field `type`"),
    (
        answer("x"),
        'invalid type: string "x", expected internally tagged enum DynamicToolCallOutputContentItem',
    ),
]
"""Answers without the shape of one, and what stderr says of them."""


def asked(profile: str = "0.171") -> tuple[Bench, Client]:
    """A client with an open call."""
    bench = Bench(calls("call_1"), DONE, profile=profile)
    client = bench.client()
    client.start_turn(client.start_thread())
    return bench, client


@pytest.mark.parametrize(("result", "output"), FINE)
def test_a_good_answer_is_shown_as_sent_and_handed_to_the_model(result: Any, output: Any) -> None:
    bench, client = asked()
    client.answer(0, result)
    (item,) = client.items()
    assert (item["status"], item["success"], item["contentItems"]) == (
        "completed",
        True,
        result["contentItems"],
    )
    assert bench.model.outputs() == [output]
    assert client.ended()["status"] == "completed"


@pytest.mark.parametrize("profile", ["0.98", "0.110"])
@pytest.mark.parametrize(("result", "output"), OLD_FINE)
def test_older_servers_hand_on_lists_and_look_at_no_image(profile: str, result: Any, output: Any) -> None:
    bench, client = asked(profile)
    client.answer(0, result)
    assert bench.model.outputs() == [output]
    assert [item["contentItems"] for item in client.items()] == (
        [result["contentItems"]] if profile == "0.110" else []
    )


@pytest.mark.parametrize("profile", ["0.110", "0.171"])
@pytest.mark.parametrize(("result", "complaint"), BROKEN)
def test_a_broken_answer_fails_the_call_and_not_the_turn(profile: str, result: Any, complaint: str) -> None:
    bench, client = asked(profile)
    client.answer(0, result)
    (item,) = client.items()
    assert (item["status"], item["success"]) == ("failed", False)
    assert item["contentItems"] == [text(INVALID)]
    assert bench.model.outputs() == [INVALID if profile == "0.171" else [given(INVALID)]]
    assert client.ended()["status"] == "completed"
    if profile == "0.171":
        assert bench.stderr == [
            "ERROR codex_app_server::dynamic_tools: "
            f"failed to deserialize DynamicToolCallResponse: {complaint}"
        ]


def test_a_failed_tool_is_shown_as_such_and_the_model_hears_its_text() -> None:
    bench, client = asked()
    client.answer(0, answer(text("boom"), success=False))
    (item,) = client.items()
    assert (item["status"], item["success"], item["contentItems"]) == ("failed", False, [text("boom")])
    assert bench.model.outputs() == ["boom"]


def test_members_that_nobody_knows_are_left_out() -> None:
    bench, client = asked()
    client.answer(0, answer({**text("a"), "extra": 1}, more=2))
    assert client.items()[0]["contentItems"] == [text("a")]
    assert bench.model.outputs() == ["a"]


def test_a_remote_image_fails_the_call() -> None:
    bench, client = asked()
    client.answer(0, answer(text("a"), image(REMOTE)))
    (item,) = client.items()
    assert (item["status"], item["success"], item["contentItems"]) == ("failed", False, [text(NO_REMOTE)])
    assert bench.model.outputs() == [NO_REMOTE]


def test_remote_audio_fails_the_call() -> None:
    _, client = asked()
    client.answer(0, answer({"type": "inputAudio", "audioUrl": "https://example.com/a.wav"}))
    assert client.items()[0]["contentItems"] == [text("audio URLs must use an inline data URL")]


def test_audio_is_unknown_to_older_servers() -> None:
    _, client = asked("0.110")
    client.answer(0, answer(AUDIO))
    assert client.items()[0]["contentItems"] == [text(INVALID)]


@pytest.mark.parametrize("profile", ["0.98", "0.110", "0.171"])
@pytest.mark.parametrize("code", [-32000, -32601, -32603])
def test_an_error_fails_the_call_and_its_message_reaches_stderr_only(profile: str, code: int) -> None:
    bench, client = asked(profile)
    client.send({"id": 0, "error": {"code": code, "message": "client exploded"}})
    failed = "dynamic tool request failed"
    assert bench.model.outputs() == [failed if profile == "0.171" else [given(failed)]]
    assert [item["contentItems"] for item in client.items()] == (
        [] if profile == "0.98" else [[text(failed)]]
    )
    assert client.ended()["status"] == "completed"
    (line,) = bench.stderr
    told = f'code: {code}, message: "client exploded"' if profile != "0.98" else "RecvError(())"
    assert told in line


def test_a_long_text_is_shown_whole_and_shortened_for_the_model() -> None:
    bench, client = asked()
    client.answer(0, answer(text("x" * 200_000)))
    assert len(client.items()[0]["contentItems"][0]["text"]) == 200_000
    (output,) = bench.model.outputs()
    assert output == f"{'x' * 6000}…47000 tokens truncated…{'x' * 6000}"


def test_texts_share_what_the_model_gets_and_characters_stay_whole() -> None:
    bench, client = asked()
    client.answer(0, answer(text("é" * 20_000), text("gone"), image(PNG), text("gone too")))
    first, picture, note = bench.model.outputs()[0]
    assert first["text"] == f"{'é' * 3000}…7000 tokens truncated…{'é' * 3000}"
    assert picture["type"] == "input_image"
    assert note == given("[omitted 2 text items ...]")


def test_a_call_is_announced_asked_and_completed_in_this_order() -> None:
    _, client = asked()
    client.answer(0)
    wanted = ["item/started", "item/tool/call", "item/completed", "item/started", "item/completed"]
    about_items = [method for method in client.methods() if method.startswith("item/")]
    assert about_items == ["item/started", "item/completed", *wanted]


def test_before_calls_had_items_they_are_only_asked_for() -> None:
    _, client = asked("0.98")
    client.answer(0)
    assert len(client.asked()) == 1
    assert client.items() == []
    assert client.items("agentMessage")


def test_a_call_of_an_unknown_tool_never_reaches_the_client() -> None:
    bench = Bench(calls("call_1", tool="no_such_tool"), DONE)
    client = bench.client()
    client.start_turn(client.start_thread())
    assert client.asked() == []
    assert bench.model.outputs() == ["unsupported call: no_such_tool"]
    assert client.ended()["status"] == "completed"


def test_the_model_hears_of_the_call_before_its_output() -> None:
    bench, client = asked()
    client.answer(0, OK)
    call, output = bench.model.requests[1].body["input"][-2:]
    assert call == {
        "type": "function_call",
        "id": "fc_call_1",
        "name": "demo_echo",
        "arguments": "{}",
        "call_id": "call_1",
    }
    assert output["id"].startswith("fco_")


@pytest.mark.parametrize("profile", ["0.98", "0.110"])
def test_older_servers_give_the_model_no_ids(profile: str) -> None:
    bench, client = asked(profile)
    client.answer(0, OK)
    assert not any("id" in item for item in bench.model.requests[1].body["input"])
