"""The checks behind the rules about an answer to a tool call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from wiretape.codex.images import holds_image, is_data_url
from wiretape.codex.messages import fields
from wiretape.codex.view import ToolReply
from wiretape.contract import Answer, Fault, Note, Skip, Unseen
from wiretape.strictjson import ABSENT, equal

_ERROR: Final = Unseen("an error was sent in place of a result")
_NO_LIST: Final = Skip("codex.response.content-items-list")
_LEGACY: Final = Skip("codex.response.no-legacy-output")
_SNAKE: Final = Skip("codex.response.no-snake-case")
_NO_URL: Final = Skip("codex.response.image-url-string")
_REMOTE: Final = Skip("codex.response.image-inline")

_SHAPE: Final = '{"contentItems": […], "success": true or false}'
_SNAKE_TYPES: Final = ("input_text", "input_image", "input_audio")
_TYPES: Final = ("inputText", "inputImage", "inputAudio")


def content_items(reply: ToolReply) -> Answer:
    if reply.result is ABSENT:
        return _ERROR
    if reply.body is None:
        return Fault("result", _SHAPE, reply.result)
    got = reply.body.get("contentItems", ABSENT)
    if got is ABSENT and "content_items" in reply.body:
        return _SNAKE
    if got is ABSENT and "output" in reply.body:
        return _LEGACY
    return None if isinstance(got, list) else Fault("result.contentItems", "a list", got)


def _no_items(reply: ToolReply) -> Answer:
    """Why there are no items to look at."""
    answer = content_items(reply)
    return _NO_LIST if isinstance(answer, Fault) else answer


def success(reply: ToolReply) -> Answer:
    if reply.result is ABSENT:
        return _ERROR
    if reply.body is None:
        return _NO_LIST
    got = reply.body.get("success", ABSENT)
    return None if isinstance(got, bool) else Fault("result.success", "true or false", got)


def legacy_output(reply: ToolReply) -> Answer:
    if reply.result is ABSENT:
        return _ERROR
    if reply.body is None:
        return _NO_LIST
    if "output" in reply.body and not reply.body.keys() & {"contentItems", "content_items"}:
        return Fault("result.output", "contentItems in its place", reply.body["output"])
    return None


def snake_case(reply: ToolReply) -> Answer:
    if reply.result is ABSENT:
        return _ERROR
    if reply.body is None:
        return _NO_LIST
    if "content_items" in reply.body and "contentItems" not in reply.body:
        return Fault("result.content_items", "contentItems", "content_items")
    for path, item in _numbered(reply.items or []):
        if item.get("type") in _SNAKE_TYPES:
            return Fault(f"{path}.type", "inputText or inputImage", item["type"])
        if "image_url" in item and "imageUrl" not in item:
            return Fault(f"{path}.image_url", "imageUrl", "image_url")
    return None


def _numbered(items: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for index, item in enumerate(items):
        yield f"result.contentItems[{index}]", fields(item)


def item_type(reply: ToolReply) -> Answer:
    if reply.items is None:
        return _no_items(reply)
    known = _TYPES if reply.dialect.audio else _TYPES[:2]
    for index, item in enumerate(reply.items):
        path = f"result.contentItems[{index}]"
        if not isinstance(item, dict):
            return Fault(path, "an object with a type", item)
        got = item.get("type", ABSENT)
        if got in _SNAKE_TYPES:
            return _SNAKE
        if got not in known:
            return Fault(f"{path}.type", " or ".join(known), got)
        url = item.get("audioUrl", ABSENT)
        if got == "inputAudio" and not (isinstance(url, str) and is_data_url(url)):
            return Fault(f"{path}.audioUrl", "a data URL", url)
    return None if reply.items else Unseen("no item was sent")


def _each(
    kind: str, check: Callable[[str, dict[str, Any], ToolReply], Answer]
) -> Callable[[ToolReply], Answer]:
    """A check of every item of one type: the first answer that is no plain pass."""

    def checked(reply: ToolReply) -> Answer:
        if reply.items is None:
            return _no_items(reply)
        items = [(path, item) for path, item in _numbered(reply.items) if item.get("type") == kind]
        if not items:
            return Unseen(f"no {kind} was sent")
        return next((answer for path, item in items if (answer := check(path, item, reply))), None)

    return checked


def _text(path: str, item: dict[str, Any], _reply: ToolReply) -> Answer:
    got = item.get("text", ABSENT)
    return None if isinstance(got, str) else Fault(f"{path}.text", "a string", got)


def _url(path: str, item: dict[str, Any], _reply: ToolReply) -> Answer:
    got = item.get("imageUrl", ABSENT)
    if got is ABSENT and "image_url" in item:
        return _SNAKE
    return None if isinstance(got, str) else Fault(f"{path}.imageUrl", "a string", got)


def _inline(path: str, item: dict[str, Any], reply: ToolReply) -> Answer:
    url = item.get("imageUrl")
    if not isinstance(url, str):
        return _NO_URL
    if is_data_url(url):
        return None
    if reply.dialect.remote_images:
        return Note("servers up to 0.110 pass any URL on")
    return Fault(f"{path}.imageUrl", "a data URL", url)


def _decodable(path: str, item: dict[str, Any], _reply: ToolReply) -> Answer:
    url = item.get("imageUrl")
    if not isinstance(url, str):
        return _NO_URL
    if not is_data_url(url):
        return _REMOTE
    want = "base64 of a PNG, JPEG, GIF or WebP image"
    return None if holds_image(url) else Fault(f"{path}.imageUrl", want, url[:80])


text_is_string: Final = _each("inputText", _text)
image_url: Final = _each("inputImage", _url)
image_inline: Final = _each("inputImage", _inline)
image_decodable: Final = _each("inputImage", _decodable)

_SHAPE_CHECKS: Final[tuple[tuple[str, Callable[[ToolReply], Answer]], ...]] = (
    ("content-items-list", content_items),
    ("no-legacy-output", legacy_output),
    ("no-snake-case", snake_case),
    ("item-type", item_type),
    ("text-is-string", text_is_string),
    ("image-url-string", image_url),
    ("success-boolean", success),
)
"""Where one of these fails, the server reads nothing of the answer."""


def as_expected(reply: ToolReply) -> Answer:
    wanted = _wanted(reply)
    if not isinstance(wanted, dict):
        return wanted
    if reply.result is ABSENT:
        return Fault("error", wanted, reply.value.get("error", ABSENT))
    if reply.body == {}:
        return Fault("result", wanted, reply.body)
    for name, check in _SHAPE_CHECKS:
        if isinstance(check(reply), Fault):
            return Skip(f"codex.response.{name}")
    return _difference(wanted, reply.result, "result")


def _wanted(reply: ToolReply) -> dict[str, Any] | Skip | Unseen:
    """The answer that the tool must give, with an echo worked out."""
    call = reply.ask.call
    tool, arguments = (call.tool, call.arguments) if call else ("", ABSENT)
    if reply.expected is ABSENT:
        return Unseen(f"the cassette does not say what {tool} gives")
    if reply.expected != "echo":
        return fields(reply.expected)
    text = fields(arguments).get("text")
    if not isinstance(text, str):
        return Skip("the call has no argument text that could be echoed")
    return {"contentItems": [{"type": "inputText", "text": text}], "success": True}


def _difference(want: object, got: object, path: str) -> Fault | None:
    """The first place where ``got`` is not what is wanted; members that nobody asked for are fine."""
    if isinstance(want, dict) and isinstance(got, dict):
        each = ((f"{path}.{key}", want[key], got.get(key, ABSENT)) for key in want)
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        each = ((f"{path}[{index}]", *pair) for index, pair in enumerate(zip(want, got, strict=True)))
    else:
        return None if equal(want, got) else Fault(path, want, got)
    return next((fault for name, a, b in each if (fault := _difference(a, b, name))), None)
