"""The answer to a tool call: its shape, and what the cassette expects of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.codex_wire import answered, called, ended, text_result
from wiretape.codex.images import holds_image, is_data_url

PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
    "awAAAABJRU5ErkJggg=="
)


def result(*items: object, **more: object) -> dict[str, Any]:
    return {"contentItems": list(items), "success": True} | more


def image(url: object) -> dict[str, Any]:
    return {"type": "inputImage", "imageUrl": url}


TEXT = {"type": "inputText", "text": "hi"}
AUDIO = {"type": "inputAudio", "audioUrl": "data:audio/wav;base64,"}


@pytest.mark.parametrize(
    "good",
    [
        result(TEXT),
        result(),
        result(TEXT, TEXT, image(PNG)),
        result(TEXT, success=False),
        result(TEXT | {"annotations": None}, id=1, output="ignored beside contentItems"),
        result(AUDIO),
        result({"type": "inputText", "text": ""}),
        result({"type": "inputText", "text": "x" * 200_000}),
        result(TEXT, content_items=[]),
        result(image(PNG) | {"image_url": "beside it"}),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_whole_answer_breaks_no_rule(good: dict[str, Any]) -> None:
    assert answered(good).failed() == {}


ROWS: list[tuple[object, str, str]] = [
    (None, "content-items-list", "result"),
    ("text", "content-items-list", "result"),
    ([], "content-items-list", "result"),
    (5, "content-items-list", "result"),
    ({"success": True}, "content-items-list", "result.contentItems"),
    ({"contentItems": "hi", "success": True}, "content-items-list", "result.contentItems"),
    ({"contentItems": None, "success": True}, "content-items-list", "result.contentItems"),
    ({"contentItems": {}, "success": True}, "content-items-list", "result.contentItems"),
    ({"output": "dynamic-ok", "success": True}, "no-legacy-output", "result.output"),
    ({"output": [TEXT], "success": True}, "no-legacy-output", "result.output"),
    ({"contentItems": [TEXT]}, "success-boolean", "result.success"),
    (result(TEXT, success="true"), "success-boolean", "result.success"),
    (result(TEXT, success=1), "success-boolean", "result.success"),
    (result(TEXT, success=None), "success-boolean", "result.success"),
    ({"content_items": [TEXT], "success": True}, "no-snake-case", "result.content_items"),
    (result({"type": "input_text", "text": "hi"}), "no-snake-case", "result.contentItems[0].type"),
    (
        result(TEXT, {"type": "inputImage", "image_url": PNG}),
        "no-snake-case",
        "result.contentItems[1].image_url",
    ),
    (result({"type": "input_image", "image_url": PNG}), "no-snake-case", "result.contentItems[0].type"),
    (result({"type": "text", "text": "hi"}), "item-type", "result.contentItems[0].type"),
    (result({"text": "hi"}), "item-type", "result.contentItems[0].type"),
    (result(TEXT, {"type": None, "text": "hi"}), "item-type", "result.contentItems[1].type"),
    (result({"type": ["inputText"]}), "item-type", "result.contentItems[0].type"),
    (result("hi"), "item-type", "result.contentItems[0]"),
    (result({"type": "inputAudio"}), "item-type", "result.contentItems[0].audioUrl"),
    (result(AUDIO | {"audioUrl": "http://a.example/b"}), "item-type", "result.contentItems[0].audioUrl"),
    (result({"type": "inputText"}), "text-is-string", "result.contentItems[0].text"),
    (result(TEXT, {"type": "inputText", "text": 5}), "text-is-string", "result.contentItems[1].text"),
    (result({"type": "inputText", "text": {"a": 1}}), "text-is-string", "result.contentItems[0].text"),
    (result({"type": "inputImage"}), "image-url-string", "result.contentItems[0].imageUrl"),
    (result(image({"url": PNG})), "image-url-string", "result.contentItems[0].imageUrl"),
    (result(image("https://a.example/x.png")), "image-inline", "result.contentItems[0].imageUrl"),
    (result(image("")), "image-inline", "result.contentItems[0].imageUrl"),
    (result(TEXT, image("data:image/png;base64,AAA")), "image-decodable", "result.contentItems[1].imageUrl"),
]


@pytest.mark.parametrize(("answer", "rule", "path"), ROWS, ids=lambda value: str(value)[:50])
def test_a_wrong_answer_breaks_one_rule_at_its_path(answer: object, rule: str, path: str) -> None:
    failed = answered(answer).failed()
    assert set(failed) == {f"response.{rule}"}
    assert failed[f"response.{rule}"].path == path


def test_an_undecodable_image_is_a_warning() -> None:
    report = answered(result(image("data:image/png;base64,AAA"))).report()
    assert report.ok
    assert len(report.warnings) == 1


def test_an_empty_answer_lacks_both_members() -> None:
    assert set(answered({}).failed()) == {"response.content-items-list", "response.success-boolean"}


def test_old_servers_pass_remote_images_on() -> None:
    wire = answered(result(image("https://a.example/x.png")), version="0.110.0")
    assert wire.failed() == {}
    assert wire.outcome("response.image-inline").because == "servers up to 0.110 pass any URL on"


def test_old_servers_know_no_audio() -> None:
    assert set(answered(result(AUDIO), version="0.110.0").failed()) == {"response.item-type"}


def test_a_demanded_profile_counts_more_than_the_servers_user_agent() -> None:
    assert set(answered(result(AUDIO), profile="0.110").failed()) == {"response.item-type"}


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        (PNG, True),
        (PNG.replace("data:", "DATA:").replace(";base64", ";BASE64"), True),
        ("data:image/jpeg;base64,/9j/4AAQ", True),
        ("data:image/gif;base64,R0lGODlhAQABAAAAACw=", True),
        ("data:image/gif;base64,R0lGODdh", True),
        ("data:image/webp;base64,UklGRgAAAABXRUJQ", True),
        ("data:image/png;base64,UklGRgAAAABXQVZF", False),
        ("data:image/png;base64,AAA", False),
        ("data:image/png;base64,aGVsbG8=", False),
        ("data:image/png;base64,", False),
        ("data:image/png;base64,é", False),
        ("data:image/png,iVBORw0KGgo=", False),
        ("data:", False),
    ],
)
def test_an_image_is_known_by_its_first_bytes(url: str, holds: bool) -> None:
    assert is_data_url(url)
    assert holds_image(url) == holds


EXPECT_ECHO = {"results": {"demo_echo": "echo"}}
EXPECT_SUCCESS = {"results": {"demo_echo": {"success": True}}}
EXPECT_TEXT = {"results": {"demo_echo": text_result("dynamic-ok")}}


@pytest.mark.parametrize(
    ("expect", "answer"),
    [
        (EXPECT_ECHO, text_result("hi")),
        (EXPECT_ECHO, result(TEXT | {"more": 1}, more=2)),
        (EXPECT_SUCCESS, text_result("anything")),
        (EXPECT_SUCCESS, result()),
        (EXPECT_TEXT, text_result("dynamic-ok")),
        ({"results": {"demo_echo": text_result("boom", success=False)}}, text_result("boom", success=False)),
    ],
)
def test_an_answer_may_say_more_than_is_expected(expect: dict[str, Any], answer: dict[str, Any]) -> None:
    wire = answered(answer, expect=expect)
    assert wire.failed() == {}
    assert wire.outcome("response.result-as-expected").outcome == "pass"


@pytest.mark.parametrize(
    ("expect", "answer", "path"),
    [
        (EXPECT_ECHO, text_result("other"), "result.contentItems[0].text"),
        (EXPECT_ECHO, result(), "result.contentItems"),
        (EXPECT_ECHO, result(TEXT, TEXT), "result.contentItems"),
        (EXPECT_ECHO, text_result("hi", success=False), "result.success"),
        (EXPECT_SUCCESS, text_result("No handler", success=False), "result.success"),
        (EXPECT_TEXT, result(image(PNG)), "result.contentItems[0].type"),
    ],
)
def test_another_answer_than_expected_breaks_one_rule(
    expect: dict[str, Any], answer: dict[str, Any], path: str
) -> None:
    failed = answered(answer, expect=expect).failed()
    assert set(failed) == {"response.result-as-expected"}
    assert failed["response.result-as-expected"].path == path


@pytest.mark.parametrize("code", [-32601, -32603, -32000])
def test_a_client_without_a_handler_is_caught_where_the_cassette_expects_a_result(code: int) -> None:
    wire = called(expect=EXPECT_SUCCESS)
    wire.fail({"code": code, "message": "No handler for: item/tool/call"})
    ended(wire)
    assert set(wire.failed()) - {"call.handled"} == {"response.result-as-expected"}


def test_an_error_says_nothing_about_the_shape_of_results() -> None:
    wire = called()
    wire.fail({"code": -32000, "message": "client exploded"})
    shapes = [f for f in wire.report().findings if f.rule.startswith("codex.response.")]
    others = ("codex.response.result-xor-error", "codex.response.reaches-model")
    because = {f.because for f in shapes if f.rule not in others}
    assert because == {
        "an error was sent in place of a result",
        "the cassette does not say what demo_echo gives",
    }


def test_an_empty_answer_is_caught_where_the_cassette_expects_a_result() -> None:
    assert "response.result-as-expected" in answered({}, expect=EXPECT_SUCCESS).failed()


UNREADABLE = [row[:2] for row in ROWS if row[1] not in ("image-inline", "image-decodable")]


@pytest.mark.parametrize(("answer", "rule"), UNREADABLE, ids=lambda value: str(value)[:50])
def test_a_wrong_shape_is_not_also_called_unexpected(answer: object, rule: str) -> None:
    wire = answered(answer, expect=EXPECT_TEXT)
    assert set(wire.failed()) == {f"response.{rule}"}
    assert wire.outcome("response.result-as-expected").because == f"codex.response.{rule}"


def test_what_can_not_be_echoed_is_not_judged() -> None:
    wire = answered(text_result(), expect=EXPECT_ECHO)
    assert wire.outcome("response.result-as-expected").outcome == "pass"
    wire = called(expect=EXPECT_ECHO)
    wire.answer()
    wire.call(1, call_id="call_2", arguments=["hi"])
    wire.answer(request_id=1)
    assert wire.failed() == {}


def test_a_tool_that_the_cassette_does_not_speak_of_may_give_anything() -> None:
    wire = answered(text_result("x"), expect={"results": {"other": "echo"}})
    assert (
        wire.outcome("response.result-as-expected").because
        == "the cassette does not say what demo_echo gives"
    )
