"""Rules about the answer to a tool call: ``{"contentItems": […], "success": …}``."""

from __future__ import annotations

from typing import Final

from wiretape.codex.rules import response_checks as check
from wiretape.codex.rules.source import SEED, rule
from wiretape.contract import Rule

_BREAKING: Final = "Breaking API change"

RESPONSE_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "response.content-items-list",
        "The result is an object with a list of content items",
        check.content_items,
        scope="tool_replies",
        document=SEED,
        section=_BREAKING,
        quote='"contentItems": [',
        good='{"contentItems": [], "success": true}',
        bad=("null", '{"contentItems": "hi", "success": true}', '{"success": true}'),
    ),
    rule(
        "response.item-type",
        "A content item is text, an image or audio",
        check.item_type,
        scope="tool_replies",
        document=SEED,
        section=_BREAKING,
        quote="(with the caveat that we only support text and image for now)",
        good='{"contentItems": [{"type": "inputText", "text": "hi"}], "success": true}',
        bad=(
            '{"contentItems": [{"type": "text", "text": "hi"}], "success": true}',
            '{"contentItems": [{"text": "hi"}], "success": true}',
            '{"contentItems": ["hi"], "success": true}',
        ),
        hint="servers since 0.163 take inputAudio too",
    ),
    rule(
        "response.text-is-string",
        "The text of a content item is a string",
        check.text_is_string,
        scope="tool_replies",
        document=SEED,
        section=_BREAKING,
        quote='{ "type": "inputText", "text": "dynamic-ok" },',
        good='{"contentItems": [{"type": "inputText", "text": "hi"}], "success": true}',
        bad=(
            '{"contentItems": [{"type": "inputText", "text": {"a": 1}}], "success": true}',
            '{"contentItems": [{"type": "inputText"}], "success": true}',
        ),
        hint="write an object as JSON text",
    ),
    rule(
        "response.image-url-string",
        "The URL of an image is a string",
        check.image_url,
        scope="tool_replies",
        document=SEED,
        section=_BREAKING,
        quote='{ "type": "inputImage", "imageUrl": "data:image/png;base64,AAA" }',
        good='{"contentItems": [{"type": "inputImage", "imageUrl": "data:image/gif;base64,R0lGODlh"}], '
        '"success": true}',
        bad=(
            '{"contentItems": [{"type": "inputImage"}], "success": true}',
            '{"contentItems": [{"type": "inputImage", "imageUrl": {"url": "data:,"}}], "success": true}',
        ),
    ),
    rule(
        "response.image-inline",
        "An image comes as a data URL",
        check.image_inline,
        scope="tool_replies",
        section="Content items",
        quote="From 0.163 on an image must come as a data URL: a remote one fails the call.",
        good='{"contentItems": [{"type": "inputImage", "imageUrl": "data:image/gif;base64,R0lGODlh"}], '
        '"success": true}',
        bad=('{"contentItems": [{"type": "inputImage", "imageUrl": "https://a.example"}], "success": true}',),
        hint="fetch the image and send it as data:image/png;base64,…",
    ),
    rule(
        "response.image-decodable",
        "The data of an image is an image",
        check.image_decodable,
        scope="tool_replies",
        level="should",
        section="Content items",
        quote="From 0.163 on an image that can't be decoded reaches the model as a sentence that says so.",
        good='{"contentItems": [{"type": "inputImage", "imageUrl": "data:image/gif;base64,R0lGODlh"}], '
        '"success": true}',
        bad=(
            '{"contentItems": [{"type": "inputImage", "imageUrl": "data:image/png;base64,AAA"}], '
            '"success": true}',
        ),
    ),
    rule(
        "response.success-boolean",
        "The result says by true or false whether the tool succeeded",
        check.success,
        scope="tool_replies",
        document=SEED,
        section=_BREAKING,
        quote='"success": true',
        good='{"contentItems": [], "success": false}',
        bad=('{"contentItems": []}', '{"contentItems": [], "success": "true"}'),
    ),
    rule(
        "response.no-legacy-output",
        "The result is not of the old shape",
        check.legacy_output,
        scope="tool_replies",
        document=SEED,
        section=_BREAKING,
        quote="This introduces a breaking change with dynamic tools",
        good='{"contentItems": [{"type": "inputText", "text": "dynamic-ok"}], "success": true}',
        bad=('{"output": "dynamic-ok", "success": true}',),
        hint="the turn completes all the same; the model is told that the response was invalid",
    ),
    rule(
        "response.no-snake-case",
        "Members and types are written in camel case",
        check.snake_case,
        scope="tool_replies",
        section="Content items",
        quote="Names on this wire are in camel case; the snake case of the model's side is not understood.",
        good='{"contentItems": [{"type": "inputText", "text": "hi"}], "success": true}',
        bad=(
            '{"content_items": [{"type": "inputText", "text": "hi"}], "success": true}',
            '{"contentItems": [{"type": "input_text", "text": "hi"}], "success": true}',
            '{"contentItems": [{"type": "inputImage", "image_url": "data:,"}], "success": true}',
        ),
    ),
    rule(
        "response.result-as-expected",
        "The tool gave what the cassette says it must give",
        check.as_expected,
        scope="tool_replies",
        section="The answer",
        quote="Every member of the expected answer is in the client's, with the same value; more are fine.",
        evidence="inferred",
        good="the text that the call asked to echo, and success true",
        bad=("another text", '{"contentItems": [], "success": false}', "{}", "a JSON-RPC error"),
        hint="a client without a handler is caught here: its turn completes all the same",
    ),
)
