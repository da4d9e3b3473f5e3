"""What becomes of a client's answer to a tool call: every kind of answer, and what can't be read as one."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.connection import Client
from tests.differential.scenario import ECHO, OK, ONE_CALL, add, text_answer
from tests.differential.stage import Stage

PNG: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
TEXT: Final = {"type": "inputText", "text": "dynamic-ok"}


def items(*given: Any, success: bool = True) -> dict[str, Any]:
    return {"contentItems": list(given), "success": success}


def image(url: str) -> dict[str, Any]:
    return {"type": "inputImage", "imageUrl": url}


RESULTS: Final[dict[str, Any]] = {
    "one text": OK,
    "two texts": items({"type": "inputText", "text": "a"}, {"type": "inputText", "text": "b"}),
    "text and image": items(TEXT, image(PNG)),
    "image alone": items(image(PNG)),
    "image that can't be decoded": items(TEXT, image("data:image/png;base64,AAA")),
    "image that is no base64": items(TEXT, image("data:image/png;base64,????")),
    "data URL of a text": items(image("data:text/plain;base64,aGk=")),
    "remote image": items(image("http://127.0.0.1/a.png")),
    "remote image after a text": items(TEXT, image("https://127.0.0.1/a.png")),
    "audio": items({"type": "inputAudio", "audioUrl": "data:audio/wav;base64,UklGRg=="}),
    "no items": items(),
    "empty text": text_answer(""),
    "not a success": text_answer("boom", success=False),
    "no items and no success": items(success=False),
    "more members": {"contentItems": [{**TEXT, "more": 1}], "success": True, "more": {"a": []}},
    "long text": text_answer("0123456789" * 20_000),
    "image of five million characters": items(image(PNG.rstrip("=") + "AA" + "A" * 5_000_000)),
    "image that breaks off": items(image(PNG[:90])),
    "image with a gap in its base64": items(image(PNG + "AAAA")),
    "text that is not ASCII": text_answer("naïve ✓ 😀 \u0000 end"),
    "old shape": {"output": "dynamic-ok", "success": True},
    "null": None,
    "empty object": {},
    "text for a result": "dynamic-ok",
    "list for a result": [],
    "success missing": {"contentItems": [TEXT]},
    "success as text": {"contentItems": [TEXT], "success": "true"},
    "success null": {"contentItems": [TEXT], "success": None},
    "contentItems missing": {"success": True},
    "contentItems a text": {"contentItems": "dynamic-ok", "success": True},
    "unknown item type": items({"type": "inputVideo", "videoUrl": "x"}),
    "item without a type": items({"text": "x"}),
    "item in snake case": items({"type": "input_text", "text": "x"}),
    "member in snake case": {"content_items": [TEXT], "success": True},
    "image without imageUrl": items({"type": "inputImage"}),
    "text that is a number": items({"type": "inputText", "text": 5}),
}
ERRORS: Final[dict[str, Any]] = {
    "error -32000 with data": {"code": -32000, "message": "client exploded", "data": {"why": "test"}},
    "error -32601": {"code": -32601, "message": "Method not found"},
    "error -32603 without data": {"code": -32603, "message": "Internal error"},
}
UNREADABLE: Final[dict[str, str]] = {
    "error without code": '{"id": 0, "error": {"message": "m"}}',
    "error without message": '{"id": 0, "error": {"code": 1}}',
    "error whose code is a text": '{"id": 0, "error": {"code": "1", "message": "m"}}',
    "error whose code is a fraction": '{"id": 0, "error": {"code": 1.5, "message": "m"}}',
    "neither result nor error": '{"id": 0}',
    "id 0.0": '{"id": 0.0, "result": {"contentItems": [], "success": true}}',
    "id as text": '{"id": "0", "result": {"contentItems": [], "success": true}}',
    "id that nobody asked": '{"id": 999, "result": {"contentItems": [], "success": true}}',
    "answer in a list": '[{"id": 0, "result": {"contentItems": [], "success": true}}]',
    "answer cut off": '{"id": 0, "result": {"contentItems": [], "succ',
    "answer with a method": '{"id": 0, "method": "item/tool/call", "result": {"contentItems": []}}',
}
READABLE: Final[dict[str, str]] = {
    "result and error": '{"id": 0, "result": {"contentItems": [], "success": true}, '
    '"error": {"code": 1, "message": "m"}}',
    "jsonrpc member": '{"jsonrpc": "2.0", "id": 0, "result": {"contentItems": [], "success": true}}',
    "error null beside a result": '{"id": 0, "result": {"contentItems": [], "success": true}, "error": null}',
    "result null beside an error": '{"id": 0, "result": null, "error": {"code": 1, "message": "m"}}',
    "blanks around it": '  {"id": 0, "result": {"contentItems": [], "success": true}}\t',
    "a member twice": '{"id": 0, "result": {"contentItems": [], "success": true, "success": false}}',
}


async def called(stage: Stage) -> tuple[Client, str]:
    """Bring a turn to its first call; give the client and the thread."""
    client = await stage.client()
    await client.initialize()
    thread = await client.start_thread(ECHO)
    await client.start_turn(thread)
    await client.asked()
    return client, thread


async def ended(client: Client, thread: str) -> None:
    """Read on to the turn's end, and look what is kept of it."""
    await client.told("turn/completed")
    await client.request("thread/read", {"threadId": thread, "includeTurns": True})


def answered_with(*messages: Any) -> Any:
    async def script(stage: Stage) -> None:
        client, thread = await called(stage)
        for message in messages:
            await client.send(message)
        await ended(client, thread)

    return script


for name, result in RESULTS.items():
    add(f"answer: {name}", answered_with({"id": 0, "result": result}), *ONE_CALL)
for name, error in ERRORS.items():
    add(f"answer: {name}", answered_with({"id": 0, "error": error}), *ONE_CALL)
for name, text in READABLE.items():
    add(f"answer: {name}", answered_with(text), *ONE_CALL)
for name, text in UNREADABLE.items():
    add(f"no answer: {name}", answered_with(text, {"id": 0, "result": OK}), *ONE_CALL)
add(
    "answer: twice",
    answered_with({"id": 0, "result": OK}, {"id": 0, "result": text_answer("again", success=False)}),
    *ONE_CALL,
)
